# SPDX-License-Identifier: MIT
# Fills the tables of posthouse-api(7) in from openapi.json:
#     awk -f api/manual.awk openapi.json man/posthouse-api.7.in >posthouse-api.7
# These lines of the page are replaced:
#     @routes                  all operations with their scopes
#     @operation METHOD PATH   an operation's head, description, parameters and fields of the body
#     @responses METHOD PATH   its replies with their texts; those that operations share ($ref) are left out
#     @response NAME           the texts of a shared reply
#     @members SCHEMA          the members of a schema
# Descriptions are CommonMark, of which paragraphs, `code` and lists of "- `word`: text" are known. "Section" of
# posthouse-api(7) becomes a reference within the page. The run fails when an operation has no place in the page, or when
# anything in a table has no description.
function fail(text)
{
	print "api/manual.awk: " text >"/dev/stderr"
	failed = 1
	exit 1
}

# The document: kind[path] is { [ " or 0, text[path] the value, size[path] and name[path, i] the members. A path is made of
# names with SUBSEP between.
function at(path, key) { return path SUBSEP key }

function put(type, value,    parent, path)
{
	parent = stack[depth]
	if (kind[parent] == "[")
		key = size[parent] + 0
	path = depth ? at(parent, key) : "#"
	if (depth)
		name[parent, size[parent]++] = key
	if (parent ~ /properties$/ || (key == "name" && parent ~ /parameters/))
		is_name[parent ~ /properties$/ ? key : value] = 1
	kind[path] = type
	text[path] = value
	return path
}

function unescape(value)
{
	if (value ~ /\\u/)
		fail("write the character in place of \\u: " value)
	gsub(/\\\\/, "\001", value)
	gsub(/\\n/, "\n", value)
	gsub(/\\/, "", value)
	gsub(/\001/, "\\", value)
	return value
}

function parse(line,    token)
{
	while (match(line, /"([^"\\]|\\.)*"|[][{}]|[-+.0-9A-Za-z]+/)) {
		token = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		if (token ~ /^"/ && line ~ /^:/)
			key = unescape(substr(token, 2, length(token) - 2))
		else if (token ~ /^"/)
			put("\"", unescape(substr(token, 2, length(token) - 2)))
		else if (token ~ /^[{[]/) {
			token = put(token, "")
			stack[++depth] = token
		} else if (token ~ /^[]}]/)
			depth--
		else
			put("0", token)
	}
}

# A path with its references followed.
function resolve(path)
{
	while (at(path, "$ref") in kind) {
		path = text[at(path, "$ref")]
		gsub("/", SUBSEP, path)
	}
	if (!(path in kind))
		fail("no " path)
	return path
}

function member(path, key) { return text[at(path, key)] }

function has(path, key) { return at(path, key) in kind }

# Text as mdoc.
function escape(line)
{
	gsub(/\\/, "\\e", line)
	if (line ~ /^[.']/)
		line = "\\&" line
	return line
}

function argument(word)
{
	gsub(/\\/, "\\e", word)
	gsub(/"/, "\\(dq", word)
	if (word ~ /[].,:;)?!]$/)
		word = substr(word, 1, length(word) - 1) "\\&" substr(word, length(word))
	else if (word ~ /^([[(|]|[A-Z][a-z])$/)
		word = "\\&" word
	return word ~ / / ? "\"" word "\"" : word
}

function flush_line()
{
	if (pending != "")
		print escape(pending)
	pending = ""
}

# A word before and behind which punctuation may stand: "(`to`," is ".Ic ( to ,".
function macro(word, opener, closer,    before, after, inside, line)
{
	before = substr(word, 1, index(word, opener) - 1)
	word = substr(word, index(word, opener) + 1)
	inside = substr(word, 1, index(word, closer) - 1)
	after = substr(word, index(word, closer) + 1)
	if (before !~ /^[(]?$/)
		fail("a blank is missing before " inside)
	gsub(/\001/, " ", inside)
	line = opener == "\002" ? ".Sx" : inside in is_name ? ".Ic" : ".Li"
	line = line (before == "" ? "" : " " before) " " argument(inside)
	flush_line()
	if (after ~ /^[.,:;)?!]*$/)
		for (; after != ""; after = substr(after, 2))
			line = line " " substr(after, 1, 1)
	else
		line = line " Ns " argument(after)
	print line
}

function page_reference(word,    after)
{
	after = substr(word, index(word, ")") + 1)
	flush_line()
	word = ".Xr " substr(word, 1, index(word, "(") - 1) " " substr(word, index(word, "(") + 1, 1)
	for (; after != ""; after = substr(after, 2))
		word = word " " substr(after, 1, 1)
	print word
}

# Hides blanks within `code` and makes references of the page.
function mark(line,    result, word)
{
	while (match(line, /"[A-Z][A-Za-z ]*" of posthouse-api\(7\)/)) {
		word = substr(line, RSTART + 1, index(substr(line, RSTART + 1), "\"") - 1)
		gsub(/ /, "\001", word)
		line = substr(line, 1, RSTART - 1) "\002" word "\003" substr(line, RSTART + RLENGTH)
	}
	while (match(line, /`[^`]*`/)) {
		word = substr(line, RSTART, RLENGTH)
		gsub(/ /, "\001", word)
		result = result substr(line, 1, RSTART - 1) word
		line = substr(line, RSTART + RLENGTH)
	}
	return result line
}

function sentences(line,    words, count, i)
{
	count = split(mark(line), words, / +/)
	for (i = 1; i <= count; i++) {
		if (words[i] ~ /`/)
			macro(words[i], "`", "`")
		else if (words[i] ~ /\002/)
			macro(words[i], "\002", "\003")
		else if (words[i] ~ /^[a-z.-]+\([1-8]\)[.,:;)]*$/)
			page_reference(words[i])
		else {
			if (length(pending) + length(words[i]) > 78)
				flush_line()
			pending = pending (pending == "" ? "" : " ") words[i]
			if (words[i] ~ /[.!?][)"]*$/)
				flush_line()
		}
	}
	flush_line()
}

# The widest tag among the list items from line i on.
function tag_width(lines, i, count,    tag, widest)
{
	for (; i <= count && lines[i] ~ /^- /; i++) {
		tag = substr(lines[i], 3, index(lines[i], "`: ") - 2)
		gsub(/`/, "", tag)
		gsub(/,/, " ,", tag)
		if (length(tag) > length(widest))
			widest = tag
	}
	gsub(/ /, "_", widest)
	return widest
}

function prose(value,    lines, count, i, in_list, tag)
{
	count = split(value, lines, "\n")
	for (i = 1; i <= count; i++) {
		if (in_list && lines[i] !~ /^- /) {
			print ".El"
			in_list = 0
		}
		if (lines[i] == "") {
			print ".Pp"
			continue
		}
		if (lines[i] !~ /^- /) {
			sentences(lines[i])
			continue
		}
		if (!in_list)
			print ".Bl -tag -width " tag_width(lines, i, count) " -compact"
		in_list = 1
		tag = substr(lines[i], 3, index(lines[i], "`: ") - 2)
		gsub(/`/, "", tag)
		gsub(/,/, " ,", tag)
		print ".It Li " tag
		sentences(substr(lines[i], index(lines[i], "`: ") + 3))
	}
	if (in_list)
		print ".El"
}

# The description of a schema, or of the one that it refers to; "" where there is none.
function description(path)
{
	if (has(path, "description"))
		return member(path, "description")
	return member(resolve(path), "description")
}

# "1 to 100 characters"; "" without limits.
function range(path, least, most, noun)
{
	if (!has(path, most))
		return ""
	if (has(path, least))
		return member(path, least) " to " member(path, most) " " noun
	return "at most " member(path, most) " " noun
}

function bytes(path,    count)
{
	count = member(path, "x-maxBytes")
	if (count == "")
		return ""
	if (count % 1048576 == 0)
		return "at most " count / 1048576 " MB"
	return "at most " (count % 1024 ? count " bytes" : count / 1024 " KB")
}

function limits(path, first, second)
{
	if (first == "")
		return second == "" ? "" : " of " second
	return " of " first (second == "" ? "" : " and " second)
}

function type_of(path, type)
{
	if (type == "string")
		return "text" limits(path, range(path, "minLength", "maxLength", "characters"), bytes(path))
	if (type == "integer" || type == "number")
		return type
	if (type == "boolean")
		return "boolean"
	if (type == "array")
		return "list" limits(path, range(path, "minItems", "maxItems", "items"), bytes(path))
	return "object" limits(path, range(path, "minProperties", "maxProperties", "members"), bytes(path))
}

function join_or(list, next_one) { return list == "" ? next_one : list (next_one == "" ? "" : " or ") next_one }

function is_null(path) { return kind[path] == "0" && text[path] == "null" }

# The values of an enum, but for null, with "or" before the last one unless more follows.
function values(path, is_open,    i, list, count, result)
{
	for (i = 0; i < size[path]; i++)
		if (!is_null(at(path, i)))
			list[++count] = text[at(path, i)]
	for (i = 1; i <= count; i++)
		result = result (i == 1 ? "" : i == count && !is_open ? " or " : ", ") list[i]
	return result
}

# A type and its limits in words, "text of at most 100 characters or null". Null is told in answers alone.
function type_words(path, in_answer,    i, one, count, result, null)
{
	path = resolve(path)
	if (has(path, "anyOf")) {
		for (i = 0; i < size[at(path, "anyOf")]; i++) {
			one = at(at(path, "anyOf"), i)
			if (member(one, "type") == "null")
				null = "null"
			else
				result = join_or(result, type_words(one, in_answer))
		}
		return join_or(result, in_answer ? null : "")
	}
	if (kind[at(path, "type")] != "[")
		result = type_of(path, member(path, "type"))
	for (i = 0; i < size[at(path, "type")]; i++) {
		one = text[at(at(path, "type"), i)]
		if (one == "null")
			null = one
		else
			result = join_or(result, type_of(path, one))
	}
	if (has(path, "enum") && member(path, "description") !~ /- `/)
		result = values(at(path, "enum"), in_answer && null != "")
	return join_or(result, in_answer ? null : "")
}

function is_required(path, key,    i)
{
	for (i = 0; i < size[at(path, "required")]; i++)
		if (text[at(at(path, "required"), i)] == key)
			return 1
	return 0
}

# The parentheses behind a name.
function summary(path, words, in_answer)
{
	words = words (words == "" ? "" : "; ") type_words(path, in_answer)
	if (has(path, "default"))
		words = words "; " member(path, "default") " if not given"
	return words
}

# The object whose members a member has, when it is written in its place; else "".
function inner(path)
{
	if (has(path, "items"))
		path = at(path, "items")
	return has(path, "properties") ? path : ""
}

# Prints the members of an object as items of a list. Neighbours of the same type and description share one.
function items(path, in_answer,    properties, i, key, one, tag, words, next_words)
{
	properties = at(path, "properties")
	for (i = 0; i < size[properties]; i++) {
		key = name[properties, i]
		one = at(properties, key)
		if (description(one) == "")
			fail("no description: " path " " key)
		words = summary(one, is_required(path, key) && !in_answer ? "required" : "", in_answer)
		tag = tag (tag == "" ? "" : " , ") argument(key)
		if (i + 1 < size[properties]) {
			key = name[properties, i + 1]
			next_words = summary(at(properties, key),
				is_required(path, key) && !in_answer ? "required" : "", in_answer)
			if (next_words == words && description(at(properties, key)) == description(one) &&
			    inner(one) == "")
				continue
		}
		print ".It Ic " tag " Pq " words
		tag = ""
		prose(description(one))
		if (inner(one) != "")
			members(inner(one), in_answer)
	}
}

function members(path, in_answer)
{
	print ".Bl -tag -width Ds"
	items(path, in_answer)
	print ".El"
}

function operation_path(method, route,    path)
{
	path = at(at(at("#", "paths"), route), tolower(method))
	if (!(path in kind))
		fail("no operation " method " " route)
	return path
}

function scope_words(path) { return has(path, "x-scope") ? "scope Cm " member(path, "x-scope") : "no key" }

# Parameters that operations share are told of once, in the prose; those of the path are in the description.
function parameters(path,    list, i, one, words)
{
	list = at(path, "parameters")
	for (i = 0; i < size[list]; i++) {
		one = at(list, i)
		if (has(one, "$ref") || member(one, "in") == "path")
			continue
		words = "in the " (member(one, "in") == "query" ? "query" : "header") \
			(member(one, "required") == "true" ? "; required" : "")
		print ".It Ic " argument(member(one, "name")) " Pq " summary(at(one, "schema"), words, 0)
		prose(member(one, "description"))
	}
}

function own_parameters(path,    list, i, count)
{
	list = at(path, "parameters")
	for (i = 0; i < size[list]; i++)
		count += !has(at(list, i), "$ref") && member(at(list, i), "in") != "path"
	return count
}

function operation(method, route,    path, body)
{
	path = operation_path(method, route)
	placed[path]++
	if (!has(path, "description"))
		fail("no description: " method " " route)
	print ".It Ic " method " " route " Pq " scope_words(path)
	prose(member(path, "description"))
	body = at(at(at(at(path, "requestBody"), "content"), "application/json"), "schema")
	body = body in kind ? resolve(body) : ""
	if (body == "" && !own_parameters(path))
		return
	print ".Bl -tag -width Ds"
	parameters(path)
	if (body != "")
		items(body, 0)
	print ".El"
}

# A member that is a text; else "".
function text_at(path, key) { return kind[at(path, key)] == "\"" ? member(path, key) : "" }

# The text of an example: the message, with the code or the details in parentheses.
function example_text(value,    more)
{
	more = text_at(value, "code") text_at(value, "details")
	return text_at(value, "message") text_at(value, "error") (more == "" ? "" : " (" more ")")
}

function texts(path,    content, type, examples, i, line, any)
{
	content = at(path, "content")
	type = at(content, name[content, 0])
	examples = at(type, "examples")
	for (i = 0; i < size[examples]; i++) {
		line = example_text(at(at(examples, name[examples, i]), "value"))
		if (line == "")
			continue
		if (!any++)
			print ".Bd -literal -compact"
		print escape(line)
	}
	if (any)
		print ".Ed"
}

# 500 and 503 are the same everywhere.
function responses(method, route,    list, i, one)
{
	list = at(operation_path(method, route), "responses")
	answered[operation_path(method, route)]++
	print ".Pp"
	print ".Bl -tag -width 400 -compact"
	for (i = 0; i < size[list]; i++) {
		one = at(list, name[list, i])
		if (has(one, "$ref") || name[list, i] >= 500)
			continue
		print ".It " name[list, i]
		prose(member(one, "description"))
		texts(one)
	}
	print ".El"
}

function routes(    paths, i, j, route, path)
{
	paths = at("#", "paths")
	print ".Bl -column \"DELETE /v1/audiences/{id}/contacts/{contact}\""
	print ".It Sy Operation Ta Sy Scope"
	for (i = 0; i < size[paths]; i++) {
		route = name[paths, i]
		for (j = 0; j < size[at(paths, route)]; j++) {
			path = at(at(paths, route), name[at(paths, route), j])
			print ".It Ic " toupper(name[at(paths, route), j]) " " route " Ta " \
				(has(path, "x-scope") ? "Cm " member(path, "x-scope") : "no key")
		}
	}
	print ".El"
}

function place(directive, first, second,    path)
{
	if (directive == "@routes")
		routes()
	else if (directive == "@operation")
		operation(first, second)
	else if (directive == "@responses")
		responses(first, second)
	else if (directive == "@response")
		texts(at(at(at("#", "components"), "responses"), first))
	else if (directive == "@members") {
		path = at(at(at("#", "components"), "schemas"), first)
		if (!has(path, "properties"))
			fail("no schema " first)
		members(path, first !~ /^(New|Attachment)/)
	} else
		fail("unknown: " directive)
}

FNR == 1 { file++ }
file == 1 { parse($0); next }
FNR == 1 { print ".\\\" Made by api/manual.awk from api/*.json and man/posthouse-api.7.in." }
/^@/ { place($1, $2, $3); next }
{ print }
END {
	if (failed)
		exit 1
	paths = at("#", "paths")
	for (i = 0; i < size[paths]; i++) {
		path = at(paths, name[paths, i])
		for (j = 0; j < size[path]; j++)
			if (placed[at(path, name[path, j])] != 1 || answered[at(path, name[path, j])] != 1)
				fail("not told once in man/posthouse-api.7.in: " name[path, j] " " name[paths, i])
	}
}
