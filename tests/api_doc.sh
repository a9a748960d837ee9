#!/bin/sh
# SPDX-License-Identifier: MIT
# api_doc makes the table of routes from a description, in an order in which each path is found, and refuses a description
# that lacks something.
set -eu

built=$(cd "${builddir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0

fail() {
	echo "$1" >&2
	faults=$((faults + 1))
}

describe() { # PATHS
	printf '{"paths":{},"components":{"schemas":{}}}' >"$work/service.json"
	printf '{"paths":{%s},"schemas":{}}' "$1" >"$work/part.json"
}

make_routes() { "$built/api/api_doc" routes "$work/service.json" "$work/part.json" 2>&1; }

read='"get":{"operationId":"a","x-scope":"read","x-route":{"handler":"fcgi_a"}}'

# Fixed words go before names, and longer paths before {email}, which takes slashes. All else keeps its order.
describe "\"/z\":{$read},\"/a/{id}\":{$read},\"/a/batch\":{$read},\"/p/{email}\":{$read},\"/p/{email}/b\":{$read},\"/p/c\":{$read},\"/b\":{$read}"
got=$(make_routes | sed -n 's/.*pattern = "\([^"]*\)".*/\1/p' | tr '\n' ' ')
want='/z /a/batch /a/{id} /p/{email}/b /p/c /p/{email} /b '
[ "$got" = "$want" ] || fail "order: got $got, want $want"

# All members of a row.
describe '"/a/{id}":{"post":{"operationId":"act","x-scope":"full","x-audit":"a.changed","x-route":{"handler":"fcgi_a",
	"body":"fcgi_b","failure":{"error":"No \"a\"","fault":""},"right":"owner","ahead":"store_a","yields":true,"audits":true,"downloads":true,"counts":true,
	"target":1},"parameters":[{"name":"id","in":"path"},{"name":"d","in":"query"}],"requestBody":{"content":{"application/json":{}}}}}'
got=$(make_routes)
for want in 'parameters_act[] = {"d", NULL}' 'failure_act = {.error = "No \"a\"", .fault = ""' '.method = METHOD_POST' '.scope = KEY_FULL' \
	'.body = &fcgi_b' '.handler = fcgi_a' '.failure = &failure_act' '.parameters = parameters_act' '.right = RIGHT_OWNER' '.yields = true' \
	'.audits = true' '.has_downloads = true' '.counts_people = true' '.ahead = &store_a' '.audit = "a.changed"' '.target = 1'; do
	case $got in
	*"$want"*) ;;
	*) fail "no $want in: $got" ;;
	esac
done

refuse() { # FAULT PATHS
	describe "$2"
	if got=$(make_routes); then
		fail "made, though: $1"
	fi
	case $got in
	*"$1"*) ;;
	*) fail "got $got, want $1" ;;
	esac
}

refuse '/a/{b} and /a/{id} are one path' "\"/a/{id}\":{$read},\"/a/{b}\":{$read}"
refuse 'GET /a: it has no x-route' '"/a":{"get":{"operationId":"a","x-scope":"read"}}'
refuse 'GET /a: it needs either x-scope or security' '"/a":{"get":{"operationId":"a","x-route":{"handler":"fcgi_a"}}}'
refuse 'GET /a: it needs either a handler or storing' '"/a":{"get":{"operationId":"a","x-scope":"read","x-route":{}}}'
refuse 'GET /a: x-scope is unknown' '"/a":{"get":{"operationId":"a","x-scope":"red","x-route":{"handler":"fcgi_a"}}}'
refuse 'GET /a: right is unknown' '"/a":{"get":{"operationId":"a","x-scope":"read","x-route":{"handler":"fcgi_a","right":"all"}}}'
refuse 'GET /a: x-route has an unknown member' '"/a":{"get":{"operationId":"a","x-scope":"read","x-route":{"handler":"fcgi_a","yield":true}}}'
refuse 'GET /a: a name in x-route is none of C' '"/a":{"get":{"operationId":"a","x-scope":"read","x-route":{"handler":"a;b"}}}'
refuse 'DELETE /a: it has no x-audit' '"/a":{"delete":{"operationId":"a","x-scope":"full","x-route":{"handler":"fcgi_a"}}}'
refuse 'DELETE /a: it audits, but has no x-audit' \
	'"/a":{"delete":{"operationId":"a","x-scope":"full","x-audit":null,"x-route":{"handler":"fcgi_a","audits":true}}}'
refuse 'POST /a: body has to be there' \
	'"/a":{"post":{"operationId":"a","x-scope":"send","x-route":{"handler":"fcgi_a"},"requestBody":{"content":{"application/json":{}}}}}'
refuse 'repeated' "\"/a\":{$read},\"/a\":{$read}"

# The rows of a table of fields, by the types of a schema and by x-field.
describe_fields() { # PROPERTIES [REST OF SCHEMA]
	printf '{"paths":{},"components":{"schemas":{}}}' >"$work/service.json"
	printf '{"paths":{"/a":{"post":{"operationId":"a","x-scope":"send","x-route":{"handler":"fcgi_a","body":"fcgi_b"},"requestBody":{"content":{
		"application/json":{"schema":{"$ref":"#/components/schemas/NewThing"}}}}}}},
		"schemas":{"NewThing":{"type":"object","properties":{%s}%s}}}' "$1" "${2-}" >"$work/part.json"
}
one() { # WANTED_ROW PROPERTY [REST OF SCHEMA]
	describe_fields "\"n\":$2" "${3-}"
	got=$("$built/api/api_doc" fields "$work/service.json" "$work/part.json" | sed -n '/define FIELDS_NEW_THING(record)/,/^$/s/^	//p')
	[ "$got" = "$1" ] || fail "fields: got $got, want $1"
}
one 'JSON_FIELD("n", FIELD_STRING, record, n, .required = true, .min = 1, .max = 9)' '{"type":"string","minLength":1,"maxLength":9}' ',"required":["n"]'
one 'JSON_FIELD("n", FIELD_STRING, record, n, .bytes = true, .max = 9)' '{"type":["string","null"],"x-maxBytes":9}'
one 'JSON_FIELD("n", FIELD_BOOLEAN, record, n)' '{"type":"boolean"}'
one 'JSON_FIELD("n", FIELD_JSON, record, n, .kinds = JSON_KIND(JSON_BOOLEAN))' '{"type":["boolean","null"]}'
one 'JSON_FIELD("n", FIELD_INTEGER, record, n, .min = 2, .max = 9)' '{"type":["integer","null"],"minimum":2,"maximum":9}'
one 'JSON_FIELD("n", FIELD_TIME, record, n)' '{"type":["integer","string"]}'
one 'JSON_FIELD("n", FIELD_STRINGS, record, n, .max = 9)' '{"type":"array","maxItems":9,"items":{"type":"string"}}'
one 'JSON_FIELD("n", FIELD_STRINGS, record, n)' '{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}'
one 'JSON_FIELD("n", FIELD_OBJECT, record, n, .max = 9)' '{"type":["object","null"],"maxProperties":9}'
one 'JSON_FIELD("n", FIELD_JSON, record, n, .kinds = JSON_KIND(JSON_STRING) | JSON_KIND(JSON_OBJECT))' '{"type":["object","string"]}'
one '' '{"type":"array","items":{"type":"object"}}'
one '' '{"type":"string","x-field":{"skip":true}}'
one 'JSON_FIELD("n", FIELD_STRING, record, m, .required = true, .blank = true, .bytes = true, .min = 2, .max = 8, .given = offsetof(record, m_given))' \
	'{"type":"string","minLength":1,"maxLength":9,"x-field":{"member":"m","given":true,"blank":true,"bytes":true,"min":2,"max":8,"required":true}}'
one 'JSON_FIELD("n", FIELD_STRING, record, n, .given = offsetof(record, g))' '{"type":"string","maxLength":9,"x-field":{"checked":true,"given":"g"}}'
one 'JSON_FIELD("n", FIELD_JSON, record, n, .kinds = ~0U)' '{"type":["array","null"],"items":{"type":"string"},"x-field":{"any":true}}'
describe_fields '"n":{"type":"string","x-field":{"as":"text"}}'
if "$built/api/api_doc" fields "$work/service.json" "$work/part.json" >/dev/null 2>&1; then
	fail 'fields: made with an unknown form'
fi

# Limits that have constants of C.
describe_fields '"n":{"type":"string","maxLength":9,"x-field":{"min":3},"x-limit":{"maxLength":"LIMIT_A","min":"LIMIT_B"}}'
got=$(make_routes | grep -c '_Static_assert(LIMIT_A == 9, \|_Static_assert(LIMIT_B == 3, ')
[ "$got" = 2 ] || fail "limits: $(make_routes)"
describe_fields '"n":{"type":"string","x-limit":{"maxLength":"LIMIT_A"}}'
if make_routes >/dev/null; then
	fail 'limits: made without the limit'
fi

# The published document has nothing of what is for the service alone, nor an empty action.
describe '"/a":{"delete":{"operationId":"a","x-scope":"full","x-audit":null,"x-route":{"handler":"fcgi_a"}},
	"patch":{"x-audit":"a.changed"}}'
got=$("$built/api/api_doc" openapi 1.2 "$work/service.json" "$work/part.json" | tr -d ' \n')
want='{"paths":{"/a":{"delete":{"operationId":"a","x-scope":"full"},"patch":{"x-audit":"a.changed"}}},"components":{"schemas":{}}}'
[ "$got" = "$want" ] || fail "published: got $got, want $want"

exit $((faults > 0))
