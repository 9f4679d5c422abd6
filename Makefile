PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

LOWEST := build/lowest

.PHONY: demo test test-lowest lint check-slow mutants bench pictures docs dist release clean

demo: $(VENV)/core
	$(BIN)/matchbound demo --out build/demo --force

test: $(VENV)/ready
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow"

# With the lowest versions that pyproject.toml allows. Kernels that another numba compiled lie beside
# the sources, and two processes that compile at once may read them, so these have their own place.
test-lowest: $(LOWEST)/ready
	NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/kernels $(LOWEST)/bin/pytest -n 2 --dist loadgroup -m "not slow"

lint: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

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

dist: $(VENV)/ready
	$(BIN)/python tools/release.py

release: $(VENV)/ready
	$(BIN)/python tools/release.py "$(VERSION)"

# What users install; the demo needs no more.
$(VENV)/core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "matchbound needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/ready: $(VENV)/core
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

$(LOWEST)/ready: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable ".[dev]"
	@touch $@

$(VENV)/docs: $(VENV)/core
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
