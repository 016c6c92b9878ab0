# `make help` lists what can be done here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO ?= demo
WORK ?= /var/tmp/tfrec-bench
CONSUMERS ?= .consumers
TORCH ?= torch

.DEFAULT_GOAL := help
# Or pytest would compile every test again each time.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/tfrec: setup.cfg setup.py pyproject.toml $(wildcard tfrecordcli/*/native/*)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/dev: $(BIN)/tfrec
	$(BIN)/python -m pip install --quiet --editable '.[dev,heif]'
	@touch $@

# Tools of their own targets alone, which `make test` does not install.
$(VENV)/package $(VENV)/docs: $(BIN)/tfrec
	$(BIN)/python -m pip install --quiet --editable '.[$(@F)]'
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

test-all: test ## All of CI: make test, the thorough tests, random ones with more examples, package and site
	$(MAKE) package site
	@# Files with few tests take longest here, and would come last; many wait more than they compute.
	$(PYTEST) --numprocesses 4 --no-loadscope-reorder -m 'thorough or hypothesis' --hypothesis-profile thorough

coverage: $(VENV)/dev ## Branch coverage of what make test runs, processes included (TESTS='-m ""' for all tests)
	$(BIN)/python -m pip install --quiet 'coverage>=7.10'
	rm -rf build/coverage
	mkdir -p build/coverage
	-$(BIN)/python -m coverage run -m $(wordlist 3,99,$(PYTEST)) --quiet $(TESTS)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered --sort cover

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

SDIST := build/sdist

# pyroma's three points less: of authors, their address and a home page nothing is known (setup.cfg).
package: $(VENV)/package $(VENV)/dev workflows ## Build sdist and wheel, check both, and run tests from the sdist
	rm -rf dist $(SDIST)
	$(BIN)/python -m build > /dev/null
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/check-manifest --no-build-isolation
	$(BIN)/pyroma --min 7 dist/*.tar.gz > /dev/null
	mkdir -p $(SDIST)
	tar -xzf dist/*.tar.gz -C $(SDIST) --strip-components 1
	cd $(SDIST) && PYTHONPATH=. $(abspath $(BIN))/python -m pytest --quiet --collect-only --assert=plain > /dev/null
	cd $(SDIST) && PYTHONPATH=. $(abspath $(BIN))/python -m pytest --quiet tests/test_packaging.py tests/test_schema.py

workflows: $(VENV)/package ## Check .github/ by its schemas and zizmor, and by actionlint where it is installed
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet .github
	if command -v actionlint; then actionlint; fi

wheels: ## Build the wheels of this machine's system for every Python, as a release does
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet abi3audit cibuildwheel click
	$(BIN)/cibuildwheel --output-dir dist
	$(MAKE) check-wheels

check-wheels:
	$(BIN)/abi3audit --strict dist/*.whl
	rm -rf build/wheel
	$(BIN)/python -m pip install --quiet --no-deps --no-index --find-links dist --target build/wheel tfrecordcli
	cd build/wheel && $(abspath $(BIN))/python -m tfrecordcli -V | grep native

check-tag: $(BIN)/tfrec ## Check that TAG=v1.2.3 is the version, and that the changelog has it
	$(BIN)/tfrec -V | grep 'version $(TAG:v%=%) ' || { echo 'TAG=$(TAG) is not the version'; exit 1; }
	grep '^## \[$(TAG:v%=%)\] - ' CHANGELOG.md || { echo 'CHANGELOG.md has no such section'; exit 1; }

release-page: ## Make the page of TAG=v1.2.3 on GitHub: dist/, and what the changelog says
	mkdir -p build
	awk -v head='## [$(TAG:v%=%)]' '/^## / {on = index($$0, head) == 1; next} on' CHANGELOG.md > build/notes.md
	gh release create '$(TAG)' dist/* --verify-tag --title 'tfrec $(TAG:v%=%)' --notes-file build/notes.md

site: $(VENV)/docs ## Build the documentation site into build/site, strictly
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

matrix: $(VENV)/package ## Oldest and newest dependencies on every Python at hand (an hour); MATRIX='--write'
	$(BIN)/python tests/matrix.py $(MATRIX)

# Their own wishes for versions contradict each other, so that only some bring what they need; all of .venv is seen too.
SITE := import site; print(site.getsitepackages()[0])
consumers: $(VENV)/dev ## Read our records by programs of others, in .consumers (GB); says what it leaves out
	test -x $(CONSUMERS)/bin/python || $(BIN)/python -m venv $(CONSUMERS)
	$(BIN)/python -c '$(SITE)' > $$($(CONSUMERS)/bin/python -c '$(SITE)')/tfrec.pth
	for package in $(TORCH) tfrecord grain datasets nvidia-dali-cuda130 gin-config scipy matplotlib attrs cachetools \
		defusedxml imagesize json-stream json-stream-rs-tokenizer lxml opencv-python-headless orjson pyarrow \
		pycocotools PyYAML ruamel.yaml shapely; do \
		$(CONSUMERS)/bin/python -m pip install --quiet $$package || echo "left out: $$package"; done
	$(CONSUMERS)/bin/python -m pip install --quiet --no-deps tf-models-official tf-keras tf_slim \
		tensorflow-model-optimization datumaro
	$(CONSUMERS)/bin/python -m pytest tests/test_consumers.py -m "thorough or not thorough"

chaos: $(VENV)/dev ## Kill conversions at 200 random moments, and check what is left (minutes)
	$(BIN)/python tests/chaos.py --kills 200

fuzz: $(VENV)/dev ## Hostile testing, at most an hour; FUZZ='--help' lists what can be told
	PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ)

clean: ## Remove what was built; keep .venv
	rm -rf $(DEMO) $(DEMO)-boxes fuzz-failures build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.PHONY: help install demo test test-all coverage lint types format bench package workflows wheels check-wheels \
	check-tag release-page site matrix consumers chaos fuzz clean
