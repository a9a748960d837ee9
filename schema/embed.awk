# SPDX-License-Identifier: MIT
# Writes the numbered SQL files as one C table: a row for each statement, in order.
function flush() {
	if (sql != "")
		printf "\t{%d, \"%s\",%s},\n", version, name, sql
	sql = ""
}
BEGIN { print "/* Made by schema/embed.awk. */\nstatic const struct step steps[] = {" }
FNR == 1 {
	flush()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.sql$/, "", name)
	version = name + 0
	sub(/^[0-9]+-/, "", name)
}
/^--/ || /^[ \t]*$/ { next }
{
	line = $0
	gsub(/\\/, "\\\\", line)
	gsub(/"/, "\\\"", line)
	gsub(/\t/, " ", line)
	last = sub(/;[ \t]*$/, "", line)
	sql = sql "\n\t \"" line "\\n\""
	if (last)
		flush()
}
END { flush(); print "};" }
