/* SPDX-License-Identifier: MIT */
/* Bodies of requests: lib/json of any bytes, read as an email and by the names of each route. */
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/request.h"
#include "content/variables.h"
#include "email/submission.h"
#include "fcgi/v1/handlers.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/unknown.h"
#include "json/writer.h"
#include "tests/fuzz/fuzz.h"

#define ESCAPED 3     /* times as long as in a body: \u0008 for \b */
#define NODE_BYTES 72 /* of memory that a byte of a text takes at most */

static const struct json_table *const tables[] = {&fcgi_emails_body, &fcgi_audiences_body,
    &fcgi_contacts_body, &fcgi_properties_body, &fcgi_properties_change, &fcgi_segments_body,
    &fcgi_segments_change, &fcgi_segments_freeze_body, &fcgi_segments_preview_body,
    &fcgi_automation_contacts_change, &fcgi_domains_body, &fcgi_domains_change, &fcgi_events_body,
    &fcgi_suppressions_body, &fcgi_templates_body, &fcgi_workflows_body};

static bool json_fuzzer_same(const struct json *one, const struct json *other);

static bool
same_members(const struct json *one, const struct json *other)
{
	struct json_iterator a = json_members(one), b = json_members(other);
	const char *key, *other_key;
	const struct json *value, *other_value;

	while (json_iterator_next(&a, &key, &value)) {
		if (!json_iterator_next(&b, &other_key, &other_value) ||
		    strcmp(key, other_key) != 0 || !json_fuzzer_same(value, other_value) ||
		    json_member_get(one, key) != value || !json_member_has(one, key))
			return false;
	}
	return json_member_count(one) == json_member_count(other);
}

static bool
json_fuzzer_same(const struct json *one, const struct json *other)
{
	gsize size, other_size;
	const char *text = json_string(one, &size), *other_text = json_string(other, &other_size);

	if (json_kind(one) != json_kind(other) || json_boolean(one) != json_boolean(other) ||
	    g_strcmp0(json_number_text(one), json_number_text(other)) != 0 || size != other_size ||
	    (text && memcmp(text, other_text, size) != 0) ||
	    json_array_length(one) != json_array_length(other))
		return false;
	for (gsize i = 0; i < json_array_length(one); i++)
		if (!json_fuzzer_same(json_array_at(one, i), json_array_at(other, i)))
			return false;
	return same_members(one, other);
}

static void
check_written(const struct json *root, gsize size)
{
	g_autofree char *written = json_print(root);
	gsize written_size = strlen(written);
	AUTO(json) again = json_parse(written, written_size, NULL);

	g_assert(written_size <= size * ESCAPED);
	g_assert(again && json_fuzzer_same(root, again));
	g_autofree char *twice = json_print(again);
	g_assert_cmpstr(twice, ==, written);
}

/* Goes into a header. */
static void
json_fuzzer_check_list(const struct json_unknown *unknown)
{
	const char *list = unknown->list ? unknown->list->str : "";

	g_assert((unknown->ignored > 0) == (*list != '\0'));
	g_assert(strlen(list) <= (LIMIT_IGNORED_MEMBERS + 1) * (3 * LIMIT_IGNORED_BYTES + 2));
	g_assert(strspn(list, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-[]%, ") == strlen(list));
}

static void
json_fuzzer_check_names(const struct json *root, const struct json_table *table)
{
	struct json_unknown unknown = {.noun = "a field of this request"};
	struct json_unknown strict = {.noun = "a field of this request", .refuse = true};
	GError *error = NULL;
	bool good = json_unknown_check(root, table, NULL, &unknown, &error);

	if (!good)
		fuzz_check_error(g_steal_pointer(&error));
	json_fuzzer_check_list(&unknown);
	if (json_unknown_check(root, table, NULL, &strict, &error))
		g_assert(good && unknown.ignored == 0);
	else
		fuzz_check_error(error);
	if (unknown.list)
		g_string_free(unknown.list, TRUE);
}

/* Stored variables are read back unchanged. */
static void
json_fuzzer_check_variables(const struct json *given)
{
	AUTO(content_variables) variables = content_variables_new();
	GError *error = NULL;

	if (!content_variables_add(variables, given, &error)) {
		fuzz_check_error(error);
		return;
	}
	g_autofree char *stored = content_variables_print(variables);
	AUTO(content_variables) again = content_variables_parse(stored, NULL);
	g_assert(again);
	g_autofree char *twice = content_variables_print(again);
	g_assert_cmpstr(twice, ==, stored);
}

static void
check_texts(const char *const *texts)
{
	for (; texts && *texts; texts++)
		g_assert(g_utf8_validate(*texts, -1, NULL));
}

static void
json_fuzzer_check_email(const struct json *root)
{
	struct email_submission email = {0};
	GError *error = NULL;

	if (!json_fields_read(
		root, fcgi_emails_body.fields, fcgi_emails_body.count, &email, &error)) {
		fuzz_check_error(error);
		return;
	}
	g_assert(email.from && *email.from && email.to);
	g_assert(g_utf8_strlen(email.from, -1) <= LIMIT_FROM_LENGTH);
	g_assert(!email.subject || g_utf8_strlen(email.subject, -1) <= LIMIT_SUBJECT_LENGTH);
	g_assert(!email.attachments || email.attachments->len <= LIMIT_ATTACHMENTS);
	check_texts(email.to);
	check_texts(email.cc);
	json_fuzzer_check_variables(email.variables);
	json_fields_free(fcgi_emails_body.fields, fcgi_emails_body.count, &email);
	g_assert(!email.to && !email.attachments);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	GError *error = NULL;
	AUTO(json) root = json_parse((const char *)data, size, &error);

	if (!root) {
		fuzz_check_error(error);
		return 0;
	}
	g_assert(json_weight(root) <= size * NODE_BYTES);
	check_written(root, size);
	for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
		json_fuzzer_check_names(root, tables[i]);
	json_fuzzer_check_email(root);
	return 0;
}
