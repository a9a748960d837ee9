#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the includes of the source against tests/rooms: no arrow that is not listed, no library used outside its door,
# no include between folders that are kept apart, no call that has a wrapper, no loop of rooms or files. A header and its
# .c are one file here.
set -eu

src=${srcdir:-$(dirname "$0")/..}
cd "$src"

list=$(mktemp)
trap 'rm -f "$list" "$list.pairs"' EXIT
find lib fcgi spool smtpd cli -name '*.[ch]' | LC_ALL=C sort >"$list"

xargs awk '
	FILENAME == "tests/rooms" {
		if ($1 == "room") { known[$2] = 1; for (i = 3; i <= NF; i++) allowed[$2, $i] = 1 }
		if ($1 == "apart") { apart[$2, $3] = 1; apart[$3, $2] = 1 }
		if ($1 == "door") { doors[$2] = ""; for (i = 3; i <= NF; i++) doors[$2] = doors[$2] " " $i }
		if ($1 == "call") { calls[$2] = $3 }
		next
	}
	FNR == 1 { files++; room = room_of(FILENAME); if (!(room in known)) fault("stands in no room of tests/rooms") }
	/^[ \t]*#[ \t]*include[ \t]*["<]/ {
		match($0, /["<][^">]*[">]/)
		header = substr($0, RSTART + 1, RLENGTH - 2)
		if (substr($0, RSTART, 1) == "\"")
			ours(header)
		else
			theirs(header)
	}
	{
		for (call in calls)
			if ($0 ~ call && FILENAME != calls[call])
				fault("has code that stands in " calls[call] " alone: " $0)
	}
	function room_of(path,    parts) {
		split(path, parts, "/")
		return parts[1] == "lib" ? parts[1] "/" parts[2] : parts[1]
	}
	function ours(header,    path, other) {
		path = header ~ /^(fcgi|spool|smtpd|cli|schema|api)\// ? header : "lib/" header
		if (path ~ /^(schema|api)\//)
			return
		other = room_of(path)
		if (other != room && !((room, other) in allowed))
			fault("includes " header ", which " room " may not")
		if ((folder(FILENAME), folder(path)) in apart)
			fault("includes " header ", from which " folder(FILENAME) " is kept apart")
		print unit(FILENAME), unit(path) > pairs
	}
	function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
	function unit(path) { sub(/\.[ch]$/, "", path); return path }
	function theirs(header,    door, places, n, i, in_place) {
		for (door in doors) {
			if (index("/" header, "/" door) == 0)
				continue
			n = split(doors[door], places, " ")
			in_place = 0
			for (i = 1; i <= n; i++)
				if (FILENAME == places[i] || index(FILENAME, places[i] "/") == 1)
					in_place = 1
			if (!in_place)
				fault("includes <" header ">, whose door is" doors[door])
		}
	}
	function fault(text) { print FILENAME ":" FNR ": " text; faults++ }
	END { if (files < 2) fault("no source found"); exit faults > 0 }
' pairs="$list.pairs" tests/rooms <"$list"

awk '$1 == "room" { for (i = 3; i <= NF; i++) print $2, $i }' tests/rooms | tsort >/dev/null
awk '$1 != $2' "$list.pairs" | LC_ALL=C sort -u | tsort >/dev/null
