# SPDX-License-Identifier: MIT
# Writes the SQL files as two C tables, with a row for each statement, in the order of the files: the numbered steps, then
# those of now/, which have no number.
function flush() {
	if (sql != "")
		printf "\t{%d, \"%s\",%s},\n", version, name, sql
	sql = ""
}
BEGIN { print "/* Made by schema/embed.awk. */\nstatic const struct step steps[] = {" }
FNR == 1 {
	flush()
	if (FILENAME ~ /\/now\// && !now) {
		now = 1
		print "};\nstatic const struct step now[] = {"
	}
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.sql$/, "", name)
	version = name + 0
	sub(/^[0-9]+-/, "", name)
}
/^[ \t]*--/ || /^[ \t]*$/ { next }
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
