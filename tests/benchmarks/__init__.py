"""Benchmarks: ratios measured in one run, since machines differ and are noisy. Start with ``make bench``."""
