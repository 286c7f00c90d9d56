# SPDX-License-Identifier: GPL-2.0-or-later
# What a filter adds to a packet over the number of rules, with 95 %
# intervals; the grey band is what two equal cells differ by.
#
#   gnuplot -e "dir='results'" plots/added.gp

folder(path) = path eq "" || path[strlen(path):] eq "/" ? path : \
               folder(path[:strlen(path) - 1])
if (!exists("facts")) load folder(exists("ARG0") ? ARG0 : "") . "style.gp"

per_packet = unit eq "insn" ? "instructions per packet" : "ns per packet"
headline = "What a filter adds to a packet" . emulated
if (text) {
	set title headline . "\n" . facts
} else {
	set label 1 headline at graph 0, 1.125 font ",15" textcolor rgb 0x111111
	set label 2 facts at graph 0, 1.07 textcolor rgb grey
	set label 3 machine at graph 0, 1.03 textcolor rgb grey
}

# Logarithmic in the large, linear about 0: an added cost may be nothing, and
# its interval may reach below.
knee = unit eq "insn" ? 100.0 : 10.0
set nonlinear y via asinh(y / knee) inverse knee * sinh(y)
set yrange [1.5 * lower(least_added, noise_lo) - knee / 10 : \
            1.4 * higher(most_added, noise_hi) + knee / 10]
set ylabel "added " . per_packet
set ytics () nomirror
set ytics add ("0" 0, short(knee / 2) knee / 2, short(-knee / 2) -knee / 2)
do for [power = 0:9] {
	do for [digit in "1 2 5"] {
		size = digit * knee * 10.0**power
		set ytics add (short(size) size, short(-size) -size)
	}
}

if (!text) {
	set object 1 rectangle from graph 0, first noise_lo \
		to graph 1, first noise_hi behind \
		fillcolor rgb 0xBBBBBB fillstyle solid 0.5 noborder
}
file = exists("out") ? out : dir . "/added." . format
if (!text && file ne "") { set output file }
plot NaN with boxes fillcolor rgb 0xBBBBBB fillstyle solid 0.5 noborder \
         title text ? "" : "two equal cells", \
     0 with lines linecolor rgb grey linewidth 1.4 dashtype 2 \
         title "no filter", \
     for [i = 1:words(filters)] dat index int(word(filter_blocks, i)) \
         using 1:8:(ends(8, 9)):(ends(8, 10)) with yerrorlines linewidth 1.6 \
         linecolor rgb colour[(i - 1) % 7 + 1] \
         pointtype mark[(i - 1) % 7 + 1] title word(filters, i)
unset output
