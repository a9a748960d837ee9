#!/bin/sh
# SPDX-License-Identifier: MIT
# Long runs of the tests by chance, which make check keeps short: name, time and outcome of each. PROOFS chooses by name; STEPS sets
# another length.
: "${builddir:=.}"
export srcdir builddir

# NAME PROGRAM FILTER STEPS
proofs='
consent        tests/http/http_test                people_reach/*       10000
people         tests/http/http_test                people_random/*      1500
contacts       tests/http/http_test                contact_model/*      1500
segments       tests/segment/segment_test          random/*             1000
designs        tests/automation/design_test        random_designs/*     30000
engine         tests/automation/engine_test        agreement/*          10000
journeys       tests/automation/engine_test        journeys_model/*     20000
sending        tests/lib/lib_test                  sending_model/*      300
messages       tests/mail/mail_test                random/*             20000
streams        tests/lib/lib_test                  stream/random*       1500
'

failed=0 made=0
printf '%-12s %8s %8s\n' proof steps seconds
while read -r name program filter steps; do
	[ -n "$name" ] || continue
	case " ${PROOFS:-$name} " in *" $name "*) ;; *) continue ;; esac
	steps=${STEPS:-$steps} log=$builddir/proofs-$name.log
	begin=$(date +%s)
	if POSTHOUSE_STEPS=$steps "$builddir/$program" --filter "$filter" >"$log" 2>&1 && grep -q 'Passing: [1-9]' "$log"; then
		outcome=passed
	else
		outcome="FAILED, see $log" failed=1
	fi
	made=$((made + 1))
	printf '%-12s %8s %8s  %s\n' "$name" "$steps" "$(($(date +%s) - begin))" "$outcome"
done <<EOT
$proofs
EOT
[ "$made" -gt 0 ] || { echo "proofs.sh: no proof is named $PROOFS" >&2; exit 64; }
exit $failed
