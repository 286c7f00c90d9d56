# SPDX-License-Identifier: GPL-2.0-or-later
# How long it takes to install a filter's rules, and the memory that the kernel
# keeps them in, over the number of rules.
#
#   gnuplot -e "dir='results'" plots/setup.gp

folder(path) = path eq "" || path[strlen(path):] eq "/" ? path : \
               folder(path[:strlen(path) - 1])
if (!exists("facts")) load folder(exists("ARG0") ? ARG0 : "") . "style.gp"

# ---- what there is: a panel for the time, and one for what memory is known

setup = dir . "/setup.dat"
least_ms = 1e12; most_ms = 0; least_bytes = 1e15; most_bytes = 0
seen(ns, bytes) = (ns > 0 ? (least_ms = lower(least_ms, ns / 1e6), \
                             most_ms = higher(most_ms, ns / 1e6)) : 0, \
                   bytes > 0 ? (least_bytes = lower(least_bytes, bytes), \
                                most_bytes = higher(most_bytes, bytes)) : 0)
name = ""
set datafile commentschars ""
stats setup using ( \
	says("filter") ? (name = strcol(3), 0) : \
	strcol(1) eq "#" || is_base(name) ? 0 : \
	(seen(at(2), at(5)), seen(at(2), at(6)), 0)) nooutput
set datafile commentschars "#"

if (most_ms == 0) exit error setup . " holds no time"
panels = most_bytes > 0 ? 2 : 1

# ---- looks

headline = "Setting up a filter"
if (!text) {
	set label 1 headline at screen 0.02, 0.965 font ",15" \
		textcolor rgb 0x111111
	set label 2 facts at screen 0.02, 0.925 textcolor rgb grey
	set label 3 machine at screen 0.02, 0.89 textcolor rgb grey
	unset key
}

panel(name) = text ? \
	sprintf("set title '%s: %s'.\"\\n\".machine", headline, name) : \
	sprintf("set title '%s' offset 0, -0.4 textcolor rgb 0x333333", name)

set logscale y
set ytics () nomirror
duration(ms) = ms >= 1e3 ? sprintf("%g s", ms / 1e3) : \
           ms >= 1 ? sprintf("%g ms", ms) : sprintf("%g us", ms * 1e3)
memory(bytes) = bytes >= 2**30 ? sprintf("%g GiB", bytes / 2**30) : \
              bytes >= 2**20 ? sprintf("%g MiB", bytes / 2**20) : \
              bytes >= 2**10 ? sprintf("%g KiB", bytes / 2**10) : \
              sprintf("%g B", bytes)

# Half as wide, an axis has room for every second number.
if (!text && panels == 2 && axis eq "rules" && most_rules > 1e4) {
	set xtics ("1" 1, "" 10, "100" 100, "" 1e3, "10 k" 1e4, "" 1e5, \
	           "1 M" 1e6, "" 1e7, "100 M" 1e8)
}

file = exists("out") ? out : dir . "/setup." . format
if (!text && file ne "") { set output file }
if (!text) {
	set multiplot
	set tmargin at screen 0.81
	set bmargin at screen 0.11
	set lmargin at screen 0.085
	set rmargin at screen panels == 2 ? 0.39 : 0.77
}

eval panel("time to install the rules")
set yrange [least_ms / 1.5 : most_ms * 1.5]
do for [power = -4:6] {
	do for [digit in most_ms < 100 * least_ms ? "1 2 5" : "1"] {
		set ytics add (duration(digit * 10.0**power) digit * 10.0**power)
	}
}
if (!text && panels == 1) {
	set key at screen 0.99, 0.81 right top vertical Left reverse \
		samplen 2 spacing 1.4
}
plot for [i = 1:words(filters)] setup index int(word(filter_blocks, i)) \
         using 1:($2 / 1e6) with linespoints linewidth 1.6 \
         linecolor rgb colour[(i - 1) % 7 + 1] \
         pointtype mark[(i - 1) % 7 + 1] title word(filters, i)

if (panels == 2) {
	if (!text) {
		unset label 1
		unset label 2
		unset label 3
		set lmargin at screen 0.47
		set rmargin at screen 0.78
		set key at screen 0.99, 0.81 right top vertical Left reverse \
			samplen 2 spacing 1.4
	}
	eval panel("memory (dots: the kernel grew by)")
	set yrange [least_bytes / 1.5 : most_bytes * 1.5]
	set ytics () nomirror
	step = most_bytes < 64 * least_bytes ? 2.0 : 4.0
	do for [power = 0:30] {
		set ytics add (memory(64 * step**power) 64 * step**power)
	}
	plot for [i = 1:words(filters)] \
	         setup index int(word(filter_blocks, i)) \
	         using 1:($5 > 0 ? $5 : NaN) with linespoints linewidth 1.6 \
	         linecolor rgb colour[(i - 1) % 7 + 1] \
	         pointtype mark[(i - 1) % 7 + 1] title word(filters, i), \
	     for [i = 1:words(filters)] \
	         setup index int(word(filter_blocks, i)) \
	         using 1:($6 > 0 && $6 != $5 ? $6 : NaN) with points \
	         linecolor rgb colour[(i - 1) % 7 + 1] \
	         pointtype 7 pointsize 0.5 notitle
}
if (!text) { unset multiplot }
unset output
