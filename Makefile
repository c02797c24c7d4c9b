# Everything anyone runs: `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PROCESSES ?= 2
# One more than processors: many tests wait, for a child, a signal or a clock.
WORKERS ?= 3
MODELS ?= 2000
RUNS ?= 10000
QUEENS ?= 12
BENCHMARK := .venv-benchmark
LOWEST := .venv-lowest
# NuCS 19 needs Python 3.12; with an older one NuCS 14 is measured.
BENCHMARK_PYTHON ?= $(shell for p in python3.14 python3.13 python3.12; do \
	$$p -m venv --help > /dev/null 2>&1 && echo $$p && exit; done; echo $(PYTHON))
# A Python 3.11: some of the lowest versions have no build for a newer one.
LOWEST_PYTHON ?= $(PYTHON)
# Enough to see that an interface which the lowest versions lack is used: modelling, each backend in plain form,
# and one kernel in compiled form.
LEAN := tests/test_packaging.py tests/language/test_expressions.py tests/language/test_definitions.py tests/solving/test_solve.py \
	tests/backends/test_cpsat.py tests/backends/test_python_constraint.py \
	tests/answers/test_quality.py tests/cli/test_output.py
LEAN_KERNELS := tests/kernels/boards/test_bitmask.py
# Libraries are compiled as they are imported: of their 10,000 files few ever are.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile
# Tests start hundreds of processes; without bytecode each would read all of the package's text anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo docs docs-benchmarks docs-benchmarks-long docs-browser docs-figures docs-links warm gallery test test-slow lint types check lowest fuzz proofs cluster-demo kills mutants intervals experiments bench clean clean-cache help

help:
	@echo "make demo       8-queens on every solver, compared with each other and with the published count"
	@echo "make gallery    a page with a picture and the model of every problem: gallery.html"
	@echo "make test       the tests"
	@echo "make check      lint, types and tests"
	@echo "make lowest     a part of the tests with the lowest versions of all libraries"
	@echo "make fuzz       random models on all solvers against brute force"
	@echo "make cluster-demo  a count on a scheduler and two workers on this machine"
	@echo "make kills      coordinators and workers of long counts killed 100 times each, schedulers 10 times (half an hour)"
	@echo "make mutants    faults planted in our own code, one by one: who notices them (about an hour)"
	@echo "make bench      measured comparisons, printed as tables; objectives over time as pictures, curves.html"
	@echo "make intervals  how often the laboratory's intervals hold the truth, on synthetic runs"
	@echo "make docs       the site, in build/site; its code runs while it is built"
	@echo "make docs-benchmarks  charts of the site's benchmarks and README's table, measured afresh: minutes"
	@echo "make docs-benchmarks-long  the other charts, measured afresh: hours"
	@echo "make docs-browser  every page of the site in a headless chromium: phone, wide screen, paper"
	@echo "make docs-figures  what the site quotes of measurements, measured afresh: minutes"
	@echo "make docs-links  whether the site's links to elsewhere still lead somewhere; needs a network"
	@echo "make experiments  the classical texts reproduced, as experiments.html"
	@echo "make proofs     published counts of queens proved and checked, and what proofs cost"
	@echo "make test-slow  all tests, those that take minutes among them, with every seed"

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --upgrade "pip>=25.1" "setuptools>=77"
	$(BIN)/python $(INSTALL) --editable . --group test --group lint
	$(BIN)/python $(INSTALL) --only-binary :all: --group provers || echo "Pumpkin has no wheel for this machine: its tests are skipped"
	touch $(READY)

demo: $(READY)
	$(BIN)/python examples/01_demo.py

# QUEENS: up to how many; 12 are 14,200 solutions, a few minutes.
proofs: $(READY)
	$(BIN)/python tests/proofs/published.py $(QUEENS)

# Of what `cpqueens doctor --compile` compiles, each kernel once: what the tests need.
warm: $(READY)
	$(BIN)/python -m cpqueens.cli.warming

# Each worker would rewrite the assertions of all tests, to say which values an expression had that is false:
# what fails is run again with that.
test: warm
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow" --assert=plain || { test $$? -ne 1 || \
		$(BIN)/python -m pytest -q -m "not slow" --last-failed --last-failed-no-failures none; exit 1; }

# What is marked as slow, and all else with every seed of its sweeps.
test-slow: warm
	CPQUEENS_LONG_TESTS=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -j 2 -b html docs build/site

# Figures that the site quotes and the build would take too long to measure; each page names their command.
docs-figures: $(READY)
	mkdir -p build
	$(BIN)/cpqueens experiments --runs $(RUNS) --json > build/experiments.json
	mv build/experiments.json docs/files/experiments.json
	$(BIN)/python tests/benchmarks/bench_likes.py --out docs/files/likes.json
	$(BIN)/python tests/benchmarks/bench_viewpoints.py --out docs/files/viewpoints.txt

# Looks at every page as a phone, a wide screen and a printer would; wants chromium (apt-get install chromium).
docs-browser: docs
	$(BIN)/python $(INSTALL) --editable . --group browser
	$(BIN)/python -m pytest -q tests/test_docs.py -k browser

docs-links: $(VENV)/.docs
	-$(BIN)/python -m sphinx -q -b linkcheck -D nb_execution_mode=off docs build/links
	$(BIN)/python docs/generating/elsewhere.py build/links/output.json

$(VENV)/.docs: $(READY)
	$(BIN)/python $(INSTALL) --editable . --group docs
	touch $@

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

check: lint types test
	$(BIN)/python tests/shape.py

fuzz: $(READY)
	$(BIN)/cpqueens fuzz --models $(MODELS) --seed 0

gallery: $(READY)
	$(BIN)/cpqueens list --gallery gallery.html

cluster-demo: $(READY)
	$(BIN)/python examples/19_count_on_a_cluster.py 15

kills: warm
	$(BIN)/python -m pytest -q -s -m slow tests/longrun/test_many_kills.py

mutants: $(READY)
	$(BIN)/python tests/mutants/run.py --processes $(PROCESSES)

intervals: $(READY)
	$(BIN)/python tests/lab/interval_coverage.py

experiments: $(READY)
	$(BIN)/cpqueens experiments --runs $(RUNS) --out experiments.html

# NuCS pins its versions of Numba and numpy: an environment of its own, with its own compiled kernels.
bench: $(BENCHMARK)/.ready
	NUMBA_CACHE_DIR=$(BENCHMARK)/numba $(BENCHMARK)/bin/cpqueens doctor --compile
	for file in tests/benchmarks/bench_*.py; do \
		CPQUEENS_KERNELS=compiled NUMBA_CACHE_DIR=$(BENCHMARK)/numba $(BENCHMARK)/bin/python $$file \
		$$(case $$file in *bench_heuristics.py) echo --curves curves.html;; esac) || exit 1; done

# The charts of the site's page on benchmarks: those of minutes, and those that take an hour.
RECORDED = CPQUEENS_KERNELS=compiled NUMBA_CACHE_DIR=$(BENCHMARK)/numba $(BENCHMARK)/bin/python tests/benchmarks
RECORD := --record docs/files/benchmarks
ADAPTED = --against 'costas=$(ADAPTIVE)/costas {n} -s {seed}' --against 'magic=$(ADAPTIVE)/magic-square {n} -s {seed}' \
	--against 'all-interval=$(ADAPTIVE)/all-interval {n} -s {seed}'
docs-benchmarks: $(BENCHMARK)/.ready
	NUMBA_CACHE_DIR=$(BENCHMARK)/numba $(BENCHMARK)/bin/cpqueens doctor --compile
	$(RECORDED)/bench_modelling.py $(RECORD)
	$(RECORDED)/bench_writing.py $(RECORD)
	$(RECORDED)/bench_peers.py $(RECORD)
	$(RECORDED)/bench_exact.py $(RECORD)
	$(RECORDED)/bench_counting.py $(RECORD) $(if $(KLUEV),--sizes 14 15 16 17 18 --against '$(KLUEV)')
	$(RECORDED)/bench_local_search.py queens large $(RECORD)
	$(RECORDED)/bench_local_search.py against --rounds $(if $(ADAPTIVE),100 $(ADAPTED),5) $(RECORD)
	$(RECORDED)/bench_flatzinc.py $(RECORD)
	$(RECORDED)/bench_longrun.py $(RECORD)
	$(BENCHMARK)/bin/python docs/generating/summary.py

docs-benchmarks-long: $(BENCHMARK)/.ready
	NUMBA_CACHE_DIR=$(BENCHMARK)/numba $(BENCHMARK)/bin/cpqueens doctor --compile
	for name in everyone auto classical first handover compare collection heuristics; do \
		$(RECORDED)/bench_$$name.py $(RECORD) || exit 1; done

$(BENCHMARK)/.ready: pyproject.toml
	test -x $(BENCHMARK)/bin/python || $(BENCHMARK_PYTHON) -m venv $(BENCHMARK)
	$(BENCHMARK)/bin/python -c 'import sys; sys.version_info < (3, 12) and print("NuCS 19 is missing, NuCS 14 is measured: BENCHMARK_PYTHON=... names a Python 3.12")'
	$(BENCHMARK)/bin/python $(INSTALL) --upgrade "pip>=25.1" "setuptools>=77"
	$(BENCHMARK)/bin/python $(INSTALL) --editable . --group benchmark
	touch $@

lowest: $(LOWEST)/.ready
	CPQUEENS_KERNELS=plain $(LOWEST)/bin/python -m pytest -q -n $(WORKERS) -p no:cacheprovider $(LEAN) -k "not in_every_context"
	NUMBA_CACHE_DIR=$(LOWEST)/numba $(LOWEST)/bin/python -m pytest -q -p no:cacheprovider $(LEAN_KERNELS)

$(LOWEST)/.ready: pyproject.toml tests/lowest.txt
	test -x $(LOWEST)/bin/python || $(LOWEST_PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python $(INSTALL) --upgrade "pip>=25.1" "setuptools>=77"
	$(LOWEST)/bin/python $(INSTALL) --editable . --group test --constraint tests/lowest.txt
	touch $@

clean-cache:
	find . -name "*.kernel" -delete

clean:
	rm -rf $(VENV) $(BENCHMARK) $(LOWEST) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
