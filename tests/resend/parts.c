/* SPDX-License-Identifier: MIT */
/* Shared parts of operations under /resend: fields, idempotency keys. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/request.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "fcgi/resend/handlers.h"
#include "fcgi/resend/limits.h"
#include "fcgi/resend/logs.h"
#include "json/fields.h"
#include "json/strict.h"
#include "service/once.h"
#include "tests/fcgi/fake_io.h"

struct thing {
	const char *name;
	const char **to;
	bool on;
	GArray *tags;
};

static const struct json_field tag_fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct thing, name, .required = true, .min = 1),
};

static const struct json_field fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct thing, name, .required = true, .min = 1, .max = 5),
    JSON_FIELD("to", FIELD_STRINGS, struct thing, to, .required = true, .min = 1, .max = 2),
    JSON_FIELD("on", FIELD_BOOLEAN, struct thing, on),
    JSON_FIELD("tags", FIELD_LIST, struct thing, tags, JSON_ELEMENTS(tag_fields, struct thing)),
};

static const struct json_table table = JSON_TABLE(fields);

/* "code: message", or "" when the thing can be read. */
static char *
read_thing(const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *quoted = g_strdelimit(g_strdup(text), "'", '"');
	AUTO(json) object = json_parse(quoted, strlen(quoted), NULL);
	struct thing thing = {.on = true};

	cr_assert(object, "%s", quoted);
	if (!fcgi_resend_read(object, &table, &thing, &error)) {
		cr_assert_eq(error->domain, FCGI_RESEND_ERROR);
		return g_strdup_printf("%d: %s", error->code, error->message);
	}
	json_fields_free(fields, G_N_ELEMENTS(fields), &thing);
	return g_strdup("");
}

Test(resend_parts, name_the_field)
{
	const struct {
		const char *body;
		enum fcgi_resend_error code;
		const char *want;
	} cases[] = {
	    {"{'name':'x','to':'a'}", 0, NULL},
	    {"{'name':'x','to':['a'],'on':null,'tags':null}", 0, NULL},
	    {"{'name':'x','to':['a'],'To':7,'nam':7}", 0, NULL},
	    {"{'to':'a'}", RESEND_MISSING_FIELD, "Missing `name` field."},
	    {"{'name':null,'to':'a'}", RESEND_MISSING_FIELD, "Missing `name` field."},
	    {"{'name':'','to':'a'}", RESEND_MISSING_FIELD, "Missing `name` field."},
	    {"{'name':'x','to':[]}", RESEND_MISSING_FIELD, "Missing `to` field."},
	    {"{'name':'x','to':''}", RESEND_MISSING_FIELD, "Missing `to` field."},
	    {"{'name':'x','to':'a','tags':[{}]}", RESEND_MISSING_FIELD,
		"Missing `tags[0].name` field."},
	    {"{'name':7,'to':'a'}", RESEND_INVALID, "Invalid `name` field. name must be a string."},
	    {"{'name':'abcdef','to':'a'}", RESEND_INVALID,
		"Invalid `name` field. name must be at most 5 characters."},
	    {"{'name':'x','to':['a',7]}", RESEND_INVALID,
		"Invalid `to` field. to[1] must be a string."},
	    {"{'name':'x','to':'a','tags':[{'name':7}]}", RESEND_INVALID,
		"Invalid `tags` field. tags[0].name must be a string."},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = read_thing(cases[i].body);
		g_autofree char *want =
		    cases[i].want ? g_strdup_printf("%d: %s", cases[i].code, cases[i].want)
				  : g_strdup("");

		cr_expect_str_eq(got, want, "%s: got %s, want %s", cases[i].body, got, want);
	}
}

/* Reads an Idempotency-Key of so many letters; -1: there is no such header. */
static bool
parts_read_key(
    gssize length, struct service_idempotency *key_r, struct fcgi_call *call, GError **error)
{
	g_autofree char *letters = g_strnfill((gsize)MAX(length, 0), 'k');
	g_autofree char *line = g_strconcat("HTTP_IDEMPOTENCY_KEY=", letters, NULL);
	const char *params[] = {length < 0 ? NULL : line, NULL};
	struct fcgi_io *io = fake_io_new(params, NULL, 0, 0);
	struct fcgi_request request = {.io = io};

	call->request = &request;
	bool good = fcgi_resend_idempotency(call, key_r, NULL, error);
	fake_io_free(io);
	return good;
}

Test(resend_parts, keep_idempotency_keys_apart)
{
	static const struct {
		gssize length;
		bool want;
	} cases[] = {{-1, true}, {0, false}, {1, true}, {LIMIT_RESEND_IDEMPOTENCY_KEY, true},
	    {LIMIT_RESEND_IDEMPOTENCY_KEY + 1, false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		struct fcgi_call call = {.service = NULL};
		struct service_idempotency key;
		bool good = parts_read_key(cases[i].length, &key, &call, &error);

		cr_expect_eq(good, cases[i].want, "%zd", cases[i].length);
		if (!good)
			cr_expect(
			    g_error_matches(error, FCGI_RESEND_ERROR, RESEND_IDEMPOTENCY_KEY) &&
				strcmp(error->message, "The key must be between 1-256 chars.") == 0,
			    "%zd: %s", cases[i].length, error->message);
		else if (cases[i].length < 0)
			cr_expect_null(key.key.name);
		else
			cr_expect(key.key.name[0] == '\1' &&
				      strlen(key.key.name) <= LIMIT_IDEMPOTENCY_KEY_LENGTH,
			    "%zd: %s", cases[i].length, key.key.name);
	}
}

/* A body in the log, at the limit and one past it. */
Test(resend_parts, log_bodies_up_to_64_KiB)
{
	static const struct {
		gsize size;
		bool kept;
	} cases[] = {{LIMIT_LOG_BODY_BYTES, true}, {LIMIT_LOG_BODY_BYTES + 1, false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *fill = g_strnfill(cases[i].size - strlen("{\"a\":\"\"}"), 'x');
		g_autofree char *text =
		    g_strdup_printf("{\"a\":\"%s\",\"html\":\"%s\"}", fill, fill);
		AUTO(json) document = json_parse(text, strlen(text), NULL);
		g_autofree char *got = fcgi_resend_logs_text(document);

		cr_expect_eq(got != NULL, cases[i].kept, "%zu bytes", cases[i].size);
		cr_expect(!got || strlen(got) == cases[i].size);
	}
}
