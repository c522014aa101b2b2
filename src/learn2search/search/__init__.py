"""Search strategies: what to ask next, and what an answer means."""
