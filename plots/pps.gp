# SPDX-License-Identifier: GPL-2.0-or-later
# Packets per second over the number of rules, with 95 % intervals; the dashed
# lines are what the path does without a filter.
#
#   gnuplot -e "dir='results'" plots/pps.gp

folder(path) = path eq "" || path[strlen(path):] eq "/" ? path : \
               folder(path[:strlen(path) - 1])
if (!exists("facts")) load folder(exists("ARG0") ? ARG0 : "") . "style.gp"

headline = "Packets per second with a filter in the path" . emulated
if (text) {
	set title headline . "\n" . facts
} else {
	set label 1 headline at graph 0, 1.125 font ",15" textcolor rgb 0x111111
	set label 2 facts at graph 0, 1.07 textcolor rgb grey
	set label 3 machine at graph 0, 1.03 textcolor rgb grey
}

set logscale y
set yrange [least_pps / 1.3 : most_pps * 1.3]
set ylabel "packets per second"
set ytics () nomirror
do for [power = 0:9] {
	do for [digit in "1 2 5"] {
		set ytics add (short(digit * 10.0**power) digit * 10.0**power)
	}
}

file = exists("out") ? out : dir . "/pps." . format
if (!text && file ne "") { set output file }
plot for [i = 1:words(bases)] real(word(base_pps, i)) \
         with lines linecolor rgb grey linewidth 1.4 \
         dashtype i + 1 title word(bases, i), \
     for [i = 1:words(filters)] dat index int(word(filter_blocks, i)) \
         using 1:2:(ends(2, 3)):(ends(2, 4)) with yerrorlines linewidth 1.6 \
         linecolor rgb colour[(i - 1) % 7 + 1] \
         pointtype mark[(i - 1) % 7 + 1] title word(filters, i)
unset output
