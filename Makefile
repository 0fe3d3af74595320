# Two commands matter: `make run` opens the lab, `make test` tests it on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# With PORT=8600 it is that port or none; without, 8501 or the next that is free.
PORT ?=

.PHONY: run team check test lint bench frontend screenshots samples lock update clean

run: $(VENV)/.run
	$(BIN)/streamlit run app.py $(if $(PORT),--server.port $(PORT))

# For a team, on one machine: PostgreSQL, a login and a reverse proxy with TLS, until Ctrl-C (docs/privacy.md, Serving a team).
team: $(VENV)/.team
	$(BIN)/python -m team.programs
	$(BIN)/python -m team.house

# The tests start many Pythons: what one has compiled the next one takes, whatever the machine's own setting.
test check: export PYTHONDONTWRITEBYTECODE :=
# Two processes of tests on two processors: threads of linear algebra besides only wait for one another.
test check: export OMP_NUM_THREADS := 1
test check: export OPENBLAS_NUM_THREADS := 1

test: $(VENV)/.dev
	$(BIN)/python tests/browser_setup.py
	$(BIN)/python tests/spark_setup.py
	$(BIN)/python -m team.programs
	$(BIN)/python -m pytest -p no:cacheprovider -n 2 --dist loadscope

# For daily work: without the tests that take longest, which open pages, browsers and clusters.
check: lint
	$(BIN)/python -m team.programs
	$(BIN)/python -m pytest -p no:cacheprovider -n 2 --dist loadscope --quick

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m bench.attack_curve
	$(BIN)/python -m bench.scale --repeat 3
	$(BIN)/python -m bench.person_risk
	$(BIN)/python -m bench.planner
	$(BIN)/python -m bench.game
	$(BIN)/python -m bench.slider
	$(BIN)/python -m bench.glove
	$(BIN)/python -m bench.kgap --users 5000 10000

screenshots: $(VENV)/.dev
	$(BIN)/python tests/browser_setup.py
	$(BIN)/python -m bench.screenshots

# The map's module in the browser and the script of figures in documents: need Node 20. What is made is kept, so that nobody else does.
frontend:
	for part in flowmap plots; do \
		(cd frontend/$$part && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs) || exit 1; \
	done

samples: $(VENV)/.run
	$(BIN)/python -m privlab generate city --users 200000 --seed 1 --out sample_data/city.parquet
	$(BIN)/python -m privlab generate commuters --users 10000 --seed 1 --out sample_data/commuters.parquet
	$(BIN)/python -m privlab generate cabs --users 534 --seed 1 --out sample_data/cabs.parquet
	$(BIN)/python -m privlab generate subscribers --users 5000 --seed 1 --out sample_data/subscribers.parquet

# Every package with the digests of all its files, for any system and Python from 3.11 on. pip installs nothing else.
LOCKED := requirements requirements-spark requirements-postgres requirements-login requirements-dev
lock:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	for name in $(LOCKED); do \
		$(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
			--custom-compile-command "make lock" --constraints constraints.txt --output-file $$name.txt $$name.in || exit 1; \
	done

# The newest versions that fit together, in the lists and, with their digests, in the locked ones. Then: make test.
update:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	place=$$(mktemp -d) && $(PYTHON) .ci/requirements.py unpinned $$place && for name in $(LOCKED); do \
		$(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --no-header --fork-strategy fewest \
			--output-file $$place/$$name.txt $$place/$$name.in || exit 1; \
	done && $(PYTHON) .ci/requirements.py repin $$place && rm -r $$place
	$(MAKE) lock

$(VENV)/.run: requirements.txt
	$(PYTHON) .ci/python_version.py
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

$(VENV)/.team: requirements-login.txt requirements-postgres.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-login.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-postgres.txt
	touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-lock .pytest_cache .mypy_cache .ruff_cache
