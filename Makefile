# Everything a contributor does, one word each. Needs: Rust (stable, with clippy and rustfmt),
# Python 3.11 or newer, a C compiler and make; whatever else is missing is installed once, quietly.
.DEFAULT_GOAL := help
.PHONY: help setup run check test test-all audit bench docs console-assets wheels static deb lock agent agent-for-tests built-for-tests \
  collected
MAKEFLAGS += --no-print-directory
# Of --jobs cargo takes its part itself: here it is not told of it.
unexport MAKEFLAGS MFLAGS
# Where Python may not write bytecode, each call of igen would compile 200 modules: a third of its time.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= $(shell command -v python3.11 || command -v python3)
CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TARGET_DIR
MUSL := $(shell uname -m)-unknown-linux-musl
PIP_INSTALL := .venv/bin/pip install --quiet --disable-pip-version-check --root-user-action ignore --no-warn-conflicts
# Lines of constraints.txt: releases with their hashes, which pip compares with the archives.
PINNED = .venv/bin/python -m checks.requirements
APT_INSTALL := apt-get update -qq && apt-get install -y -qq
export PATH := $(CURDIR)/.venv/bin:$(PATH)

help: ## print this table
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: .venv/.product agent ## install iGen: .venv/bin/igen and .venv/bin/igen-agent

run: setup ## sweep an order-entry database in SQLite over 1, 2, 4, 8 users and write a report
	@igen run oltp --users 1,2,4,8 --repeats 3 --duration 2s --warmup 1s --report report.html

check: .venv/.tools agent-for-tests ## formats, lints, types, directions, generated files, links, lengths, instructions
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	ruff format --quiet --check .
	ruff check --quiet .
	mypy -p igen -p checks -p bench -p fuzz
	lint-imports --no-logo
	@python -m checks.rust_direction
	@python -m checks.file_length
	@python -m checks.words
	@python -m checks.workload_names
	@python -m checks.fact_names
	@python -m checks.links
	@python -m checks.generated
	@python -m checks.lock
	@python -m checks.console_assets
	@python -m checks.applications
	@python crates/igen-workloads/checks/instruction_mix.py
	@python -m checks.instructions noop model

# Tests wait as much as they compute: two for each processor. There are no examples in comments of Rust, and a program
# for each crate would look for them: without --lib --bins --tests.
RUST_TESTS := cargo test --quiet --workspace --lib --bins --tests
CHOSEN := not slow
test: .venv/.tools .venv/.duckdb agent-for-tests ## every test of both languages that CI has the time for
	@echo "$(RUST_TESTS): beside pytest, printed where it fails"
	@$(RUST_TESTS) >$(CARGO_TARGET_DIR)/tests.log 2>&1 & rust=$$!; \
	  pytest -m '$(CHOSEN)' --numprocesses=$$(( 2 * $$(nproc) )); python=$$?; \
	  wait $$rust || { cat $(CARGO_TARGET_DIR)/tests.log; exit 1; }; exit $$python

# Servers take minutes under callgrind. CHOSEN holds for `test` too when it is made for this target.
test-all: CHOSEN :=
test-all: check test wheels audit ## check, test, and what takes longer than CI may: slow tests, wheels, audit, instructions
	@python -m checks.instructions

# cargo-deny takes 215 s of processor time to compile, once.
audit: .venv/.tools ## check licences, sources and known vulnerabilities of all dependencies
	@command -v cargo-deny >/dev/null || \
	  CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/cargo-deny cargo install --quiet --locked cargo-deny@0.20.2 --root .venv
	@$(PINNED) --group audit >.venv/audit.txt
	@$(PIP_INSTALL) --require-hashes --no-compile --requirement .venv/audit.txt
	@python -m checks.audit

bench: setup ## the quick form of every bench: bench/run NAME runs one in full
	@for bench in $$(bench/run --list); do bench/run $$bench --quick || exit 1; done

docs: .venv/.tools agent-for-tests ## write the generated files anew: schema/ and docs/reference/
	@python -m checks.generated --write

console-assets: .venv/.product ## fetch the console's charts by npm, and compare their hash
	@.venv/bin/python -m checks.console_assets --write

# glibc 2.34 is that of Debian 12, Ubuntu 22.04 and RHEL 9.
wheels: export MATURIN_PEP517_ARGS ?= --compatibility manylinux_2_34
wheels: .venv/.product ## build the wheels of igen-bench and igen-agent in dist/, and try them where nothing else is
	@rm -rf dist
	@.venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ./crates/igen-agent
	@.venv/bin/python -m checks.wheels dist
	@if [ "$$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then .venv/bin/python -m checks.empty_root dist; \
	  else echo "empty root: not tried, for lack of mmdebstrap or root"; fi

static: ## build dist/igen-agent, which needs no library of its server, and run a job with it
	@command -v musl-gcc >/dev/null || { $(APT_INSTALL) musl-tools >/dev/null; }
	@said=$$(rustup --quiet target add $(MUSL) 2>&1) || { echo "$$said" >&2; exit 1; }
	@RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --quiet --package igen-agent --target $(MUSL)
	@install -D -m 755 $(CARGO_TARGET_DIR)/$(MUSL)/release/igen-agent dist/igen-agent
	@echo '{"workload": "cpu", "load": {"closed": {"users": 1}}, "phases": {"warmup_s": 0, "measure_s": "200ms"}}' | env -i dist/igen-agent run | \
	  grep -q '"outcome":"complete"' && ls -lh dist/igen-agent

deb: static .venv/.product ## build dist/igen-agent_VERSION_ARCHITECTURE.deb from it, and run a job with what is in it
	@.venv/bin/python -m checks.debian_package dist/igen-agent

lock: .venv/.product ## write constraints.txt anew: the newest releases that pyproject.toml allows
	@.venv/bin/python -m checks.lock --write

agent: .venv/.product
	@cargo build --release --quiet --package igen-agent
	@ln -sfn $(CARGO_TARGET_DIR)/release/igen-agent .venv/bin/igen-agent

# Tests need no optimised agent, but one that shares what it is compiled from with the tests in Rust: hence
# their features. It is copied, because one of them builds another agent at the same place.
agent-for-tests: .venv/.product built-for-tests
	@install -m 755 $(CARGO_TARGET_DIR)/debug/igen-agent .venv/bin/igen-agent

built-for-tests:
	@cargo build --quiet --workspace --bins --features igen-engine/paused-clock,igen-net/testing,igen-workloads/testing

# Each worker of pytest would compile all tests for itself: 11 s of processor time, and 5 s where this was done before.
collected: .venv/.tools
	@pytest --collect-only -qq >/dev/null 2>&1 || true

.venv/.created:
	@$(PYTHON) -m venv --clear .venv 2>/dev/null || \
	  { $(APT_INSTALL) python3-venv >/dev/null && $(PYTHON) -m venv --clear .venv; }
	@touch $@

# Its own agent is on no index: `make agent` puts it there. All of it is compiled: users who call it as another account than the one that installs it could not keep what they compile.
.venv/.product: .venv/.created pyproject.toml constraints.txt
	@$(PINNED) --group build >.venv/build.txt
	@$(PIP_INSTALL) --require-hashes --requirement .venv/build.txt
	@$(PINNED) console png query >.venv/requirements.txt
	@$(PIP_INSTALL) --require-hashes --requirement .venv/requirements.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# Without valgrind the instruction mix is not checked; without servers their tests are skipped, and fail in CI.
# Python compiles of the tools what it imports, which is a fraction: 9 in the place of 24 s.
.venv/.tools: .venv/.product
	@command -v valgrind >/dev/null || $(APT_INSTALL) valgrind >/dev/null 2>&1 || true
	@test -d /usr/lib/postgresql -a -x /usr/sbin/mariadbd -a -x /usr/sbin/slapd -a -x /usr/sbin/nginx -a -x /usr/sbin/sshd -a -x /usr/sbin/mkfs.btrfs -a -x /usr/sbin/sfdisk -a -x /usr/bin/chromium -a -x /usr/bin/clang -a -x /usr/sbin/pgbouncer || tests/install-servers >/dev/null 2>&1 || true
	@$(PINNED) --group dev --group browser >.venv/tools.txt
	@$(PIP_INSTALL) --require-hashes --no-compile --requirement .venv/tools.txt
	@touch $@

# Without DuckDB its tests are skipped, and fail in CI; the next call tries again.
.venv/.duckdb: .venv/.product python/igen/fetch/duckdb.lock
	@if igen install duckdb --quiet; then touch $@; fi
