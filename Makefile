# `make help` lists what can be done here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO ?= demo
WORK ?= /var/tmp/tfrec-bench
CONSUMERS ?= .consumers

.DEFAULT_GOAL := help
# Or pytest would compile every test again each time.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/tfrec: setup.cfg pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/dev: $(BIN)/tfrec
	$(BIN)/python -m pip install --quiet --editable '.[dev,heif]'
	@touch $@

install: $(BIN)/tfrec ## Install tfrec into .venv

demo: $(BIN)/tfrec ## Convert sample_data/, verify it, show the result
	rm -rf $(DEMO) $(DEMO)-boxes
	$(BIN)/tfrec convert sample_data/data.csv $(DEMO)
	@echo
	$(BIN)/tfrec verify $(DEMO) --feed-seconds 5
	@echo
	$(BIN)/tfrec convert sample_data/boxes.csv $(DEMO)-boxes
	@echo
	$(BIN)/tfrec verify $(DEMO)-boxes --feed-seconds 1

PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist loadfile

test: lint types ## What to run before a commit: linters, types, and all tests but the thorough ones
	$(PYTEST)

test-all: test ## All of CI: make test, then the thorough tests, and the random ones with more examples
	$(PYTEST) -m 'thorough or hypothesis' --hypothesis-profile thorough

lint: $(VENV)/dev ## ruff and import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/dev ## mypy --strict
	$(BIN)/mypy

format: $(VENV)/dev ## Let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev ## Measure (minutes; see benchmarks/README.md)
	for what in convert verify stores; do $(BIN)/python benchmarks/$$what.py --work $(WORK) || code=$$?; done; exit $${code:-0}

consumers: $(VENV)/dev ## Read records with boxes by the Model Garden's and datumaro's own code (400 MB)
	$(BIN)/python -m pip install --quiet --no-deps --target $(CONSUMERS) tf-models-official tf-keras datumaro \
		attrs cachetools defusedxml imagesize json-stream json-stream-rs-tokenizer lxml opencv-python-headless \
		orjson pyarrow pycocotools PyYAML ruamel.yaml shapely
	PYTHONPATH=$(CONSUMERS) $(BIN)/python -m pytest tests/test_consumers.py

chaos: $(VENV)/dev ## Kill conversions at 200 random moments, and check what is left (minutes)
	$(BIN)/python tests/chaos.py --kills 200

fuzz: $(VENV)/dev ## Hostile testing, at most an hour; FUZZ='--help' lists what can be told
	PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ)

clean: ## Remove what was built; keep .venv
	rm -rf $(DEMO) $(DEMO)-boxes fuzz-failures build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.PHONY: help install demo test test-all lint types format bench consumers chaos fuzz clean
