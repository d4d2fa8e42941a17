# On a fresh clone with nothing but Python >= 3.11 and make: `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test check docs bench clean

help:  ## List the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 8

demo: $(VENV)/.package  ## Cluster images of digits, write a report
	$(BIN)/tripletree demo --force

test: $(VENV)/.dev  ## Run all tests
	$(BIN)/python -m pytest

check: $(VENV)/.dev  ## Lint, check the format and the types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.docs  ## Build the documentation into build/docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -b html -d build/doctrees docs build/docs

bench: $(VENV)/.bench  ## Measure speed and memory beside the peers
	$(BIN)/python -m benchmarks

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) build docs/reference .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.pip:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("tripletree needs Python 3.11 or newer, this is %s. Try: make PYTHON=python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	touch $@

$(VENV)/.package: $(VENV)/.pip pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/.docs: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

$(VENV)/.bench: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group bench
	touch $@
