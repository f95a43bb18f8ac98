# `make help` lists the targets. Everything is installed into .venv, from lock files with hashes.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
export PYTHONUTF8 = 1

.DEFAULT_GOAL := help
.PHONY: help demo test lint format bench lab lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "EchoVessel needs Python 3.11 or newer. Name one: make PYTHON=/path/to/python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The stamps are newer than the lock they were installed from; dev.txt holds all of demo.txt.
$(VENV)/.demo: requirements/demo.txt pyproject.toml $(VENV)/.made
	$(PIP) install --quiet --require-hashes -r requirements/demo.txt
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml $(VENV)/.made
	$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $(VENV)/.demo $@

demo: $(VENV)/.demo  ## open the workbench on the sample memory; DEMO_ARGS="--no-browser --port 7861"
	$(BIN)/echovessel demo $(DEMO_ARGS)

test: $(VENV)/.dev  ## run the tests, two files at a time; TEST_ARGS="-k recall -x -n 0"
	$(BIN)/python -m pytest -n 2 --dist loadfile $(TEST_ARGS)

lint: $(VENV)/.dev  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## lay the code out
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(VENV)/.dev  ## recall on our own labelled set; BENCH_ARGS="--dataset locomo --path FILE"
	$(BIN)/echovessel bench recall $(or $(BENCH_ARGS),--dataset own)

# What asks whether it may fetch Jupyter's news, and looks for updates, is switched off.
$(VENV)/.lab: $(VENV)/.dev
	$(BIN)/jupyter labextension disable --level=sys_prefix "@jupyterlab/apputils-extension:announcements"
	@touch $@

lab: $(VENV)/.lab  ## open the notebooks in JupyterLab
	$(BIN)/jupyter lab notebooks

# Universal: one file for Linux, macOS and Windows, for every Python from 3.11. demo.txt and
# embedders.txt are held to dev.txt, so that one .venv can hold all three.
COMPILE = UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --generate-hashes \
          --python-version 3.11 --no-emit-index-url --no-emit-find-links --no-annotate $(LOCK_ARGS)

lock: $(VENV)/.made  ## write the lock files anew; LOCK_ARGS=--upgrade takes newer releases
	$(PIP) install --quiet uv
	$(COMPILE) pyproject.toml --extra dev -o requirements/dev.txt
	$(COMPILE) pyproject.toml requirements/build.in --extra app --extra llm --extra serve --extra distill -c requirements/dev.txt -o requirements/demo.txt
	$(COMPILE) pyproject.toml requirements/embedders.in --extra st --extra e5 \
	  --override requirements/no-torch.txt -c requirements/dev.txt -o requirements/embedders.txt

clean:  ## remove .venv and all that was built or cached
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
