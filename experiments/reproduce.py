"""Every experiment of the paper, one after the other, and the report: what `learn2search reproduce` runs.

Each experiment is a process of its own, so that what it learnt, allocated or compiled is gone when the next begins.
"""

import argparse
import subprocess
import sys
import time

import report
from study import HERE, add_options


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--only", action="append", choices=report.EXPERIMENTS, help="this experiment; may be repeated")
    parser.add_argument("--report", action="store_true", help="measure nothing, only write the report")
    return parser.parse_args()


def command(name: str, options: argparse.Namespace) -> list[str]:
    given = ["--full" if options.full else "--quick", "--workers", str(options.workers)]
    given += ["--fresh"] if options.fresh else []
    given += ["--repetitions", str(options.repetitions)] if options.repetitions else []
    given += ["--scheduler", options.scheduler] if options.scheduler else []
    return [sys.executable, str(HERE / f"{name}.py"), *given]


def wait_for(line: list[str]) -> int:
    """The exit status of a command. Ctrl-C reaches it too: it may end in its own way before all ends."""
    with subprocess.Popen(line) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.wait()
            raise SystemExit(130) from None


def main() -> None:
    options, failed = arguments(), []
    for name in () if options.report else options.only or report.EXPERIMENTS:
        began = time.monotonic()
        print(f"== {name}", file=sys.stderr, flush=True)
        failed += [name] if wait_for(command(name, options)) else []
        print(f"== {name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    path = report.write(quick=options.quick or not (options.full or options.report))
    print(f"wrote {path}")
    if failed:
        raise SystemExit(f"these did not finish, their messages stand above: {', '.join(failed)}")


if __name__ == "__main__":
    main()
