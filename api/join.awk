# SPDX-License-Identifier: MIT
# Joins the description of the service with those of its resources into one OpenAPI document:
#     awk -v version=0.1.0 -f api/join.awk api/service.json api/emails.json ... >openapi.json
# Each file is JSON indented by two spaces. service.json is the whole document without the resources; each other file has
# the members "paths" and "schemas", which go into the document's own. version replaces @VERSION@ in service.json.
FNR == 1 { file++; inside = "" }
file == 1 { sub(/@VERSION@/, version); service[++lines] = $0; next }
/^  "(paths|schemas)": \{$/ { inside = $1; first = 1; next }
/^  \},?$/ { inside = ""; next }
inside == "" { next }
{
	text = inside == "\"schemas\":" ? "  " $0 : $0
	if (first && parts[inside] != "")
		sub(/\n$/, ",\n", parts[inside])
	first = 0
	parts[inside] = parts[inside] text "\n"
}
END {
	for (i = 1; i <= lines; i++) {
		if (service[i] ~ /^    \}$/ && schemas) {
			sub(/\n$/, "", parts["\"schemas\":"])
			print held ","
			print parts["\"schemas\":"]
			schemas = 0
		} else if (i > 1) {
			print held
		}
		held = service[i]
		if (service[i] ~ /^    "schemas": \{$/)
			schemas = 1
		if (service[i] ~ /^  "paths": \{$/) {
			print held
			sub(/\n$/, "", parts["\"paths\":"])
			held = parts["\"paths\":"]
		}
	}
	print held
}
