# `make demo` and `make test` do everything on a fresh machine; `make help` lists the rest.

CARGO ?= cargo
BIN := $(or $(CARGO_TARGET_DIR),target)/release/interloper

.PHONY: help demo test lint build bench bench-quick bench-scan nightly fuzz doc tools

help:
	@echo "make demo         build Interloper and show it finding a violation"
	@echo "make test         run all tests"
	@echo "make lint         formatting and clippy, warnings are errors"
	@echo "make bench        measure speed and memory on traces of 10,000,000 events (minutes)"
	@echo "make bench-quick  the same on 1,000,000 events"
	@echo "make bench-scan   measure \`interloper scan\` on the jars of well-known programs"
	@echo "make nightly      the property tests on a hundred times as many traces (an hour)"
	@echo "make fuzz         fuzz the readers, SECONDS=60 each (needs a nightly toolchain)"
	@echo "make doc          build the documentation of the crates"

tools:
	@scripts/need

build: tools
	@test -x $(BIN) || echo "building; the first time this takes a few minutes"
	@$(CARGO) build --quiet --release -p interloper

demo: build
	@echo "Two people withdraw money from one account. Every access is synchronized."
	@echo
	@echo "\$$ interloper check examples/bank/bank.std --source-path examples/bank"
	@$(BIN) check examples/bank/bank.std --source-path examples/bank || test $$? -eq 1

test: tools
	$(CARGO) test --workspace

lint: tools
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

bench: build
	$(CARGO) run --quiet --release -p interloper-bench

bench-quick: build
	$(CARGO) run --quiet --release -p interloper-bench -- --quick

bench-scan: build
	$(CARGO) run --quiet --release -p interloper-bench --bin bench-scan

nightly: tools
	INTERLOPER_CASES=100 $(CARGO) test --release -p interloper-engines
	PROPTEST_CASES=20000 $(CARGO) test --release -p interloper-trace

SECONDS ?= 60
fuzz: tools
	@scripts/need fuzz
	cd fuzz && $(CARGO) +nightly fuzz run std_reader -- -max_total_time=$(SECONDS)
	cd fuzz && $(CARGO) +nightly fuzz run binary_reader -- -max_total_time=$(SECONDS)

doc: tools
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --no-deps
