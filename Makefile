# The two commands, make demo and make test, and their small helpers. Each works on a bare clone, on a
# second call, and offline once the packages are there.
# SETUP=skip builds with what is installed; RELEASE and ASAN name other build folders; JOBS the processes.

RELEASE ?= build/release
ASAN ?= build/asan
JOBS ?= $(shell nproc)
demo_data := $(RELEASE)/demo
exactdot := $(RELEASE)/cli/exactdot
ctest := ctest --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: help demo test bench setup release asan clean
.NOTPARALLEL:

help:
	@echo 'make demo    build, generate two vectors, and compare the ways to compute their dot product'
	@echo 'make test    build and run every test, then again under AddressSanitizer and UBSan'
	@echo 'make bench   measure against the other libraries and write docs/performance.md (some minutes)'
	@echo 'make clean   remove the build folder'

demo: release
	@mkdir -p $(demo_data)
	$(exactdot) generate $(demo_data)/a.npy $(demo_data)/b.npy --data ill --n 1000000 --cond 1e25
	$(exactdot) dot $(demo_data)/a.npy $(demo_data)/b.npy --compare

test: release
	$(ctest) --test-dir $(RELEASE)
	cmake --preset asan -B $(ASAN)
	cmake --build $(ASAN) --parallel $(JOBS)
	$(ctest) --test-dir $(ASAN)

bench: release
	scripts/performance --run $(RELEASE)/bench/exactdot_bench

release: setup
	cmake --preset release -B $(RELEASE)
	cmake --build $(RELEASE) --parallel $(JOBS)

setup:
	@test '$(SETUP)' = skip || scripts/setup

clean:
	rm -rf build
