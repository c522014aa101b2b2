"""The compiled engine: how a fit runs on the CPU."""
