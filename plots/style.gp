# SPDX-License-Identifier: GPL-2.0-or-later
# What the plots have in common: reads the facts in dir/pps.dat, sets the
# terminal, the colours and the axes.
#
# Variables that may be set before, with gnuplot -e:
#   dir      the results directory                       ("results")
#   format   svg, png or text                            ("svg")
#   out      the file to write, '' is stdout             (dir/NAME.FORMAT)
#   columns, lines   size of the text                    (80, 24)

if (!exists("dir")) dir = "results"
if (!exists("format")) format = "svg"
if (!exists("columns")) columns = 80
if (!exists("lines")) lines = 24

# ---- facts

# The comment lines hold what plain gnuplot need not know: read them as data.
dat = dir . "/pps.dat"
filters = ""; filter_blocks = ""; bases = ""; base_pps = ""
machine = ""; source = ""; fate = ""; match = ""; frame = ""; unit = "ns"
axis = "rules"; fixed_rules = ""
block = -1; name = ""; most_rules = 1; least_pps = 1e12; most_pps = 0
noise_lo = 0; noise_hi = 0; least_added = 0; most_added = 0
# gnuplot 6 leaves out a line that lacks a column which is named by a number.
at(n) = column(n)
says(key) = strcol(1) eq "#" && strcol(2) eq key
is_base(filter) = filter[1:5] eq "none@"
lower(a, b) = b < a ? b : a
higher(a, b) = b > a ? b : a
rate(x) = x > 0 ? (least_pps = lower(least_pps, x), \
                   most_pps = higher(most_pps, x)) : 0

added(lo, hi) = (lo == lo ? least_added = lower(least_added, lo) : 0, \
                 hi == hi ? most_added = higher(most_added, hi) : 0)

set datafile separator whitespace
set datafile commentschars ""
stats dat using ( \
	says("unit") ? (unit = strcol(3), 0) : \
	says("source") ? (source = strcol(3), 0) : \
	says("fate") ? (fate = strcol(3), 0) : \
	says("match") ? (match = strcol(3), 0) : \
	says("frame_bytes") ? (frame = strcol(3), 0) : \
	says("machine") ? (machine = strcol(3), 0) : \
	says("axis") ? (axis = strcol(3), 0) : \
	says("fixed_rules") ? (fixed_rules = strcol(3), 0) : \
	says("noise") ? (noise_lo = lower(noise_lo, at(5)), \
	                 noise_hi = higher(noise_hi, at(6)), 0) : \
	says("filter") ? (block = block + 1, name = strcol(3), 0) : \
	strcol(1) eq "#" ? 0 : \
	is_base(name) ? (bases = bases . " " . name, \
	                 base_pps = base_pps . " " . strcol(2), \
	                 rate(at(2)), 0) : \
	(most_rules = higher(most_rules, at(1)), rate(at(2)), \
	 added(at(8), at(8)), added(at(9), at(10)), \
	 word(filters, words(filters)) eq name ? 0 : \
	 (filters = filters . " " . name, \
	  filter_blocks = filter_blocks . sprintf(" %d", block), 0)) \
	) nooutput
set datafile commentschars "#"

if (words(filters) == 0 || most_pps == 0) \
	exit error dat . " holds no measured filter"

# ---- terminal

text = format eq "text"
has(terminal) = strstrt(GPVAL_TERMINALS, " " . terminal . " ") > 0
if (text) {
	set terminal dumb size columns, lines noenhanced
} else {
	if (format eq "png" && has("pngcairo")) {
		set terminal pngcairo size 1440,900 fontscale 1.5 linewidth 1.5 \
			pointscale 1.5 font "Sans,10" background "white" noenhanced
	} else {
		if (format eq "png") {
			set terminal png size 960,600 noenhanced
		} else {
			set terminal svg size 960,600 font "Helvetica,13" \
				background "white" noenhanced
		}
	}
}

# ---- looks: Okabe and Ito's colours, and a mark of its own for each line

array colour[7] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, \
                   0x56B4E9, 0x7A5195]
array mark[7] = [7, 5, 9, 11, 13, 4, 6]
grey = 0x666666

set border 3 linecolor rgb grey
set tics nomirror scale 0.6 textcolor rgb 0x333333
set grid linecolor rgb 0xDDDDDD linetype 1 linewidth 0.6
set errorbars small
set pointsize 0.7

# Beside the data, or below it where columns are few.
set key noautotitle
if (text) {
	set key below width 2
	unset grid
} else {
	set key outside right center vertical Left reverse samplen 2 spacing 1.4
	set tmargin 5
	set rmargin 26
}

facts = sprintf("source %s, fate %s, match %s, %s-byte frames", \
                source, fate, match, frame)
emulated = unit eq "insn" ? " (emulated: the clock is instructions)" : ""

# ---- axes: 1, 10, 100 rules; 1, 2, 5 of every power of ten

if (axis eq "rules") {
	set logscale x
	set xrange [0.8 : most_rules * 1.25]
	set xlabel "rules"
	set xtics ("1" 1, "10" 10, "100" 100, "1,000" 1e3, "10,000" 1e4, \
	           "100,000" 1e5, "1 million" 1e6, "10 million" 1e7, \
	           "100 million" 1e8)
} else {
	set xrange [0 : most_rules + 1]
	set xlabel "different prefix lengths"
	facts = facts . sprintf(", %s rules", fixed_rules)
}

# A point whose interval is unknown is drawn without one.
ends(middle, end) = column(end) == column(end) ? column(end) : column(middle)

short(x) = x >= 1e6 ? sprintf("%g M", x / 1e6) : \
           x >= 1e3 ? sprintf("%g k", x / 1e3) : sprintf("%g", x)
