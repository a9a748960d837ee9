#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs have the protection that the compiler was asked for.
set -eu

cd "${builddir:-.}"
command -v readelf >/dev/null || { echo 'readelf is not installed: skipped' >&2; exit 77; }
flags=$(sed -n 's/^HARDEN_[A-Z]*FLAGS = *//p' Makefile)
[ -n "$flags" ] || { echo 'built with --disable-hardening: skipped' >&2; exit 77; }
wrong=0

# expect FLAG PROGRAM PATTERN TEXT: if the programs were built with FLAG, the TEXT of readelf has PATTERN
expect() {
	case $flags in
	*"$1"*) printf '%s\n' "$4" | grep -Eq -- "$3" || { echo "$2: no sign of $1" >&2; wrong=1; } ;;
	esac
}

for program in posthouse posthouse-smtpd posthouse-spool posthouse.fcgi; do
	head=$(readelf -hlW "$program") dynamic=$(readelf -dW "$program") symbols=$(readelf -W --dyn-syms "$program")
	expect -pie "$program" 'Type: *DYN' "$head"
	expect -Wl,-z,relro "$program" GNU_RELRO "$head"
	expect -Wl,-z,relro "$program" 'BIND_NOW|Flags:.* NOW' "$dynamic"
	expect -fstack-protector "$program" __stack_chk_fail "$symbols"
	expect FORTIFY_SOURCE "$program" '__[a-z]+_chk(@|$)' "$symbols"
	printf '%s\n' "$head" | grep -q 'GNU_STACK.*RWE' && { echo "$program: its stack can be executed" >&2; wrong=1; }
	case $flags in
	*-fcf-protection*)
		objdump -d --no-show-raw-insn --disassemble=main "$program" | grep -q endbr ||
			{ echo "$program: no sign of -fcf-protection" >&2; wrong=1; } ;;
	esac
done
exit $wrong
