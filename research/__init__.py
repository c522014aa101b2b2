"""The paper's experiments and our benchmarks, one module a figure or question: `python -m research.figure2`."""
