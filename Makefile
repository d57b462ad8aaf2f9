# make run    install txviz into .venv and start it
# make test   install and run all tests; needs no screen
# make test-oldest  the same tests with the lowest versions that pyproject.toml allows, in .venv-oldest
# make test-pythons  the same tests with every version of Python that is there, each in a .venv-3.x of its own
# make test-long  every step of every model in every format, read back; takes some minutes
# make fuzz   100,000 inputs of every kind, changed at random (SEED=… N=… ARGS="trace state")
# make kills  writers that are killed at any moment (SEED=… N=… ARGS="state model")
# make mutants  puts mistakes in, one after the other, of which the tests must catch each (ARGS="beam": some of them)
# make monkey  10,000 real events at the real window, after which all that is shown must agree (SEED=… N=…);
#             SCREEN=1: on a virtual screen, under a window manager
# make coverage  lines and branches that the tests reach; fails where a package is below its floor
# make figures-table  all pages of all models measured: overlaps, smallest type, use of the page (ARGS="--presets slide")
# make lint   ruff, mypy and the import rules
# make dist   the wheel and the source package, in dist/
# make app    dist/txviz, a folder that runs without Python, packed as well, and walked through on a virtual screen
# make guide  the pictures of docs/, each by the command that stands beside it, and what its notebooks show
# make screenshots  the README's pictures, taken of the real window on a virtual screen
# make bench  the benchmarks, as ratios measured in one run (also build/bench.json)
# make bench-torch  a trace against Hugging Face's models and TransformerLens, a step of training against PyTorch; installs all three, which nothing else needs

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
PYTHONS := 3.11 3.12 3.13
INSTALL := -m pip install --quiet --disable-pip-version-check
PIP := $(BIN)/python $(INSTALL)
PARALLEL := --numprocesses auto --dist loadfile
COVERED := ops trace nets analysis figures

.PHONY: run test test-oldest test-pythons test-long fuzz kills mutants monkey figures-table coverage lint bench bench-torch dist app guide screenshots clean

run: $(VENV)/installed-run
	@$(BIN)/txviz

test: $(VENV)/installed-test
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest $(PARALLEL) $(ARGS)

test-oldest: $(OLDEST)/installed-test
	QT_QPA_PLATFORM=offscreen $(OLDEST)/bin/python -m pytest $(PARALLEL) $(ARGS)

test-pythons:
	@MAKE='$(MAKE)' bash scripts/test-pythons.sh $(PYTHONS)

test-long: $(VENV)/installed-test
	TXVIZ_LONG=1 QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest tests/figures/test_all_formats.py $(ARGS)

fuzz: $(VENV)/installed-test
	$(BIN)/python -m tests.fuzz $(if $(SEED),--seed $(SEED)) $(if $(N),--cases $(N)) $(ARGS)

kills: $(VENV)/installed-test
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.fuzz.kills $(if $(SEED),--seed $(SEED)) $(if $(N),--kills $(N)) $(ARGS)

mutants: $(VENV)/installed-test
	$(BIN)/python -m tests.mutants $(ARGS)

monkey: $(VENV)/installed-test
	$(if $(SCREEN),MANAGER=openbox bash scripts/virtual-screen.sh,QT_QPA_PLATFORM=offscreen) \
	  $(BIN)/python -m tests.gui.monkey $(if $(SEED),--seed $(SEED)) $(if $(N),--events $(N))

figures-table: $(VENV)/installed-test
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.figures.measure $(ARGS)

coverage: $(VENV)/installed-dev
	QT_QPA_PLATFORM=offscreen $(BIN)/coverage run -m pytest $(COVERED:%=tests/%) $(ARGS)
	@failed=; for package in $(COVERED); do \
	  $(BIN)/coverage report --include="txviz/$$package/*" || failed="$$failed $$package"; \
	done; test -z "$$failed" || { echo "txviz: tests reach too little of:$$failed" >&2; exit 1; }

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Where the environment prescribes OpenBLAS older kernels than the processor's, nothing prescribes them to PyTorch.
OWN_KERNELS := env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE

bench: $(VENV)/installed-bench
	$(OWN_KERNELS) $(BIN)/python -m tests.benchmarks $(ARGS)

bench-torch: $(VENV)/installed-bench-torch
	$(OWN_KERNELS) $(BIN)/python -m tests.benchmarks against_torch learning_against_torch

dist: $(VENV)/installed-dist
	@bash scripts/make-dist.sh $(BIN)/python

app: dist $(VENV)/installed-test
	@bash scripts/make-app.sh $(BIN)/python
	TXVIZ_APP=$(CURDIR)/dist/txviz/txviz $(BIN)/python -m pytest --quiet tests/test_app.py tests/gui/test_real_screen.py

guide: $(VENV)/installed-test
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m scripts.guide
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m scripts.notebooks

screenshots: $(VENV)/installed-run
	bash scripts/virtual-screen.sh $(BIN)/python scripts/screenshots.py

clean:
	rm -rf $(VENV) $(OLDEST) $(PYTHONS:%=.venv-%) build dist

$(BIN)/python $(OLDEST)/bin/python:
	@bash scripts/make-venv.sh $(@:/bin/python=) $(PYTHON)

$(VENV)/installed-run: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@bash scripts/qt-libraries.sh $(BIN)/python
	@touch $@

$(VENV)/installed-test: $(VENV)/installed-run
	$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed-run
	$(PIP) --editable '.[bench]'
	@touch $@

$(VENV)/installed-bench-torch: $(VENV)/installed-run
	$(PIP) --editable '.[bench-torch]'
	@touch $@

$(VENV)/installed-dist: $(VENV)/installed-run
	$(PIP) --editable '.[dist]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed-test
	$(PIP) --editable '.[dev]'
	@touch $@

$(OLDEST)/installed-test: pyproject.toml scripts/oldest.py | $(OLDEST)/bin/python
	$(OLDEST)/bin/python scripts/oldest.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python $(INSTALL) --requirement $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python $(INSTALL) --no-deps --editable .
	@bash scripts/qt-libraries.sh $(OLDEST)/bin/python
	@touch $@
