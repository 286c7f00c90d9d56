#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# test.sh [VERSION...]: checks the patches against the distribution's kernel
# sources (6.1 and 6.12 unless named): they apply, the kernels build and boot,
# and pktgen does what each patch promises.  SRC_6_1=DIR, SRC_6_12=DIR: where a
# tree is, instead of fetching it with apt-get.  See README.md for the steps.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$here")/build
hookcost=${HOOKCOST:-$(dirname "$here")/hookcost}
results=$(mktemp -d "${TMPDIR:-/tmp}/hookcost-kernel-XXXXXX")
trap 'rm -rf "$results"' EXIT

step() {
	echo "== $*" >&2
}

fail() {
	echo "test-kernel: $*" >&2
	exit 1
}

# The tree of a version, unpacked below build/ without installing anything.
fetch() {
	given=$(eval "echo \${SRC_$(echo "$1" | tr . _):-}")
	if [ -n "$given" ]; then
		echo "$given"
		return
	fi
	dir=$build/linux-source-$1
	if [ ! -f "$dir/linux-source-$1/Makefile" ]; then
		mkdir -p "$dir"
		(
			cd "$dir"
			apt-get download -qq "linux-source-$1" >&2
			dpkg-deb -x linux-source-"$1"_*.deb package
			tar -xf package/usr/src/linux-source-"$1".tar.xz
			rm -rf package ./*.deb
		) || fail "no source package linux-source-$1 from apt"
	fi
	echo "$dir/linux-source-$1"
}

# measure NAME IMAGE OPTION...: a cell of ten rules in a guest.
measure() {
	name=$1
	image=$2
	shift 2
	"$hookcost" vm --kernel "$image" --out "$results/$name" -j 1 -- \
		--source pktgen --filter nft-linear --rules 10 "$@" \
		>"$results/$name.txt" 2>&1
}

# Of the counted slices of the filter's cell: how many different numbers of
# packets, and how many slices where not every packet was dropped.
dropped_slices() {
	awk '$1 > 0 && $2 == 2 { seen[$5]; n++; odd += $5 != $6 }
	     END { for (i in seen) kinds++; print n + 0, kinds + 0, odd + 0 }' \
		"$results/$1/samples.tsv"
}

show() {
	grep -E '^(none|nft-linear) ' "$results/$1.txt" >&2
}

# Each build is the last one with a patch more: one file is compiled anew.
check() {
	version=$1
	case $version in
	6.1) drops=$here/0002-pktgen-count-drops-6.1.patch ;;
	*) drops=$here/0002-pktgen-count-drops-6.12.patch ;;
	esac
	undo=$here/refuse-loopback.patch
	lo=$here/0001-pktgen-take-lo.patch
	src=$(fetch "$version")
	NAME=kernel-test-$version
	export NAME

	step "$version as before 5.7: lo is refused"
	image=$("$here/build.sh" "$src" "$undo")
	if measure "$version-refused" "$image"; then
		fail "$version: lo was not refused"
	fi
	grep -m 1 'no loopback support' "$results/$version-refused.txt" >&2 ||
		fail "$version: $(tail -n 3 "$results/$version-refused.txt")"

	step "$version with the loopback patch: packets go out, drops are errors"
	image=$("$here/build.sh" "$src" "$undo" "$lo")
	measure "$version-lo" "$image" --match first ||
		fail "$version: $(tail -n 3 "$results/$version-lo.txt")"
	show "$version-lo"
	# shellcheck disable=SC2046 # three words
	set -- $(dropped_slices "$version-lo")
	[ "$1" -gt 1 ] && [ "$3" = 0 ] ||
		fail "$version: $1 slices, $3 of them not dropped"
	[ "$2" -gt 1 ] || fail "$version: drops were counted without the patch"

	step "$version with both: a run whose packets are dropped has a count"
	image=$("$here/build.sh" "$src" "$undo" "$lo" "$drops")
	measure "$version-drops" "$image" --match first ||
		fail "$version: $(tail -n 3 "$results/$version-drops.txt")"
	show "$version-drops"
	# shellcheck disable=SC2046 # three words
	set -- $(dropped_slices "$version-drops")
	[ "$1" -gt 1 ] && [ "$2" = 1 ] && [ "$3" = 0 ] ||
		fail "$version: $1 slices of $2 sizes, $3 of them not dropped"
}

[ $# -gt 0 ] || set -- 6.1 6.12
for version; do
	check "$version"
done
echo "test-kernel: all as it should be" >&2
