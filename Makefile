# Every target sets up what it needs, on a machine that has only Python 3.11 or later, pip, git and make.
# Nothing is installed outside this folder (but Chromium, for `make test` as root); root is not needed.

PYTHON ?= python3
UV     := .tools/bin/uv
PIP    := $(PYTHON) -m pip
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
# Containers often forbid to keep compiled Python: then each process that the tests start compiles all it imports anew.
unexport PYTHONDONTWRITEBYTECODE
# uv then trusts the certificates that the machine trusts, as pip does.
export UV_SYSTEM_CERTS := 1

# On a terminal the installation shows how far it is; elsewhere it is silent.
QUIET := $(shell [ -t 2 ] || echo --quiet)

.DEFAULT_GOAL := help
.PHONY: help demo play test lint bench reproduce docs docs-serve tutorials package messages clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: .venv/.web ## the search page: find the face you have in mind, among 513
	@.venv/bin/learn2search demo

play: .venv/.core ## a game in the terminal: it finds the colour you have in mind
	@.venv/bin/learn2search play colors

test: .venv/.dev .venv/.browser ## run the tests on all cores; with CI=true the heavy ones too
	@.venv/bin/python -m pytest -n logical --maxprocesses 8 --dist worksteal

lint: .venv/.dev ## check style, types and spelling, and look for what is dangerous
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/codespell README.md CONTRIBUTING.md CHANGELOG.md docs src research
	.venv/bin/bandit --quiet --configfile pyproject.toml --recursive src

bench: .venv/.dev ## how many queries each strategy needs, and how long they take; ARGS="--full" for all sizes
	@.venv/bin/python -m research.known_features $(ARGS)

reproduce: .venv/.dev ## the paper's experiments, in minutes; ARGS="--full" as in the paper, ARGS="--help" for more
	@.venv/bin/learn2search reproduce $(ARGS)

docs: .venv/.dev ## build the documentation site into build/docs
	@.venv/bin/python -m docs.website

docs-serve: .venv/.dev ## build the documentation site and show it; ARGS="--port 0" for another port
	@.venv/bin/python -m docs.website --serve $(ARGS)

tutorials: .venv/.dev ## run the tutorials anew and keep their figures; ARGS="01 04" for some
	@.venv/bin/python -m docs.tutorials $(ARGS)

package: .venv/.dev ## the wheel and the source distribution, in dist/
	@$(UV) build --quiet --out-dir dist && ls -l dist

messages: .venv/.dev ## bring the catalogues of the visitors' languages up to date with the pages
	@.venv/bin/python -m learn2search.web.translation

clean: ## remove everything that make and the tools have put here
	rm -rf .venv .tools .peers .peers-psiz build .numba_cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests research -name __pycache__ -prune -exec rm -rf {} +

# --- set-up -------------------------------------------------------------------------------------------------

# The check has to run on any Python, however old.
define CHECK_PYTHON
import sys
if sys.version_info < (3, 11):
    sys.exit("learn2search needs Python 3.11 or later and %s is %d.%d. Name another one, for instance:"
             " make PYTHON=python3.12 test" % ((sys.executable,) + sys.version_info[:2]))
try:
    import pip
except ImportError:
    sys.exit("%s has no pip. Install it (on Debian: apt install python3-pip) or name another Python, for"
             " instance: make PYTHON=python3.12 test" % sys.executable)
endef
export CHECK_PYTHON

# Without pip inside, because Debian's Python cannot put it there (no ensurepip); cleared, because a .venv without
# a working Python is left over from one that was removed.
.venv/bin/python:
	@$(PYTHON) -c "$$CHECK_PYTHON"
	@$(PYTHON) -m venv --clear --without-pip .venv

# A system's pip may refuse to install for the system (PEP 668), but not into a folder and not into .venv.
# uv takes seconds where pip takes a minute; where uv does not come or does not work, pip does it.
define install
@echo "Setting up .venv: $(1) (only the first time, and when the dependencies change)"
@[ -x $(UV) ] || $(PIP) install $(QUIET) --target .tools uv || true
@if $(UV) pip install $(QUIET) --python .venv/bin/python --constraint constraints.txt --editable '$(1)'; then :; else \
  echo "uv could not install it; now with pip, which takes a minute or two"; \
  $(PIP) --python .venv/bin/python install $(QUIET) --constraint constraints.txt --editable '$(1)'; fi
@touch $@
endef

.venv/.core: pyproject.toml constraints.txt .venv/bin/python
	$(call install,.)

.venv/.dev: pyproject.toml constraints.txt .venv/bin/python
	$(call install,.[dev])

.venv/.web: pyproject.toml constraints.txt .venv/bin/python
	$(call install,.[web])

# The tests drive a real Chromium: one that is there, else Debian's, which only root can install. Without it those
# tests are skipped, loudly, and fail where CI=true.
.venv/.browser: .venv/.dev
	@if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || \
	  command -v google-chrome >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing Chromium for the tests of the pages"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	    chromium libatomic1 fonts-dejavu-core >/dev/null || echo "Chromium could not be installed"; \
	else echo "There is no Chromium: the tests of the pages will be skipped."; fi
	@touch $@
