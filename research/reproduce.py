"""Run the paper's experiments, and put each of its claims beside what was measured.

Without --full, small sizes: results and report are in research/results, and only show that everything runs. With
--full, sizes as in the paper. What is in the result files is not measured again, so only what is missing is (Figure 2
repeats everything 100 times: days; --repetitions 3 is enough to see it). The report is
docs/research/reproduction.md. Whatever is stopped by Ctrl-C goes on with the same command.

figure1                questions and time per step against n, known features
figure2                blind search on red wine and music
figure3                the face search, with simulated people through the real site
supplement_dimension   accuracy against the number of axes, Music artists and Food
supplement_map         two principal components of the learnt faces
theorem1, theorem2, lemma, scaling
"""

import argparse
import sys
import time
import traceback

from research import report
from research.study import conduct, options

PARTS = report.EXPERIMENTS


def finished(name: str, given: argparse.Namespace) -> bool:
    """Run one experiment. One that fails says why; the others run all the same."""
    began = time.monotonic()
    print(f"== {name}", file=sys.stderr, flush=True)
    try:
        conduct(name, given)
    except SystemExit as error:
        print(error, file=sys.stderr)
        return False
    except Exception:
        traceback.print_exc()
        return False
    print(f"== {name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return True


def main() -> None:
    given = options(sys.modules[__name__], program="learn2search reproduce")
    names = () if given.report else given.only or PARTS
    try:
        failed = [name for name in names if not finished(name, given)]
    except KeyboardInterrupt:
        raise SystemExit("\nstopped: the same command goes on from here") from None
    print(f"wrote {report.write(given.quick)}")
    if failed:
        raise SystemExit(f"these did not finish, their messages stand above: {', '.join(failed)}")


if __name__ == "__main__":
    main()
