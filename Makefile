PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint check-slow mutants bench pictures docs clean

demo: $(VENV)/ready
	$(BIN)/matchbound demo --out build/demo --force

test: $(VENV)/ready
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow"

lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check-slow: $(VENV)/ready
	$(BIN)/pytest -n 2 -m slow

mutants: $(VENV)/ready
	PYTHONPATH=tests $(BIN)/python -m support.mutants --sample 100

pictures: $(VENV)/ready
	$(BIN)/python benchmarks/pictures.py

docs: $(VENV)/docs
	PYTHONPATH=docs $(BIN)/python -m website

bench: $(VENV)/ready
	$(BIN)/python benchmarks/bounds.py
	$(BIN)/python benchmarks/tightness.py
	$(BIN)/python benchmarks/census.py
	$(BIN)/python benchmarks/matchers.py
	$(BIN)/python benchmarks/label.py
	$(BIN)/python benchmarks/planning.py
	$(BIN)/python benchmarks/start.py

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "matchbound needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

$(VENV)/docs: $(VENV)/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
