#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What a reader may rely on in the tree: rooms that do not reach over, one
# style, a licence line in every file, and a man page with every option.
# Says in cmocka's words how many of the checks passed.
set -u
shopt -s lastpipe
cd "$(dirname "$0")/../.." || exit 1
hookcost=${HOOKCOST:-./hookcost}
passed=0 failed=0 skipped=0

# check NAME: passes if standard input is empty, else shows it
check() {
	local found
	found=$(cat)
	if [ -z "$found" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '[  FAILED  ] %s\n%s\n' "$1" "$found"
	fi
}

sources() { find runner bpf nft pktgen -name '*.[ch]' "$@" | sort; }

grep -nE '^#include "(bpf|nft|pktgen)/' runner/*.[ch] |
	check "runner/ includes no mechanism"
grep -nE '^#include "(nft|pktgen)/' bpf/*.[ch] | check "bpf/ keeps to itself"
grep -nE '^#include "(bpf|pktgen)/' nft/*.[ch] | check "nft/ keeps to itself"
grep -nE '^#include "(bpf|nft)/' pktgen/*.[ch] |
	check "pktgen/ keeps to itself"

# what a room may know of runner/
known='filter|source|traffic|rules|rules_sorted|hook|log|cleanup|netlink|prefixes'
grep -nE '^#include "runner/' bpf/*.[ch] nft/*.[ch] pktgen/*.[ch] |
	grep -vE "\"runner/($known)\.h\"" |
	check "the rooms of the mechanisms know only the interfaces"

grep -nE '\b(system|popen) *\(' $(sources -not -path '*/tests/*') |
	check "no shell"
grep -nE '\bexit *\(' $(sources -not -path '*/tests/*') |
	grep -vE '_exit|^[^:]*:[0-9]*:[ \t/]*\*' | check "only main() exits"

for file in $(sources) runner/*.sh runner/tests/*.sh Makefile plots/*.gp; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0' ||
		echo "$file"
done | check "a licence line in every file"

for command in run check list rules report plot compare vm; do
	"$hookcost" "$command" --help 2>/dev/null |
		grep -oE -e '--[a-z][a-z-]+' | sort -u | while read -r option; do
		case $option in --help | --usage) continue ;; esac
		sed 's/\\-/-/g' runner/hookcost.8 | grep -qe "$option" ||
			echo "$command $option"
	done
done | check "the man page has every option"

# versions differ in what they do with the same rules
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	clang-format --dry-run $(sources) 2>&1 | grep 'warning:' |
		check "clang-format"
else
	echo "skipped: no clang-format 14 here"
	skipped=1
fi

echo "[  PASSED  ] $passed test(s)."
[ "$skipped" = 0 ] || echo "[  SKIPPED ] $skipped test(s), listed above"
[ "$failed" = 0 ] || echo "[  FAILED  ] $failed test(s), listed above"
exit $((failed != 0))
