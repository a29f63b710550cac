# make demo, make test and their helpers. Each works on a bare clone, on a second call, and offline once the packages are
# installed.
# SETUP=skip builds with what is installed; RELEASE, ASAN, TSAN, CLANG and PACKAGES name other build folders; JOBS: parallel processes.
# GPU=ON compiles the CUDA code, GPU=OFF does not; default: ON if this machine has a GPU.
# ARCHITECTURES: GPU architectures to compile for; default: those of this machine, or 90 if it has no GPU.

RELEASE ?= build/release
ASAN ?= build/asan
TSAN ?= build/tsan
CLANG ?= build/clang
PACKAGES ?= build/packages
TORCH ?= build/torch
JAX ?= build/jax
JOBS ?= $(shell nproc)
# Ninja compiles a program while the library that it links is compiled; Make would wait. A folder keeps its generator.
ifneq ($(shell command -v ninja),)
export CMAKE_GENERATOR ?= Ninja
endif
has_gpu := $(shell nvidia-smi -L >/dev/null 2>&1 && echo ON || echo OFF)
GPU ?= $(has_gpu)
ARCHITECTURES ?= $(if $(filter ON,$(has_gpu)),native,90)
# optimised, unoptimised or checked, for machines that only check them
KERNELS ?= optimised
# ON: make wheels builds exactdot-cu13 too, with the CUDA engine
CUDA ?= OFF
FUZZ_SECONDS ?= 20
CAMPAIGN_RESULTS ?= 150000
# what make test-cuda builds and runs
CUDA_TARGETS ?= all
CUDA_TESTS ?= ^cuda_|^c_|^example_|^package.find_package|^program_test
# what make asan builds and runs
ASAN_TARGETS ?= all
ASAN_TESTS ?= .
SIMT_SCALE ?= 100
# the site, and the Python whose virtual environment builds it
SITE ?= build/site
site_python := $(SITE)/venv/bin/python
find_stubs = find $(RELEASE)/tests/python/empty $(SITE)/stubs -name _engine.pyi 2>/dev/null | head -n 1
# a Python with NumPy and nanobind, for the fuzz target of the package: that of make test-long has NumPy
FUZZ_PYTHON ?= $(RELEASE)/tests/python/empty/bin/python
demo_data := $(RELEASE)/demo
exactdot := $(RELEASE)/cli/exactdot
ctest := ctest --output-on-failure --no-tests=error --parallel $(JOBS)

.PHONY: help demo test test-long test-simt test-cuda test-neon test-simtcc test-torch test-jax test-flags test-sanitized asan tsan clang bench packages test-packages site site-tools site-stubs wheels setup configure release clean
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

help:
	@echo 'make demo            build, generate two vectors, compare the ways to compute their dot product'
	@echo 'make test            build and test (under 15 minutes on 2 cores)'
	@echo 'make test-long       what make test leaves out: the wheels and the Python tests with them, the GPU engine and its'
	@echo '                     kernels, the rungs and the hazards on the simulator, the commands of the lab, its page in a browser'
	@echo 'make test-simt       thousands of results of the GPU engine on the simulator'
	@echo 'make test-cuda       on a machine without a GPU: compile the CUDA code too, and run the tests that need it'
	@echo 'make test-neon       cross-compile for 64-bit Arm and run tests with QEMU; names the Debian packages that it needs'
	@echo 'make test-simtcc     every program of examples/programs by simtcc, with GCC, clang and, where there is one, nvcc'
	@echo 'make test-torch      exactdot.torch with PyTorch in a virtual environment of its own; the first call downloads some GB'
	@echo 'make test-jax        exactdot.jax with JAX likewise; the first call downloads some 150 MB'
	@echo 'make test-flags      builds of the library within projects of other compiler options, by GCC and clang: the same bits'
	@echo 'make test-sanitized  the tests of the library under AddressSanitizer and UBSan, clang with libFuzzer, a long campaign, threads under'
	@echo '                     ThreadSanitizer (make tsan: only these)'
	@echo 'make bench           measure beside other libraries and write docs/performance.md and its raw tables (some minutes)'
	@echo 'make packages        Debian packages in build/packages, without CUDA (some minutes); make test-packages tries them in a new'
	@echo '                     Debian root (as root, with the network)'
	@echo 'make site            the web site with the reference and the lab, in build/site/html; needs doxygen; tools come from PyPI'
	@echo 'make wheels          dist: wheels of exactdot and simtcc, tried in empty environments; CUDA=ON: exactdot-cu13 too, an hour'
	@echo 'make clean           remove the build folder'

demo: configure
	cmake --build $(RELEASE) --parallel $(JOBS) --target exactdot_program
	@mkdir -p $(demo_data)
	$(exactdot) generate $(demo_data)/a.npy $(demo_data)/b.npy --data ill --cond 1e20 --dtype float64 --n 1e6
	$(exactdot) dot $(demo_data)/a.npy $(demo_data)/b.npy --compare

test: release
	$(ctest) --test-dir $(RELEASE) --label-exclude 'long|simt'

test-long: release
	@$(MAKE) site-tools || echo 'make: the tools of the site are not there, so package.site is skipped'
	cmake --build $(RELEASE) --parallel $(JOBS) --target long_tests
	$(ctest) --test-dir $(RELEASE) --label-regex long

# each process computes a part of the results
test-simt: release
	cmake --build $(RELEASE) --parallel $(JOBS) --target cuda_table_on_simt_test
	seq 0 $$(($(JOBS) - 1)) | xargs -P $(JOBS) -I{} env EXACTDOT_TEST_SCALE=$(SIMT_SCALE) GTEST_TOTAL_SHARDS=$(JOBS) \
	  GTEST_SHARD_INDEX={} $(RELEASE)/tests/cuda/on_simt/cuda_table_on_simt_test --gtest_brief=1

# tests that need a GPU say so and are skipped
test-cuda:
	@command -v nvcc >/dev/null || { echo 'make test-cuda: nvcc not found; install the CUDA toolkit' >&2; exit 1; }
	@$(MAKE) configure GPU=ON KERNELS=$(if $(filter optimised,$(KERNELS)),unoptimised,$(KERNELS))
	cmake --build $(RELEASE) --parallel $(JOBS) --target $(CUDA_TARGETS)
	$(ctest) --test-dir $(RELEASE) --tests-regex '$(CUDA_TESTS)' --exclude-regex on_simt

test-neon:
	JOBS=$(JOBS) SETUP=$(SETUP) scripts/test_neon

test-simtcc: release
	cmake $(RELEASE) -DEXACTDOT_TEST_ALL_PROGRAMS=ON
	$(ctest) --test-dir $(RELEASE) --tests-regex '^simtcc'
	cmake $(RELEASE) -DEXACTDOT_TEST_ALL_PROGRAMS=OFF

test-torch: setup
	python3 tests/frameworks.py . torch $(TORCH)

test-jax: setup
	python3 tests/frameworks.py . jax $(JAX)

test-flags: release
	cmake $(RELEASE) -DEXACTDOT_TEST_ALL_FLAGS=ON
	$(ctest) --test-dir $(RELEASE) --tests-regex '^package.flags'
	cmake $(RELEASE) -DEXACTDOT_TEST_ALL_FLAGS=OFF

test-sanitized: clang asan tsan

# without the simulator, whose kernels have an instrumentation of their own, and without the program, whose parts that read files
# are a library; each process of the campaign checks a part of the results
asan: setup
	@$(FUZZ_PYTHON) -c 'import nanobind, numpy' 2>/dev/null || \
	  echo 'make: $(FUZZ_PYTHON) has no nanobind and NumPy: the Python package is not fuzzed; its pip installs them'
	cmake --preset asan -B $(ASAN) -DCMAKE_UNITY_BUILD=ON $$($(FUZZ_PYTHON) -c 'import nanobind, numpy' 2>/dev/null && \
	  echo -DEXACTDOT_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(abspath $(FUZZ_PYTHON)))
	cmake --build $(ASAN) --parallel $(JOBS) --target $(ASAN_TARGETS)
	seq $(JOBS) | xargs -P $(JOBS) -I{} $(ASAN)/tests/table/campaign --results $$(($(CAMPAIGN_RESULTS) / $(JOBS))) --seed 11{}
	$(ctest) --test-dir $(ASAN) --tests-regex '$(ASAN_TESTS)' --exclude-regex '^campaign$$'

# Tests that compute with several threads, without cases that take long. The runtime library of GCC 12's ThreadSanitizer ends where
# the kernel randomises more than 28 bits of addresses; setarch -R turns that off, if it may.
tsan_tests := group_bits_test columns_test threads_pool_test
tsan: setup
	cmake --preset tsan -B $(TSAN)
	cmake --build $(TSAN) --parallel $(JOBS) --target $(tsan_tests)
	GTEST_FILTER='-*are_gathered_in_pieces:*extrema_of_special_values:*of_a_million_terms' $$(setarch -R true 2>/dev/null && echo setarch -R) \
	  $(ctest) --test-dir $(TSAN) --tests-regex "^($$(echo $(tsan_tests) | tr ' ' '|'))$$"

# what only clang checks: its warnings, and inputs that libFuzzer finds
clang: setup
	cmake --preset clang -B $(CLANG)
	cmake --build $(CLANG) --parallel $(JOBS) --target exactdot exactdot_io core_test campaign fuzz_npy \
	  fuzz_accumulator
	printf '%s\n' 'core/core_test --gtest_brief=1' 'table/campaign --results 20000 --seed 12' | \
	  xargs -P $(JOBS) -I{} sh -c 'exec $(CLANG)/tests/{}'
	@mkdir -p $(CLANG)/npy $(CLANG)/accumulator
	printf '%s\n' npy accumulator | xargs -P $(JOBS) -I{} sh -c \
	  'exec $(CLANG)/tests/fuzz/fuzz_{} -max_total_time=$(FUZZ_SECONDS) -verbosity=0 $(CLANG)/{} tests/fuzz/corpus/{}'

bench: release
	scripts/performance --run $(exactdot) bench --device cpu

packages: setup
	JOBS=$(JOBS) packaging/debian/build $(PACKAGES)

test-packages: packages
	tests/package/debian_packages $(PACKAGES) $(PACKAGES)/tested . --debootstrap

# html/index.html can be opened from the folder. The reference of Python needs the stubs, which a build of the extension
# writes: the one that make test-long has installed or, without it, one without optimisation.
site: site-tools configure
	cmake --build $(RELEASE) --parallel $(JOBS) --target exactdot_program
	@test -n "$$($(find_stubs))" || $(MAKE) site-stubs
	$(site_python) scripts/build_site $(SITE) --program $(exactdot) --stubs "$$($(find_stubs))"

site-tools: scripts/site/requirements.txt
	@command -v doxygen >/dev/null || echo 'make: doxygen not found: the site has no reference of C and C++; Debian: apt-get install doxygen'
	@cmp -s $< $(SITE)/venv/requirements.txt || { python3 -m venv $(SITE)/venv && \
	  $(site_python) -m pip install -q --disable-pip-version-check -r $< && cp $< $(SITE)/venv/requirements.txt; }

site-stubs: site-tools
	cmake -B $(SITE)/stubs -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' \
	  -DEXACTDOT_UNOPTIMISED=ON -DEXACTDOT_AVX512=OFF -DEXACTDOT_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(abspath $(site_python)) \
	  $(addprefix -DEXACTDOT_BUILD_,$(addsuffix =OFF,CUDA PROGRAM C SIMT BENCH TESTS))
	cmake --build $(SITE)/stubs --parallel $(JOBS) --target _engine_stubs

# the names of the Pythons that it looks for: scripts/wheels
wheels: setup
	scripts/wheels $(if $(filter ON,$(CUDA)),--cuda)
	python3 tests/wheels/check.py dist build/wheels/links

# A unity build: several files a compilation, for half the time. clang compiles file by file, so that a missing #include
# shows.
configure: setup
	@test $(GPU) = ON || echo 'make: GPU=$(GPU): the CUDA code is not compiled; make test-cuda or GPU=ON compiles it'
	cmake --preset release -B $(RELEASE) -DCMAKE_UNITY_BUILD=ON -DEXACTDOT_BUILD_CUDA=$(GPU) \
	  -DCMAKE_CUDA_ARCHITECTURES='$(ARCHITECTURES)' -DEXACTDOT_KERNELS=$(KERNELS)

release: configure
	cmake --build $(RELEASE) --parallel $(JOBS)

setup:
	@test '$(SETUP)' = skip || scripts/setup

clean:
	rm -rf build
