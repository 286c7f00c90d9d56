#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh SRC [PATCH...]: builds a guest's kernel from a source tree with
# guest.config on top of tinyconfig, and prints the path of the image.  All
# that is written is below build/; the source tree is only read.
# build.sh --deps: installs the packages that this needs.
#
# JOBS=N compiles N files at a time, NAME= is its directory below build/.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

die() {
	echo "make kernel: $*" >&2
	exit 1
}

packages='gcc make flex bison bc dwarves patch perl libelf-dev libssl-dev'

install_packages() {
	command -v apt-get >/dev/null || die "no apt here; the packages are" \
		"called: $packages (Fedora: elfutils-libelf-devel" \
		"openssl-devel; Arch: pahole libelf openssl)"
	missing=
	for package in $packages; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
			grep -q 'install ok installed' ||
			missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	[ "$(id -u)" = 0 ] || die "run as root to install:$missing"
	apt-get update -qq
	# shellcheck disable=SC2086 # a list of words
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
		--no-install-recommends $missing
}

# What a kernel build needs beside gcc and make.  pahole makes the BTF.
need_tools() {
	missing=
	for tool in flex bison bc pahole patch perl; do
		command -v $tool >/dev/null || missing="$missing $tool"
	done
	for header in libelf.h openssl/ssl.h; do
		echo "#include <$header>" | ${CC:-gcc} -E - >/dev/null 2>&1 ||
			missing="$missing $header"
	done
	[ -z "$missing" ] || die "missing:$missing; 'make kernel-deps'" \
		"installs: $packages"
}

# The tree as links, so that a patch changes a copy of a file and nothing else.
link_tree() {
	rm -rf "$src"
	mkdir -p "$src"
	for entry in "$from"/* "$from"/.[!.]*; do
		[ "$entry" = "$from/.git" ] || [ ! -e "$entry" ] ||
			cp -as "$entry" "$src/"
	done
}

# Files that this build patches or the last one here did are copied, not
# linked: their time is now, and make compiles them again.
copy_patched() {
	{
		[ ! -f "$out/patched" ] || cat "$out/patched"
		[ $# = 0 ] || sed -n 's,^+++ b/\([^	 ]*\).*,\1,p' "$@"
	} | sort -u >"$out/patched.new"
	while read -r file; do
		[ -e "$src/$file" ] || continue
		cp --remove-destination "$(readlink -f "$src/$file")" \
			"$src/$file"
		touch "$src/$file"
	done <"$out/patched.new"
	mv "$out/patched.new" "$out/patched"
}

apply() {
	patch -d "$src" -p1 -F0 -s --no-backup-if-mismatch <"$1" >&2 ||
		die "$1 does not apply to this kernel ($version)"
}

# tinyconfig, then the fragment; says what this kernel has and did not take.
# Kconfig warns of each choice that the fragment makes in place of tinyconfig's.
configure() {
	{
		kmake tinyconfig &&
			"$src/scripts/kconfig/merge_config.sh" -m -O "$obj" \
				"$obj/.config" "$here/guest.config" &&
			kmake olddefconfig
	} >"$out/config.log" 2>&1 ||
		die "the configuration failed, see $out/config.log"
	grep '^CONFIG_.*=y' "$here/guest.config" | while read -r line; do
		option=${line%=y}
		grep -q "^$line" "$obj/.config" ||
			! grep -q "^# $option is not set" "$obj/.config" ||
			echo "make kernel: $version did not take $option" >&2
	done
	grep -q '^CONFIG_NET_PKTGEN=[ym]' "$obj/.config" ||
		die "$version did not take CONFIG_NET_PKTGEN; see $obj/.config"
}

# Who builds, where and when is not in the image: only the code differs.
kmake() {
	make -C "$src" O="$obj" -s ARCH=x86_64 \
		KBUILD_BUILD_USER=hookcost KBUILD_BUILD_HOST=hookcost \
		KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_TIMESTAMP='Mon Jan  1 00:00:00 UTC 2024' "$@"
}

# What this build is called: the version and the numbers of its patches.
directory() {
	name=kernel-$version
	for file; do
		base=$(basename "$file" .patch)
		case $base in
		[0-9][0-9][0-9][0-9]-*) base=${base%%-*} ;;
		esac
		name=$name+$base
	done
	echo "$name"
}

if [ "${1:-}" = --deps ]; then
	install_packages
	exit
fi
[ $# -ge 1 ] && [ -n "$1" ] ||
	die "which source? make kernel SRC=DIR [PATCHES=\"FILE...\"]"
[ -f "$1/Kconfig" ] && [ -f "$1/Makefile" ] ||
	die "$1 is not a kernel's source tree"
from=$(cd "$1" && pwd)
shift
for file; do
	[ -f "$file" ] || die "no patch $file"
done
[ ! -e "$from/.config" ] && [ ! -d "$from/include/config" ] ||
	die "$from has been built in; 'make mrproper' there, or another tree"
need_tools

version=$(make -s -C "$from" kernelversion)
out=$root/build/${NAME:-$(directory "$@")}
src=$out/src
obj=$out/obj
mkdir -p "$obj"

link_tree
copy_patched "$@"
for file; do
	apply "$file"
done
configure
echo "make kernel: building $version in $obj" >&2
kmake -j"${JOBS:-$(nproc)}" bzImage >&2
echo "$obj/arch/x86/boot/bzImage"
