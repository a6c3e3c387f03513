# Everything a person types. Needs Python 3.11 or newer and a package index; the rest is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

MAKEFLAGS += --no-print-directory
export UV_PROJECT_ENVIRONMENT := .venv
export UV_PYTHON_DOWNLOADS := never
unexport VIRTUAL_ENV

.DEFAULT_GOAL := help
.PHONY: help demo up test lint chaos bench eval-boundaries eval-closing eval-analysis migrate clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

demo: $(READY) ## chat turns become memories, from start to end, in a minute
	@$(BIN)/hmind demo

up: $(READY) ## workers, Beat and Flower with their stores, until Ctrl-C
	@$(BIN)/hmind up

test: lint ## every check and every test
	@$(BIN)/pytest -q

lint: $(READY) ## style, types and the arrows between rooms
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "Not formatted. Run: $(BIN)/ruff format ." >&2; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports > .venv/lint-imports.txt || { cat .venv/lint-imports.txt; exit 1; }

chaos: $(READY) ## only the tests that kill processes on purpose
	@$(BIN)/pytest -q -m chaos

bench: $(READY) ## speed and quality, measured on this machine
	@$(BIN)/python -m benchmarks

eval-boundaries: $(READY) ## how well it hears where topics end, beside published figures
	@$(BIN)/hmind eval boundaries

eval-closing: $(READY) ## how well it hears farewells and thanks
	@$(BIN)/hmind eval closing

eval-analysis: $(READY) ## what is kept of a talk, facts and times, against labelled data
	@$(BIN)/hmind eval analysis

migrate: $(READY) ## the database to the schema of this version
	@$(BIN)/hmind migrate

clean: ## removes .venv and caches; memories stay where they are
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# pip knows the index that this machine uses, which uv may not: so pip is asked when uv fails.
$(READY): pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "H-Mind needs Python 3.11 or newer, and $(PYTHON) is not. Run: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Installing into .venv, once; this takes a minute or two ..." >&2
	@$(BIN)/python -c 'import pip' 2>/dev/null || { rm -rf .venv; $(PYTHON) -m venv .venv > /dev/null 2>&1; } || { rm -rf .venv; \
	  echo "$(PYTHON) cannot make virtual environments. On Debian or Ubuntu run: apt-get install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv || { \
	  echo "pip cannot reach a package index. Check the network, or set PIP_INDEX_URL." >&2; exit 1; }
	@$(BIN)/uv sync --frozen --all-extras --quiet || { \
	  echo "uv could not install it; trying pip with its own index ..." >&2; \
	  $(BIN)/uv export --frozen --all-extras --no-emit-project --quiet --output-file .venv/requirements.txt && \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check --requirement .venv/requirements.txt && \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --editable .; } || { \
	  echo "The packages of uv.lock could not be installed. The lines above say which one and why." >&2; exit 1; }
	@touch $@
