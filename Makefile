# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Short names for what developers and CI do; CMake and its presets do the work.

PRESET ?= asserts
BUILD := build/$(PRESET)
PREFIX ?= $(CURDIR)/install
JOBS ?= $(shell nproc)
LLVM_BIN ?= /usr/lib/llvm-22/bin
export CCACHE_BASEDIR ?= $(CURDIR)

.PHONY: help demo test test-asan test-full build install docs format clean deps

help:
	@echo "make demo       recognise, check, fuse, compile and run the Gemma 2 graphs"
	@echo "make test       every test: lit under both drivers, googletest, package, docs"
	@echo "make test-asan  the same with AddressSanitizer and UBSan"
	@echo "make test-full  test in release, with assertions, and with sanitizers"
	@echo "make install    into PREFIX=$(PREFIX); the tree may be moved"
	@echo "make docs       regenerate docs/reference from the ODS"
	@echo "make format     clang-format every C++ file"

deps:
	@utils/install-deps.sh

build: deps
	@[ -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS)

demo: build
	@utils/demo.sh $(BUILD)

test: build
	@utils/run-tests.py $(BUILD)

test-asan:
	@$(MAKE) --no-print-directory test PRESET=asan

test-full:
	@$(MAKE) --no-print-directory test PRESET=release
	@$(MAKE) --no-print-directory test PRESET=asserts
	@$(MAKE) --no-print-directory test PRESET=asan

install:
	@$(MAKE) --no-print-directory build PRESET=release
	@cmake --install build/release --prefix $(PREFIX)

docs: deps
	@[ -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET)
	@cmake --build $(BUILD) --target docs

format: deps
	@git ls-files '*.cpp' '*.h' | grep -v Inputs/ | xargs $(LLVM_BIN)/clang-format -i

clean:
	@rm -rf build install
