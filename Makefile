# The two commands, make demo and make test, and their small helpers. Each works on a bare clone, on a
# second call, and offline once the packages are there.
# SETUP=skip builds with what is installed; RELEASE and ASAN name other build folders; JOBS the processes;
# ARCHITECTURES=90 builds for GPUs of that compute capability alone, in less time.

RELEASE ?= build/release
ASAN ?= build/asan
JOBS ?= $(shell nproc)
demo_data := $(RELEASE)/demo
exactdot := $(RELEASE)/cli/exactdot
ctest := ctest --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: help demo test bench setup configure release clean
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

help:
	@echo 'make demo    build, generate two vectors, and compare the ways to compute their dot product'
	@echo 'make test    build and run every test, then again under AddressSanitizer and UBSan'
	@echo 'make bench   measure against the other libraries and write docs/performance.md (some minutes)'
	@echo 'make clean   remove the build folder'

demo: configure
	cmake --build $(RELEASE) --parallel $(JOBS) --target exactdot_program
	@mkdir -p $(demo_data)
	$(exactdot) generate $(demo_data)/a.npy $(demo_data)/b.npy --data ill --cond 1e20 --dtype float64 --n 1e6
	$(exactdot) dot $(demo_data)/a.npy $(demo_data)/b.npy --compare

test: release
	$(ctest) --test-dir $(RELEASE)
	cmake --preset asan -B $(ASAN)
	cmake --build $(ASAN) --parallel $(JOBS)
	$(ctest) --test-dir $(ASAN)

bench: release
	scripts/performance --run $(exactdot) bench --device cpu

configure: setup
	cmake --preset release -B $(RELEASE) $(if $(ARCHITECTURES),-DCMAKE_CUDA_ARCHITECTURES='$(ARCHITECTURES)')

release: configure
	cmake --build $(RELEASE) --parallel $(JOBS)

setup:
	@test '$(SETUP)' = skip || scripts/setup

clean:
	rm -rf build
