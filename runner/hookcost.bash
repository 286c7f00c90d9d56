# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: commands, options, and the names that `list` prints.

_hookcost() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local names

	if [ "$COMP_CWORD" -eq 1 ]; then
		names=$(hookcost --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
	elif [ "$before" = --filter ] || [ "$before" = -f ]; then
		names=$(hookcost list | sed -n 's/^ *\([a-z0-9-]*@[a-z]*\).*/\1/p')
	elif [ "$before" = --source ] || [ "$before" = -s ]; then
		names="auto $(hookcost list | sed -n 's/^source *\([^ ]*\).*/\1/p')"
	elif [[ $word == -* ]]; then
		names=$(hookcost "${COMP_WORDS[1]}" --help |
			grep -o -e '--[a-z-]*')
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
}
complete -F _hookcost hookcost
