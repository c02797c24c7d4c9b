# Everything anyone runs: `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

.PHONY: demo test test-slow lint types check fuzz mutants bench clean clean-cache help

help:
	@echo "make demo       8-queens on every solver, compared with each other and with the published count"
	@echo "make test       the tests"
	@echo "make check      lint, types and tests"
	@echo "make fuzz       random models on all solvers against brute force"
	@echo "make mutants    faults planted in our own code, one by one: who notices them (about an hour)"
	@echo "make bench      measured comparisons, printed as tables"
	@echo "make test-slow  tests that take minutes"

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" "setuptools>=77"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group test --group lint
	touch $(READY)

demo: $(READY)
	$(BIN)/python examples/01_demo.py

test: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not slow"

test-slow: $(READY)
	$(BIN)/python -m pytest -q -m slow

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

check: lint types test

fuzz: $(READY)
	$(BIN)/cpqueens fuzz --models 2000 --seed 0

mutants: $(READY)
	$(BIN)/python tests/mutants/run.py --processes $(WORKERS)

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group benchmark
	for file in tests/benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

clean-cache:
	find . -name "*.nbi" -delete -o -name "*.nbc" -delete

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
