#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The speed targets of a measured run, each as a ratio or a figure of one run
# on this machine.  A line each, "ok" or "MISSED"; 1 if any was missed.
set -u
hookcost=${HOOKCOST:-./hookcost}
rate=${RATE:-build/runner/tests/bench/rate}
install=${INSTALL:-build/runner/tests/bench/install}
list=${LIST:-build/runner/tests/bench/list}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
missed=0

# verdict NAME VALUE LIMIT CONDITION: CONDITION is an awk expression of v and l
verdict() {
	if [[ $2 =~ ^[0-9.]+$ ]] && awk -v v="$2" -v l="$3" "BEGIN { exit !($4) }"; then
		echo "ok      $1: $2 (target $3)"
	else
		echo "MISSED  $1: $2 (target $3)"
		missed=1
	fi
}

# the plain source must keep up; what varies more may take more
kinds=0
while read -r kind ratio _; do
	kinds=$((kinds + 1))
	least=0.80
	[ "$kind" = plain ] && least=0.95
	verdict "bpf source against a bare loop, $kind" "$ratio" $least 'v >= l'
done < <("$rate")
[ $kinds -gt 1 ] || { echo "MISSED  the rates cannot be measured"; missed=1; }

"$hookcost" run -q --no-plots --out "$dir/run" >"$dir/table" &
run=$!
peak_kb=0
start=$SECONDS
while kill -0 $run 2>/dev/null; do
	now=$(awk '/VmHWM/ { print $2 }' /proc/$run/status 2>/dev/null)
	peak_kb=${now:-$peak_kb}
	sleep 0.2
done
wait $run || { echo "MISSED  the default run failed"; exit 1; }
verdict "default run, seconds" $((SECONDS - start)) 60 'v < l'
verdict "default run, peak memory in MB" $((peak_kb / 1024)) 150 'v < l'

share=$(awk '!/^#/ && $1 > 0 { sum += $4; if (!first || $3 < first) first = $3
	if ($3 + $4 > last) last = $3 + $4 }
	END { printf "%.3f", sum / (last - first) }' "$dir/run/samples.tsv")
verdict "slices, share of the measuring time" "$share" 0.85 'v >= l'

# half width of the canary's interval, in per cent of its baseline
awk -F '\t' '/^#/ { sub(/^# */, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["role"] == "baseline" { ns[$at["filter"]] = $at["ns_per_packet"] }
	$at["role"] == "canary" { printf "%s %.3f\n", $at["filter"],
		($at["added_ns_hi"] - $at["added_ns_lo"]) / 2 / ns[$at["filter"]] * 100 }' \
	"$dir/run/summary.tsv" >"$dir/canaries"
while read -r name width; do
	verdict "canary $name, +- per cent" "$width" 1.5 'v < l'
done <"$dir/canaries"
[ -s "$dir/canaries" ] || { echo "MISSED  no canary in the summary"; missed=1; }

# Reading a list, and set-up against the mechanisms' own programs; each line
# names its target.
for program in "$list" "$install"; do
	"$program" >"$dir/lines" || { echo "MISSED  $program failed"; missed=1; }
	while IFS=$'\t' read -r what value target condition; do
		verdict "$what" "$value" "$target" "$condition"
	done <"$dir/lines"
done

# guests: the first result of a cached kernel, and twenty boots of two kernels
if "$hookcost" vm -k debian:6.1 -k debian:6.12 --out "$dir/warm" -- -f none \
	--rounds 1 --no-plots >/dev/null 2>&1; then
	start=$(date +%s)
	"$hookcost" vm -k debian:6.12 --out "$dir/first" -- -f none --no-plots \
		>/dev/null 2>&1 &
	until grep -q '^1' "$dir/first/samples.tsv" 2>/dev/null ||
		! kill -0 $! 2>/dev/null; do
		sleep 0.2
	done
	verdict "vm, seconds to the first result" $(($(date +%s) - start)) 15 'v < l'
	wait
	start=$(date +%s)
	"$hookcost" vm -k debian:6.1 -k debian:6.12 --out "$dir/twenty" -- \
		-f tc-u32,nft-linear -n 1,10,100,1k --no-plots >/dev/null 2>&1
	verdict "vm, seconds for 20 cells" $(($(date +%s) - start)) 240 'v < l'
else
	echo "skipped vm: no QEMU, or no kernels from apt"
fi
exit $missed
