#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs cmocka test programs, shows what they say and adds up what they count.
# Closes with "N passed, N failed, N skipped"; 1 if any failed.
set -u
limit_s=${TEST_LIMIT_S:-900}
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# some versions name the group before the number
count() { sed -nE "s/^\[  $1 *\] ([^ ]+: )?([0-9]+) test\(s\).*/\2/p" "$log" | tail -n 1; }

for program in "$@"; do
	echo "== ${program##*/}"
	timeout -k 10 "$limit_s" "$program" 2>&1 | tee "$log" |
		grep -v -e '^\[ RUN ' -e '^\[=====' -e '^\[       OK'
	status=${PIPESTATUS[0]}
	p=$(count PASSED) f=$(count FAILED) s=$(count SKIPPED)
	passed=$((passed + ${p:-0}))
	failed=$((failed + ${f:-0}))
	skipped=$((skipped + ${s:-0}))
	if [ "$status" -ne 0 ] && [ "${f:-0}" -eq 0 ]; then
		echo "${program##*/} ended with status $status"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
