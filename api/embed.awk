# SPDX-License-Identifier: MIT
# Writes a text file as a C string, api_document: a literal for each line.
BEGIN { print "/* Made by api/embed.awk. */\nstatic const char api_document[] =" }
{
	gsub(/["\\]/, "\\\\&")
	print "\t\"" $0 "\\n\""
}
END { print "\t;" }
