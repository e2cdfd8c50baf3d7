# Needs make and Python 3.11 or newer; all the rest is installed into $(VENV) on first use.
#
#   make report ARGS="..."    options handed on to the command
#   make test PYTHON=/path    build $(VENV) with this interpreter

VENV := .venv
PYTHON := python3.13 python3.12 python3.11 python3
ARGS :=
bin := $(VENV)/bin

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help report test bench guard lint docs dev clean unsound

help:
	@echo "make report   draw problems, check the claims, write the margin report"
	@echo "make test     run the tests and the property tests"
	@echo "make bench    time the simulator and its peers, write reports/performance/ (ARGS=--long for all of it)"
	@echo "make guard    check the stored baseline again (ARGS='--every 3' for a third of it)"
	@echo "make lint     style, types and import rules"
	@echo "make docs     build the documentation in site/"
	@echo "make dev      only set up $(VENV) with every tool"
	@echo "make clean    remove $(VENV), builds and caches; reports stay"

# Exit codes 1 and 3 say that a claim failed or stayed open; the report is written all the same.
report: $(VENV)/.ready-core
	@$(bin)/verify report $(ARGS) || [ $$? -eq 1 ] || [ $$? -eq 3 ]

test: $(VENV)/.ready-test
	@$(bin)/python -m pytest tests properties $(ARGS)

bench: $(VENV)/.ready-bench
	@$(bin)/python -m pytest tests/benchmarks --benchmark-enable --performance reports/performance $(ARGS)

guard: $(VENV)/.ready-core
	@$(bin)/verify guard $(ARGS)

lint: $(VENV)/.ready-dev
	@$(bin)/ruff check .
	@$(bin)/ruff format --check .
	@$(bin)/mypy
	@$(bin)/lint-imports

docs: $(VENV)/.ready-docs
	@NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --strict --quiet

dev: $(VENV)/.ready-dev

clean:
	rm -rf $(VENV) .venv-ci build dist site .benchmarks .hypothesis
	rm -rf .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find tests verify properties -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# An environment is sound when its last installation finished, in this very folder, and its interpreter still runs.
# One that is not (interrupted, copied, its Python gone) is built anew; one older than pyproject.toml is updated.
marker := $(VENV)/.built-in
sound := $(shell [ "$$(cat $(marker) 2>/dev/null)" = "$$(pwd)" ] && $(bin)/python -c "" 2>/dev/null && echo yes)

$(VENV)/.ready-%: pyproject.toml $(if $(sound),,unsound)
	@echo "Setting up $(VENV) ($*); the first time takes a minute or two ..."
	@rm -f $(marker)
	@$(if $(sound),true,$(create_venv))
	@$(bin)/python -m pip install -qq --disable-pip-version-check --editable "$(if $(filter core,$*),.,.[$*])"
	@pwd > $(marker)
	@touch $@

define create_venv
for python in $(PYTHON); do \
    if $$python -c "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then \
        exec $$python -m venv --clear $(VENV); \
    fi; \
done; \
echo "No Python 3.11 or newer with the venv module found; tried: $(PYTHON)." >&2; \
echo "Install one (on Debian and Ubuntu also python3-venv), or name it: make PYTHON=/path/to/python3 ..." >&2; \
exit 1
endef
