#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs through apt what building and testing need and is not there yet;
# on other systems prints the names.
set -eu

debian='gcc make pkg-config clang libbpf-dev libnftnl-dev libmnl-dev
libpcap-dev libgsl-dev libjansson-dev libcmocka-dev libkmod-dev libarchive-dev
nftables ipset iptables iproute2 gnuplot-nox qemu-system-x86 linux-libc-dev
clang-format'
sanitizers='libclang-rt-dev'

if ! command -v apt-get >/dev/null; then
	cat <<'NAMES'
No apt here; the packages are called:
Fedora: gcc make pkgconf clang bpftool libbpf-devel libnftnl-devel
        libmnl-devel libpcap-devel gsl-devel jansson-devel libcmocka-devel
        kmod-devel libarchive-devel nftables ipset iptables-legacy iproute-tc
        gnuplot qemu-system-x86-core kernel-headers
Arch:   gcc make pkgconf clang bpf libbpf libnftnl libmnl libpcap gsl jansson
        cmocka kmod libarchive nftables ipset iptables-legacy iproute2 gnuplot
        qemu-system-x86 linux-api-headers
NAMES
	exit 0
fi

missing=
for package in $debian $sanitizers; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
		grep -q 'install ok installed' || missing="$missing $package"
done

# bpftool is a package of its own on Debian, part of linux-tools on Ubuntu
if ! ls /usr/sbin/bpftool /usr/bin/bpftool /usr/lib/linux-tools/*/bpftool \
	>/dev/null 2>&1; then
	missing="$missing bpftool"
fi
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "make deps: run as root to install:$missing" >&2
	exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
wanted=
for package in $missing; do
	if apt-cache show "$package" >/dev/null 2>&1; then
		wanted="$wanted $package"
	elif [ "$package" = bpftool ]; then
		wanted="$wanted linux-tools-generic"
	elif [ "$package" != libclang-rt-dev ]; then
		echo "make deps: no package $package here" >&2
	fi
done
# shellcheck disable=SC2086 # a list of words
apt-get install -y -qq --no-install-recommends $wanted
