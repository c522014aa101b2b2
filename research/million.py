"""A million items with 64 features, float32, on one core: what each step of a search takes, in time and in memory.

    python -m research.million            # a minute or two, small
    python -m research.million --full     # about 5 minutes on one core

    steps    CPU and wall milliseconds, the best of some repetitions, beside plain NumPy that does the same: a click
             among four weighed for all items, the items nearest to four points, the ten items of highest density
    pass     CPU milliseconds of one `tell` about four items, by the number of items and of features
    mass     the share of the items that hold all but a millionth of the probability, as answers come in: what a
             shortlist would have to weigh; the mean over some searches, with clicks by the model of the answers
    memory   the most that is held above what there was before the array, as a multiple of the array; and bytes that a
             further search holds, an item

The items are N(0, I) and answers are any: only "mass" depends on what is answered. All of it in a new process, after
everything has been compiled.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import special

import learn2search as l2s
from research import Array, memory
from research.rows import Results, Row, Table
from research.study import Study, in_new_process, main
from research.summary import print_table

SEED, D, NOISE, SHOWN, ANSWERS = 43, 64, 1.0, 4, 8
FULL, SMALL = 1_000_000, 70_000
LEFT_OUT, MASS_ANSWERS = 1e-6, (1, 2, 4, 8, 12, 16)
PARTS = ("steps", "pass", "mass", "memory")
STEPS = Table("million", "steps", {"n": (SMALL, FULL), "step": str})
PASS = Table("million", "pass", {"n": (SMALL, 100_000, FULL), "d": (5, 20, 64, 128)})
MASS = Table("million", "mass", {"n": (SMALL, FULL), "d": (5, 64), "answers": MASS_ANSWERS})
MEMORY = Table("million", "memory", {"n": (SMALL, FULL), "strategy": ("posterior", "gauss")})
STRATEGIES: dict[str, Any] = {"posterior": l2s.PosteriorSearch, "gauss": l2s.GaussSearch}


def items(n: int, d: int) -> Any:
    return np.random.default_rng([SEED, n, d]).standard_normal((n, d), dtype=np.float32)


def compile_all(d: int) -> None:
    """Every step once, with as few items as are kept in float32."""
    space = l2s.Embedding(items((1 << 22) // d + 1, d))
    for strategy in STRATEGIES.values():
        search = strategy(space, NOISE, seed=SEED)
        for _ in range(2):
            search.tell(search.ask(SHOWN)[0])
            search.top(10)
        search.undo()
        l2s.Search.from_dict(search.to_dict(), space)


class Stopwatch:
    """The best CPU and wall time of each step, in milliseconds."""

    def __init__(self) -> None:
        self.times: dict[str, tuple[float, float]] = {}

    def __call__(self, step: str, function: Callable[[], Any]) -> Any:
        cpu, wall = time.process_time(), time.perf_counter()
        result = function()
        spent = 1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)
        before = self.times.get(step, spent)
        self.times[step] = min(before[0], spent[0]), min(before[1], spent[1])
        return result


def our_steps(watch: Stopwatch, x: Any, repetitions: int) -> None:
    space = watch("Embedding", lambda: l2s.Embedding(x, copy=False))
    search = watch("first PosteriorSearch", lambda: l2s.PosteriorSearch(space, NOISE, seed=SEED))
    watch("next PosteriorSearch", lambda: l2s.PosteriorSearch(space, NOISE, seed=SEED))
    for _ in range(max(repetitions, ANSWERS)):
        query = watch("ask", lambda: search.ask(SHOWN))
        watch("tell", partial(search.tell, query[0]))
        watch("top", lambda: search.top(10))
    while len(search.log) > ANSWERS:
        watch("undo", search.undo)
    watch("undo", search.undo)
    search.tell(search.ask(SHOWN)[0])
    state = watch("first to_dict", search.to_dict)
    for _ in range(min(repetitions, 3)):
        watch(f"from_dict, {ANSWERS} answers", lambda: l2s.Search.from_dict(state, space))
    watch("begin_near", lambda: search.begin_near([0]))
    gauss = watch("first GaussSearch", lambda: l2s.GaussSearch(space, NOISE, seed=SEED))
    for _ in range(repetitions):
        query = watch("gauss: ask", lambda: gauss.ask(SHOWN))
        watch("gauss: tell", partial(gauss.tell, query[0]))
        watch("gauss: top" if "gauss: first top" in watch.times else "gauss: first top", lambda: gauss.top(10))


# --- plain NumPy ------------------------------------------------------------------------------------


def plain_tell(p: Array, x: Any, query: list[int]) -> Array:
    """The posterior after a click on the first of the query, by the same steps as `learn2search/click.py`."""
    c, rivals = query[0], query[1:]
    u = x[c] - x[rivals]
    w = u / np.linalg.norm(u, axis=1, keepdims=True)
    means = (x @ w.T - np.sum(w * (x[c] + x[rivals]) / 2, axis=1)).T
    cov = np.repeat((NOISE**2 * w @ w.T)[:, :, None], len(x), axis=2)
    p = p.copy()
    for j in range(len(rivals)):
        root = np.sqrt(cov[j, j])
        z = np.clip(means[j] / root, -6, 6)
        chance = special.ndtr(z)
        p *= chance
        h = np.exp(-z * z / 2) / np.sqrt(2 * np.pi) / chance
        bend = h * (h + z) / cov[j, j]
        for q in range(j + 1, len(rivals)):
            means[q] += cov[j, q] * h / root
            for r in range(q, len(rivals)):
                cov[q, r] -= cov[j, q] * cov[j, r] * bend
    p[query] = 0.0
    return np.asarray(p / p.sum())


def plain_nearest(x: Any, points: Any) -> list[int]:
    found = []
    for point in points:
        difference = x - point
        found.append(int(np.argmin(np.einsum("ij,ij->i", difference, difference))))
    return found


def plain_top(x: Any, mean: Array, cov: Array) -> list[int]:
    """The ten items of highest density, and all densities to make them sum to 1."""
    whitened = (x - mean.astype(np.float32)) @ np.linalg.inv(np.linalg.cholesky(cov)).T.astype(np.float32)
    log_density = -0.5 * np.einsum("ij,ij->i", whitened, whitened).astype(float)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    best = np.argpartition(-density, 9)[:10]
    return [int(item) for item in best[np.argsort(-density[best])]]


def plain_steps(watch: Stopwatch, x: Any, repetitions: int) -> None:
    p, query = np.full(len(x), 1.0 / len(x)), [0, 1, 2, 3]
    points, mean, cov = x[:SHOWN] + np.float32(0.1), x.mean(axis=0, dtype=float), np.eye(x.shape[1])
    for _ in range(min(repetitions, 3)):
        watch("tell", lambda: plain_tell(p, x, query))
        watch("gauss: ask", lambda: plain_nearest(x, points))
        watch("gauss: top", lambda: plain_top(x, mean, cov))


# --- measuring --------------------------------------------------------------------------------------


def step_times(n: int, repetitions: int) -> list[Row]:
    compile_all(D)
    x = items(n, D)
    ours, plain = Stopwatch(), Stopwatch()
    our_steps(ours, x, repetitions)
    plain_steps(plain, x, repetitions)
    found = []
    for step, (cpu, wall) in ours.times.items():
        row: Row = {"step": step, "cpu": round(cpu, 2), "wall": round(wall, 2)}
        if step in plain.times:
            row |= {"numpy": round(plain.times[step][0], 2), "ratio": round(plain.times[step][0] / cpu, 1)}
        found.append(row)
    return found


def pass_time(n: int, d: int, repetitions: int) -> Row:
    compile_all(d)
    search = l2s.PosteriorSearch(l2s.Embedding(items(n, d), copy=False), NOISE, seed=SEED)
    watch = Stopwatch()
    for _ in range(repetitions):
        query = search.ask(SHOWN)
        watch("tell", partial(search.tell, query[0]))
    return {"cpu": round(watch.times["tell"][0], 2)}


def mass_held(n: int, d: int, repetitions: int) -> list[Row]:
    """The share of the items that hold all but `LEFT_OUT` of the probability, before the target was shown."""
    generator, x = np.random.default_rng([SEED, n, d]), items(n, d)
    space = l2s.Embedding(x, copy=False)
    shares: dict[int, list[float]] = {answers: [] for answers in MASS_ANSWERS}
    for one in range(repetitions):
        search, target = l2s.PosteriorSearch(space, NOISE, seed=one), int(generator.integers(n))
        for answers in range(1, max(MASS_ANSWERS) + 1):
            query = list(search.ask(SHOWN))
            if target in query:
                break
            perceived = x[target] + NOISE * generator.standard_normal(d)
            search.tell(query[int(np.argmin(np.sum((x[query] - perceived) ** 2, axis=1)))])
            if answers in shares:
                left = np.cumsum(np.sort(search.probability()))
                shares[answers].append(1.0 - float(np.searchsorted(left, LEFT_OUT)) / n)
    return [
        {"answers": answers, "share": round(float(np.mean(found)), 5), "searches": len(found)}
        for answers, found in shares.items()
        if found
    ]


def memory_held(n: int, strategy: str) -> Row:
    compile_all(D)
    before = memory.held()
    memory.begin_new_peak()
    space = l2s.Embedding(items(n, D), copy=False)
    search = STRATEGIES[strategy](space, NOISE, seed=SEED)
    for _ in range(3):
        search.tell(search.ask(SHOWN)[0])
        search.top(10)
    peak, size = memory.peak() - before, space.mean.nbytes
    further, between = [], memory.held()
    for _ in range(8):
        further.append(STRATEGIES[strategy](space, NOISE, seed=SEED))
        further[-1].tell(further[-1].ask(SHOWN)[0])
        further[-1].top(10)
    return {
        "array_mb": round(size / 2**20, 1),
        "peak": round(peak / size, 3),
        "bytes_a_search": round((memory.held() - between) / len(further) / n, 1),
    }


def alone(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same in a new process."""
    return lambda **case: in_new_process(function, **case)


def run(study: Study) -> None:
    n = SMALL if study.quick else FULL
    repetitions = study.repetitions or (2 if study.quick else 12)
    if study.wants("steps"):
        study.measure(STEPS, alone(step_times), [{"n": n, "repetitions": repetitions}])
    if study.wants("pass"):
        sizes = [(SMALL, 64)] if study.quick else [(100_000, 64), (FULL, 5), (FULL, 20), (FULL, 64), (FULL, 128)]
        study.measure(PASS, alone(pass_time), [{"n": n, "d": d, "repetitions": repetitions} for n, d in sizes])
    if study.wants("mass"):
        spaces = [(SMALL, 64)] if study.quick else [(FULL, 5), (FULL, 64)]
        study.measure(MASS, alone(mass_held), [{"n": n, "d": d, "repetitions": repetitions // 2} for n, d in spaces])
    if study.wants("memory"):
        study.measure(MEMORY, alone(memory_held), [{"n": n, "strategy": one} for one in STRATEGIES])


def report(results: Results) -> None:
    table = []
    for row in results.select(STEPS):
        beside = [f"{row['numpy']:.1f}", f"{row['ratio']:.1f}"] if "numpy" in row else ["", ""]
        table.append([f"{row['n']:,}", row["step"], f"{row['cpu']:.1f}", f"{row['wall']:.1f}", *beside])
    print_table("Steps, ms", ["items", "step", "CPU", "wall", "NumPy, CPU", "times as long"], table)
    table = [[f"{row['n']:,}", str(row["d"]), f"{row['cpu']:.1f}"] for row in results.select(PASS)]
    print_table("One `tell`, four shown", ["items", "features", "CPU, ms"], table)
    table = [
        [f"{row['n']:,}", str(row["d"]), str(row["answers"]), f"{row['share']:.1%}", str(row["searches"])]
        for row in results.select(MASS)
    ]
    columns = ["items", "features", "answers", "share of the items", "searches"]
    print_table(f"Items that hold all but {LEFT_OUT} of the probability", columns, table)
    table = [
        [f"{row['n']:,}", row["strategy"], f"{row['array_mb']}", f"{row['peak']:.2f}", f"{row['bytes_a_search']}"]
        for row in results.select(MEMORY)
    ]
    columns = ["items", "strategy", "array, MB", "peak / array", "bytes an item, a further search"]
    print_table("Memory", columns, table)


if __name__ == "__main__":
    main("million")
