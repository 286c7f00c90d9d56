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
PKGS      := libbpf libnftnl libmnl libpcap gsl jansson

SRC       := $(wildcard runner/*.c bpf/*.c nft/*.c pktgen/*.c)
BPF_SRC   := $(filter %.bpf.c,$(SRC))
HOST_SRC  := $(filter-out %.bpf.c,$(SRC))
OBJ       := $(HOST_SRC:%.c=$B/%.o)
LIB_OBJ   := $(filter-out $B/runner/main.o,$(OBJ))
TEST_SRC  := $(wildcard runner/tests/*.c)
TESTS     := $(TEST_SRC:%.c=$B/%)

CFLAGS    ?= -O2 -g
WARN      := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ifneq ($(MAKECMDGOALS),$(filter deps help clean,$(MAKECMDGOALS)))
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null)
endif
SANFLAGS  := $(if $(SAN),-fsanitize=address$(,)undefined -fno-omit-frame-pointer)
, := ,
SANFLAGS  := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
HOSTFLAGS := -std=gnu11 -D_GNU_SOURCE -DVERSION='"$(VERSION)"' $(WARN) -I. -I$B \
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
## make bench       the speed targets, as ratios measured in one run
## make fuzz        the list reader under libFuzzer (FUZZ_TIME=600 seconds)
## make install     PREFIX=/usr/local DESTDIR=
## make clean

$(BIN): $(OBJ)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

$B/%.o: %.c | $B/.packages
	$(call say,CC,$<)
	$Qmkdir -p $(@D)
	$Q$(CC) $(CFLAGS) $(HOSTFLAGS) -MMD -MP -c $< -o $@

# foo.bpf.c -> foo.bpf.o (clang) -> foo.skel.h (bpftool) -> foo.o
$B/%.bpf.o: %.bpf.c | $B/.packages
	$(call say,BPF,$<)
	$Qmkdir -p $(@D)
	$Q$(CLANG) $(BPFFLAGS) -MMD -MP -c $< -o $@

$B/%.skel.h: $B/%.bpf.o
	$(call say,SKEL,$@)
	$Q$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@

$(BPF_SRC:%.bpf.c=$B/%.o): $B/%.o: $B/%.skel.h

$B/runner/tests/%: $B/runner/tests/%.o $(LIB_OBJ)
	$(call say,LD,$@)
	$Q$(CC) $(CFLAGS) $(SANFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS) -lcmocka

# One line that says which package is missing.
$B/.packages: Makefile
	$Qmkdir -p $(@D)
	$Qfor p in $(PKGS); do pkg-config --exists $$p || { \
	    echo "make: $$p is missing, 'make deps' installs it" >&2; exit 1; }; done
	$Qfor t in $(CC) $(CLANG) $(BPFTOOL); do command -v $$t >/dev/null || { \
	    echo "make: $$t is missing, 'make deps' installs it" >&2; exit 1; }; done
	$Qtouch $@

clean:
	$Qrm -rf build build-san hookcost

include runner/tests/fuzz/Makefile.inc

.PHONY: all help deps run test check bench install clean
.DELETE_ON_ERROR:
.SECONDARY:
-include $(OBJ:.o=.d) $(BPF_SRC:%.c=$B/%.d) $(TESTS:%=%.d)
