# On a fresh clone with nothing but Python >= 3.11 and make: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
CORES := -n auto --dist worksteal
# Keep what Python compiles: tests, and all processes that they start, begin sooner.
export PYTHONDONTWRITEBYTECODE :=
# What is tested with other versions: all but the repository itself, in some minutes.
OF_PACKAGE := tests/unit tests/contract/test_version.py tests/contract/test_estimators.py

.PHONY: help demo picture quick test stress plain coverage mutation check docs bench dist distdemo distcheck audit oldest clean

help:  ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# The first time, two processes compile, and one of them says how far it is.
SILENT := from tripletree._first_run import compile_kernels as compile
SAYING := from tripletree.commands.console import compile_first as compile

demo: $(VENV)/.package  ## Cluster everyday things, write a report
	@$(BIN)/python -c "$(SILENT); compile(46, part=1, n_parts=2)" & $(BIN)/python -c "$(SAYING); compile(46, part=0, n_parts=2)"; wait
	@$(BIN)/tripletree demo --force
	@echo "where the shell does not find tripletree: it is $(BIN)/tripletree"

picture: $(VENV)/.dev  ## Take the picture of the README from the page of the demo
	mkdir -p build
	$(BIN)/tripletree demo --force -o build/demo.html
	$(BIN)/python docs/picture.py build/demo.html

quick: $(VENV)/.dev  ## Run the quick tests, in a minute: units, properties, theorems
	$(PYTEST) -q $(CORES) -m "not slow" --hypothesis-profile=quick tests/unit tests/properties tests/theorems

test: $(VENV)/.dev  ## Run all tests
	$(PYTEST) $(CORES)

stress: $(VENV)/.dev  ## Run what is never in the gate, by hand: signals, memory, speed
	$(PYTEST) -m stress

# As plain Python every kernel shows its bounds errors, and which lines were run.
plain: $(VENV)/.dev  ## Run the tests of kernels, without compiling them
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(CORES) -m "not slow and not compiled" tests/unit tests/properties tests/theorems

coverage: $(VENV)/.dev  ## Run all tests and those of kernels; which lines and branches ran
	rm -rf build/coverage
	mkdir -p build/coverage
	$(MAKE) test plain PYTEST="$(BIN)/python -m coverage run -m pytest"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet --fail-under=0
	$(BIN)/python -m coverage report

# In a copy, because cosmic-ray changes the sources; a run that was stopped goes on.
FAULTS := 200
MUTATION := build/mutation
COSMIC := cd $(MUTATION) && PATH="$(abspath $(BIN)):$$PATH" NUMBA_DISABLE_JIT=1 CI=1 PYTHONPATH=src
SAMPLE := INSERT INTO work_results (worker_outcome, job_id) SELECT 'SKIPPED', job_id FROM work_items \
	WHERE job_id NOT IN (SELECT job_id FROM work_results) ORDER BY random() LIMIT -1 OFFSET $(FAULTS)
mutation: $(VENV)/.mutation $(MUTATION)/faults.sqlite  ## Put FAULTS small faults into objective/, one at a time: which does no test catch?
	$(COSMIC) cosmic-ray exec tests/mutation.toml faults.sqlite
	$(COSMIC) cr-report --surviving-only --show-diff faults.sqlite

$(MUTATION)/faults.sqlite:
	rm -rf $(MUTATION)
	mkdir -p $(MUTATION)
	cp -r src tests pyproject.toml $(MUTATION)
	$(COSMIC) cosmic-ray init tests/mutation.toml new.sqlite
	$(COSMIC) cr-filter-operators new.sqlite tests/mutation.toml
	$(COSMIC) python -c 'import sys, sqlite3; db = sqlite3.connect("new.sqlite"); db.execute(sys.argv[1]); db.commit()' "$(SAMPLE)"
	mv $(MUTATION)/new.sqlite $@

check: $(VENV)/.dev  ## Lint, check the format, the types and the words
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	$(BIN)/python -m tests.words

docs: $(VENV)/.docs  ## Build the documentation into build/docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -b html -d build/doctrees docs build/docs

bench: $(VENV)/.bench  ## Measure speed and memory beside the peers
	$(BIN)/python -m benchmarks

dist: $(VENV)/.release  ## Build the sdist and the wheel into dist
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

# The sources are removed, so that only the installed package can be run and tested.
distdemo: dist  ## Try the wheel in an empty environment: the demo
	rm -rf build/distcheck
	mkdir -p build/distcheck
	tar -xzf dist/tripletree-*.tar.gz -C build/distcheck --strip-components 1
	rm -r build/distcheck/src
	$(PYTHON) -m venv build/distcheck/.venv
	build/distcheck/.venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	build/distcheck/.venv/bin/python -m pip install --quiet dist/tripletree-*.whl
	cd build/distcheck && .venv/bin/tripletree --version && .venv/bin/tripletree demo --force

distcheck: distdemo  ## Try the wheel in an empty environment: the demo, then the unit tests
	cd build/distcheck && .venv/bin/python -m pip install --quiet --group test
	cd build/distcheck && .venv/bin/python -m pytest -q -m "not slow" $(OF_PACKAGE)

audit: $(VENV)/.release  ## Ask PyPI for known vulnerabilities of everything that is installed
	mkdir -p build
	$(BIN)/python -m pip freeze --exclude-editable > build/audit.txt
	$(BIN)/python -m pip_audit --strict --disable-pip --no-deps --requirement build/audit.txt

oldest:  ## Run the unit tests with the oldest supported versions of everything
	$(PYTHON) -m venv --clear build/oldest
	build/oldest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	build/oldest/bin/python -m pip install --quiet --constraint tests/oldest.txt --editable . --group test
	build/oldest/bin/python -m pytest -q -m "not slow" $(OF_PACKAGE)

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) build dist docs/reference .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("tripletree needs Python 3.11 or newer, this is %s. Try: make PYTHON=python3.11" % sys.version.split()[0])'
	@echo "Making an environment for Python in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@touch $@

# Python compiles what is imported, when it is: most modules of the packages never are.
$(VENV)/.package: $(VENV)/.pip pyproject.toml
	@echo "Installing tripletree and the packages that it needs (some 600 MB on disk)"
	@$(BIN)/python -m pip install --no-compile --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/.docs: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

$(VENV)/.bench: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group bench
	touch $@

$(VENV)/.mutation: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --group mutation
	touch $@

$(VENV)/.release: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group release
	touch $@
