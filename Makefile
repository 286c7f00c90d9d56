# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` lists what there is to make.  Every ?= below can be set on the
# command line or in the environment.

CC        ?= gcc
CLANG     ?= clang
BPFTOOL   ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/bin/bpftool \
             /usr/lib/linux-tools/*/bpftool) bpftool)
PREFIX    ?= /usr/local
DESTDIR   ?=
SAN       ?=
V         ?=

B         := build$(if $(SAN),-san)
BIN       := $(if $(SAN),$B/hookcost,hookcost)
VERSION   := 0.1.0
PKGS      := libbpf libnftnl libmnl libpcap gsl jansson libkmod libarchive

ALL_SRC   := $(wildcard runner/*.c bpf/*.c nft/*.c pktgen/*.c)
BPF_SRC   := $(filter %.bpf.c,$(ALL_SRC))
HOST_SRC  := $(filter-out %.bpf.c,$(ALL_SRC))
OBJ       := $(HOST_SRC:%.c=$B/%.o)
LIB_OBJ   := $(filter-out $B/runner/main.o,$(OBJ))
TEST_SRC  := $(wildcard runner/tests/*.c)
TESTS     := $(TEST_SRC:%.c=$B/%)

# Tests that enter namespaces or boot guests; the others need no root.
ROOT_TESTS := conformance source opinion opinion_nft opinion_tc opinion_ipv6 run guest traffic run_traffic run_lists
CHECKS    := $(filter-out $(ROOT_TESTS:%=$B/runner/tests/%),$(TESTS))

CFLAGS    ?= -O2 -g
WARN      := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
, := ,
SANFLAGS  := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
HOSTFLAGS := -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(WARN) -I. -I$B \
             -DEXPLAIN_PLUGIN='"$B/runner/explain/counter"' \
             $(PKG_CFLAGS) $(SANFLAGS)
BPFFLAGS  := -O2 -g -Wall -target bpf -mcpu=v2 -I. \
             -I/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
LIBS      := $(PKG_LIBS) -lpthread

Q         := $(if $V,,@)
say        = $(if $V,,@printf '  %-5s %s\n' $(1) $(2))

all: $(BIN)

help:
	@sed -n 's/^## //p' $(firstword $(MAKEFILE_LIST))

## make             build ./hookcost (says what is missing)
## make deps        install the packages that build and tests need
## make run         deps, build, measure, show the table, write the plots
## make test        deps, build, all tests          (SAN=1: under ASan and UBSan)
## make check       the tests that need no root
## make fuzz        the readers of foreign files, FUZZ_TIME seconds each
## make bench       the speed targets, as ratios measured in one run
## make install     PREFIX=/usr/local DESTDIR=
## make clean
##
## make kernel      SRC=DIR [PATCHES="FILE..."]: build one for hookcost vm
## make kernel-deps install the packages that this needs
## make test-kernel patches and built kernels, for half an hour

$(BIN): $(OBJ)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

$B/%.o: %.c | $B/.packages
	$(call say,CC,$<)
	$Qmkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(HOSTFLAGS) -MMD -MP -c $< -o $@

# foo.bpf.c -> foo.bpf.o (clang) -> foo.skel.h (bpftool)
$B/%.bpf.o: %.bpf.c | $B/.packages
	$(call say,BPF,$<)
	$Qmkdir -p $(@D)
	$Q$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@

$B/%.skel.h: $B/%.bpf.o
	$(call say,SKEL,$@)
	$Q$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@

# -MMD knows who includes one, but only once all have been compiled.
$(OBJ): | $(BPF_SRC:%.bpf.c=$B/%.skel.h)

# QEMU loads the plugin as it is, so it has no sanitizers.
# Its number is that of the plugin interface.
PLUGINS := $B/runner/explain/counter1.so $B/runner/explain/counter3.so
$(PLUGINS): $B/runner/explain/counter%.so: runner/explain/counter.c \
    runner/explain/qemu.h runner/explain_mark.h
	$(call say,SO,$@)
	$Qmkdir -p $(@D)
	$Q$(CC) -O2 -I. -DINTERFACE=$* $(WARN) -shared -fPIC \
	    -fvisibility=hidden -o $@ $<

# The assembler takes these into the program; -MMD does not see that.
$B/runner/explain_plugin.o: $(PLUGINS)
$B/runner/plot_scripts.o: $(wildcard plots/*.gp)

$B/runner/tests/%: $B/runner/tests/%.o $(LIB_OBJ)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS) -lcmocka

# The test of pktgen's driver brings its own files.
$B/runner/tests/pktgen: LDFLAGS += $(addprefix -Wl$(,)--wrap=procfs_,open write read)

# One line that says which package is missing.
$B/.packages: Makefile
	$Qmkdir -p $(@D)
	$Qfor p in $(PKGS); do pkg-config --exists $$p || { \
	    echo "make: $$p is missing, 'make deps' installs it" >&2; exit 1; }; done
	$Qfor t in $(CC) $(CLANG) $(BPFTOOL); do command -v $$t >/dev/null || { \
	    echo "make: $$t is missing, 'make deps' installs it" >&2; exit 1; }; done
	$Qtouch $@

# On a fresh machine the packages come first, then make starts anew and sees
# them.
deps:
	$Qrunner/deps.sh

run: deps
	$Q$(MAKE) --no-print-directory $(BIN)
	$Q./$(BIN) run $(RUN_ARGS)

test: deps
	$Q$(MAKE) --no-print-directory test-built

test-built: $(BIN) $(TESTS)
	$QHOOKCOST=$(abspath $(BIN)) runner/tests/run.sh \
	    runner/tests/lint.sh $(CHECKS) \
	    $(filter-out $(CHECKS),$(TESTS))

check: $(BIN) $(CHECKS)
	$QHOOKCOST=$(abspath $(BIN)) runner/tests/run.sh \
	    runner/tests/lint.sh $(CHECKS)

BENCHES   := $(patsubst %.c,$B/%,$(wildcard runner/tests/bench/*.c))

bench: $(BIN) $(BENCHES)
	$QHOOKCOST=$(abspath $(BIN)) RATE=$B/runner/tests/bench/rate \
	    INSTALL=$B/runner/tests/bench/install LIST=$B/runner/tests/bench/list \
	    runner/tests/bench.sh

# libFuzzer with both sanitizers; what it finds is left in build/fuzz.
FUZZ_TIME ?= 600
FUZZERS   := $(wildcard runner/tests/fuzz/*_fuzz.c)
FUZZ_SRC   = $(filter-out runner/main.c,$(HOST_SRC))

build/fuzz/%: runner/tests/fuzz/%.c $(BIN)
	$(call say,FUZZ,$@)
	$Qmkdir -p $(@D)
	$Q$(CLANG) -g -O1 -fsanitize=fuzzer$(,)address$(,)undefined \
	    -fno-sanitize-recover=all $(HOSTFLAGS) \
	    -o $@ $< $(FUZZ_SRC) $(LIBS)

fuzz: $(FUZZERS:runner/tests/fuzz/%.c=build/fuzz/%)
	$Qfor f in $^; do \
	    dict=runner/tests/fuzz/$$(basename $$f _fuzz).dict; mkdir -p $$f.corpus; \
	    $$f -max_total_time=$(FUZZ_TIME) -timeout=10 -max_len=4096 \
	        -rss_limit_mb=2048 -artifact_prefix=$$f. \
	        $$([ -f $$dict ] && echo -dict=$$dict) \
	        $$f.corpus runner/tests/data/cases || exit 1; done

install: $(BIN)
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/hookcost
	install -D -m 644 runner/hookcost.8 $(DESTDIR)$(PREFIX)/share/man/man8/hookcost.8
	install -D -m 644 runner/hookcost.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/hookcost

kernel:
	$Qpatches/build.sh "$(SRC)" $(PATCHES)

kernel-deps:
	$Qpatches/build.sh --deps

test-kernel: $(BIN)
	$QHOOKCOST=$(abspath $(BIN)) patches/test.sh

clean:
	$Qrm -rf build build-san hookcost

.PHONY: all help deps run test test-built check bench fuzz install clean
.PHONY: kernel kernel-deps test-kernel
.DELETE_ON_ERROR:
.SECONDARY:
-include $(OBJ:.o=.d) $(BPF_SRC:%.c=$B/%.d) $(TESTS:%=%.d)
