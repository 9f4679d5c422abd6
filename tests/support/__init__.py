"""Populations, oracles and whole audits for tests and benchmarks."""
