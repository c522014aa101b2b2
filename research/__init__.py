"""The paper's experiments and our benchmarks, one module a figure or question: `python -m research.figure2`.

A module measures what is missing (`run`), prints tables (`report`), draws a figure (`plot`) and judges the paper's
claims (`CLAIMS`); it need not have all of them. Results are tidy rows (`rows.py`) in `results/`.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
