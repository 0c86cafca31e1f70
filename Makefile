# `make demo` and `make test` do everything on a fresh machine; `make help` lists the rest.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN := $(TARGET)/release/interloper

.PHONY: help demo demo-trace test lint build probe bench bench-quick bench-scan bench-java nightly fuzz doc tools

help:
	@echo "make demo         build Interloper and show it finding a violation in a Java program"
	@echo "make test         run all tests"
	@echo "make lint         formatting and clippy, warnings are errors"
	@echo "make bench        measure speed and memory on traces of 10,000,000 events (minutes)"
	@echo "make bench-quick  the same on 1,000,000 events"
	@echo "make bench-scan   measure \`interloper scan\` on the jars of well-known programs"
	@echo "make bench-java   measure what \`interloper run\` and \`record\` cost Java programs (needs a JDK)"
	@echo "make probe        compile the Java part of the agent anew, after changes in java/ (needs a JDK)"
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
	@if ! command -v javac >/dev/null || ! command -v java >/dev/null; then \
		echo "note: there is no JDK here to run the program with, so this is a recorded run."; \
		$(MAKE) --no-print-directory demo-trace; \
	else \
		echo "\$$ javac -g -d $(TARGET)/bank examples/bank/Account.java"; \
		javac -g -d $(TARGET)/bank examples/bank/Account.java || exit; \
		echo "\$$ interloper run --source-path examples/bank -- java -cp $(TARGET)/bank Account"; \
		$(BIN) run --source-path examples/bank -- java -cp $(TARGET)/bank Account; \
		case $$? in \
		1) ;; \
		0) echo; echo "note: this time they did not get into each other's way. In this recorded run they did:"; \
			$(MAKE) --no-print-directory demo-trace ;; \
		*) echo; echo "note: the program could not be checked; \`interloper doctor\` tells more. This is a recorded run:"; \
			$(MAKE) --no-print-directory demo-trace ;; \
		esac; \
	fi

# The same of a recorded run: no JDK needed.
demo-trace:
	@echo "\$$ interloper check examples/bank/bank.std --source-path examples/bank"
	@$(BIN) check examples/bank/bank.std --source-path examples/bank || test $$? -eq 1

test: tools
	@scripts/need test
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

bench-java: build
	$(CARGO) run --quiet --release -p interloper-bench --bin bench-java

probe:
	@scripts/probe

nightly: tools
	INTERLOPER_CASES=100 $(CARGO) test --release -p interloper-engines
	PROPTEST_CASES=20000 $(CARGO) test --release -p interloper-trace
	INTERLOPER_CASES=20 $(CARGO) test --release -p interloper --test java verdicts

SECONDS ?= 60
fuzz: tools
	@scripts/need fuzz
	cd fuzz && $(CARGO) +nightly fuzz run std_reader -- -max_total_time=$(SECONDS)
	cd fuzz && $(CARGO) +nightly fuzz run binary_reader -- -max_total_time=$(SECONDS)

doc: tools
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --no-deps
