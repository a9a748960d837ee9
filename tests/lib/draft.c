/* SPDX-License-Identifier: MIT */
#include "email/draft.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/template.h"
#include "domain/domain.h"
#include "json/strict.h"
#include "person/suppress.h"
#include "store/template/template.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

static struct fixture *fixture;

static void
draft_begin(void)
{
	fixture = fixture_open(NULL, NULL);
}

static void
draft_end(void)
{
	fixture_close(fixture);
}

TestSuite(draft, .init = draft_begin, .fini = draft_end);

/* The fields of a case replace those of fixture_submission; "-" removes one. */
static void
lib_draft_put(const char **field, const char *given)
{
	if (given)
		*field = strcmp(given, "-") == 0 ? NULL : given;
}

static struct email_submission
lib_draft_merge(const struct email_submission *given)
{
	struct email_submission merged = fixture_submission();

	lib_draft_put(&merged.from, given->from);
	lib_draft_put(&merged.subject, given->subject);
	lib_draft_put(&merged.html, given->html);
	lib_draft_put(&merged.text, given->text);
	lib_draft_put(&merged.template_id, given->template_id);
	if (given->to)
		merged.to = given->to;
	merged.cc = given->cc;
	merged.scheduled_at = given->scheduled_at;
	return merged;
}

/* The error's message, "" when there was none, and its code. */
static char *
draft_try(const struct email_submission *submission, int *code_r)
{
	g_autoptr(GError) error = NULL;
	AUTO(email_draft) draft =
	    email_draft_new(fixture->service, &fixture->key.workspace_id, submission, &error);

	*code_r = error ? error->code : -1;
	cr_expect_eq(draft != NULL, error == NULL);
	return g_strdup(error ? error->message : "");
}

static void
store_template(const char *id, const char *subject, const char *html, const char *text)
{
	g_autoptr(GBytes) html_bytes = g_bytes_new(html, strlen(html));
	g_autoptr(GBytes) text_bytes = text ? g_bytes_new(text, strlen(text)) : NULL;
	struct store_template template = {.id = (char *)id,
	    .workspace_id = fixture->key.workspace_id,
	    .name = (char *)"name",
	    .subject = (char *)subject,
	    .variables = (char *)"{\"x\":\"stored\",\"n\":1.50}",
	    .html = html_bytes,
	    .text = text_bytes};
	g_autoptr(GError) error = NULL;

	cr_assert(store_template_create(fixture->db, &template, &error), "%s",
	    error ? error->message : "");
}

static void
draft_register_domain(const char *name, bool trusted)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_domain) domain = domain_register(
	    fixture->service, &fixture->key.workspace_id, NULL, name, trusted, &error);

	cr_assert(domain, "%s", error ? error->message : "");
}

#define TO(...)                                                                                    \
	.to = (const char *[])                                                                     \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

Test(draft, is_refused_with_a_sentence)
{
	const struct {
		const char *name;
		struct email_submission given;
		const char *want;
		int want_code; /* -1: none */
	} cases[] = {
	    {"good", {.text = "x"}, "", -1},
	    {"sub-domain", {.from = "a@mail.example.com"}, "", -1},
	    {"deeper sub-domain", {.from = "A <a@a.b.EXAMPLE.com>"}, "", -1},
	    {"unregistered domain", {.from = "a@example.org"},
		"Domain example.org is not registered", PH_ERROR_FORBIDDEN},
	    {"a name that ends the same", {.from = "a@notexample.com"},
		"Domain notexample.com is not registered", PH_ERROR_FORBIDDEN},
	    {"parent of a domain", {.from = "a@new.example"},
		"Domain new.example is not registered", PH_ERROR_FORBIDDEN},
	    {"in another script", {.from = "a@b\303\274cher.example"},
		"Domain xn--bcher-kva.example is not registered", PH_ERROR_FORBIDDEN},
	    {"unverified domain", {.from = "a@sub.new.example"},
		"Domain sub.new.example is not verified", PH_ERROR_FORBIDDEN},
	    {"below an unverified domain", {.from = "a@x.sub.new.example"},
		"Domain x.sub.new.example is not verified", PH_ERROR_FORBIDDEN},
	    {"unverified below a verified one", {.from = "a@new.example.com"},
		"Domain new.example.com is not verified", PH_ERROR_FORBIDDEN},
	    {"bad from", {.from = "a"}, "from must be a valid email address: \"a\" has no domain",
		PH_ERROR_INVALID},
	    {"bad to", {TO("b@x.org", "b")},
		"to[1] must be a valid email address: \"b\" has no domain", PH_ERROR_INVALID},
	    {"html and template", {.template_id = "t"},
		"html is not allowed together with template_id", PH_ERROR_INVALID},
	    {"neither", {.html = "-"}, "html or text is required when template_id is absent",
		PH_ERROR_INVALID},
	    {"empty html", {.html = ""}, "html or text is required when template_id is absent",
		PH_ERROR_INVALID},
	    {"empty text", {.html = "-", .text = ""},
		"html or text is required when template_id is absent", PH_ERROR_INVALID},
	    {"text alone", {.html = "-", .text = "x"}, "", -1},
	    {"text with empty html", {.html = "", .text = "x"}, "", -1},
	    {"no subject", {.subject = "-"}, "subject is required", PH_ERROR_INVALID},
	    {"empty subject", {.subject = ""}, "", -1},
	    {"line break in the subject", {.subject = "a\nBcc: b@x.org"},
		"subject must not contain control characters", PH_ERROR_INVALID},
	    {"carriage return in the subject", {.subject = "a\rb"},
		"subject must not contain control characters", PH_ERROR_INVALID},
	    {"control character of two bytes in the subject", {.subject = "a\302\205b"},
		"subject must not contain control characters", PH_ERROR_INVALID},
	    {"tab in the subject", {.subject = "a\tb"}, "", -1},
	    {"template", {.html = "-", .template_id = "t"}, "", -1},
	    {"template with its subject", {.html = "-", .template_id = "t", .subject = "-"}, "",
		-1},
	    {"template without subject", {.html = "-", .template_id = "bare"}, "", -1},
	    {"no subject anywhere", {.html = "-", .template_id = "bare", .subject = "-"},
		"subject is required", PH_ERROR_INVALID},
	    {"unknown template", {.html = "-", .template_id = "u"}, "Template not found",
		PH_ERROR_INVALID},
	    {"template in another script", {.html = "-", .template_id = "\303\274"},
		"Template not found", PH_ERROR_INVALID},
	    {"broken template", {.html = "-", .template_id = "broken"},
		"Template has no valid HTML", PH_ERROR_INVALID},
	    {"not a reference, in html", {.html = "a{b{c}} {{ {{a b}}"}, "", -1},
	    {"at the latest", {.scheduled_at = base_clock_now() + LIMIT_SCHEDULE_MS}, "", -1},
	    {"seconds, so far", {.scheduled_at = base_clock_now() / 1000}, "", -1},
	    {"seconds, to come", {.scheduled_at = base_clock_now() / 1000 + 60},
		"scheduled_at must be in milliseconds, not in seconds", PH_ERROR_INVALID},
	    {"seconds, to come for centuries", {.scheduled_at = base_clock_now() / 100 - 1},
		"scheduled_at must be in milliseconds, not in seconds", PH_ERROR_INVALID},
	    {"milliseconds of 1970", {.scheduled_at = base_clock_now() / 100 + 1000}, "", -1},
	    {"too late", {.scheduled_at = base_clock_now() + LIMIT_SCHEDULE_MS + 20000},
		"scheduled_at must be at most 30 days ahead", PH_ERROR_INVALID},
	};

	draft_register_domain("sub.new.example", false);
	draft_register_domain("new.example.com", false);
	store_template("t", "Of the template", "<p>{{x}}</p>", NULL);
	store_template("bare", NULL, "<p>{{x}}</p>", NULL);
	store_template("broken", NULL, "<p>{{x</p>", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct email_submission submission = lib_draft_merge(&cases[i].given);
		int code;
		g_autofree char *got = draft_try(&submission, &code);

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
		cr_expect_eq(code, cases[i].want_code, "%s: code: got %d, want %d", cases[i].name,
		    code, cases[i].want_code);
	}
}

Test(draft, knows_nothing_of_another_workspace)
{
	struct email_submission submission = fixture_submission();
	int code;

	store_template("t", "Subject", "<p></p>", NULL);
	fixture->key.workspace_id = base_id_new();
	g_autofree char *of_domain = draft_try(&submission, &code);
	cr_expect_str_eq(of_domain, "Domain example.com is not registered");
	submission.html = NULL;
	submission.template_id = "t";
	g_autofree char *of_template = draft_try(&submission, &code);
	cr_expect_str_eq(of_template, "Template not found");
}

static struct email_draft *
draft_make(const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct email_draft *draft =
	    email_draft_new(fixture->service, &fixture->key.workspace_id, submission, &error);

	cr_assert(draft, "%s", error ? error->message : "");
	return draft;
}

static void
expect_part(const struct store_email *email, enum store_email_part_role role, const char *want)
{
	const struct store_body *body = store_email_body(email, role);
	GBytes *data = body ? body->data : NULL;
	gsize size = 0;
	const char *bytes = data ? g_bytes_get_data(data, &size) : NULL;
	g_autofree char *got = data ? g_strndup(size ? bytes : "", size) : NULL;

	cr_expect_eq(g_strcmp0(got, want), 0, "part %d: got %s, want %s", role, got, want);
}

/* Leaves of each entry of the list what erasing the person leaves: the hash. */
static void
erase_entries(const char *address)
{
	AUTO(person_suppress_keys) keys = person_suppress_keys(fixture->service, &address, 1);
	const guint8 *hash = person_suppress_key(keys, 0)->hashes[0];
	g_autoptr(GString) sql =
	    g_string_new("UPDATE suppression SET email = NULL, address = NULL, hash = X'");

	for (gsize i = 0; i < SHA256_SIZE; i++)
		g_string_append_printf(sql, "%02x", hash[i]);
	g_string_append_c(sql, '\'');
	test_db_plain(fixture->db, sql->str);
}

/* The list is read with the sender's domain where one recipient is given, and by itself for several
   and after attachments. */
Test(draft, looks_up_its_recipients)
{
	static const struct {
		const char *name, *listed, *html;
		enum store_suppression_scope scope;
		bool erased, want;
	} cases[] = {
	    {"another", "c@x.org", "<p>", SUPPRESSION_ALL, false, false},
	    {"listed", "b@x.org", "<p>", SUPPRESSION_ALL, false, true},
	    {"erased", "b@x.org", "<p>", SUPPRESSION_ALL, true, true},
	    {"unsubscribed", "b@x.org", "<p>", SUPPRESSION_AUTOMATION, false, false},
	    {"of a mailing", "b@x.org", "{{unsubscribe_url}}", SUPPRESSION_AUTOMATION, false, true},
	    {"of a mailing, erased", "b@x.org", "{{unsubscribe_url}}", SUPPRESSION_AUTOMATION, true,
		true},
	};
	const char *one[] = {"b@x.org", NULL}, *two[] = {"B@X.org", "d@x.org", NULL};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
		struct email_submission submission = fixture_submission();

		test_db_plain(fixture->db, "DELETE FROM suppression");
		store_suppression_free(person_suppress_add(fixture->service,
		    &fixture->key.workspace_id, cases[i / 2].listed,
		    &(struct store_suppression_state){SUPPRESSION_MANUAL, cases[i / 2].scope},
		    &posting_api, NULL));
		if (cases[i / 2].erased)
			erase_entries(cases[i / 2].listed);
		submission.to = i % 2 ? two : one;
		submission.html = cases[i / 2].html;
		AUTO(email_draft) draft = draft_make(&submission);
		cr_expect_eq(draft->suppressed[0], cases[i / 2].want, "%s of %zu",
		    cases[i / 2].name, 1 + i % 2);
		cr_expect_not(draft->suppressed[1], "%s", cases[i / 2].name);
	}
}

Test(draft, derives_the_text_that_is_not_given)
{
	struct email_submission submission = fixture_submission();

	submission.html = "<p>Dear {{x|friend}},</p><a href='https://x.org'>news</a>";
	submission.text = NULL;
	AUTO(email_draft) draft = draft_make(&submission);
	expect_part(draft->email, PART_HTML, submission.html);
	expect_part(draft->email, PART_TEXT, "Dear {{x|friend}},\n\nnews (https://x.org)\n");
	store_template("t", "Subject", "<p>Hi {{y}}</p>", NULL);
	submission.html = NULL;
	submission.template_id = "t";
	AUTO(email_draft) other = draft_make(&submission);
	expect_part(other->email, PART_TEXT, "Hi\n");
}

Test(draft, keeps_html_and_text_as_they_were_given)
{
	static const char given[] =
	    "{\"x\": \"v\", \"unused\": {\"value\": null, \"default\": 2.0}}";
	AUTO(json) variables = json_parse(given, strlen(given), NULL);
	struct email_submission submission = fixture_submission();

	submission.subject = "{{x}}\t{{x|y}} {{z|inline}}";
	submission.html = "<p>{{x}} {{{x}}} }} \r\n \303\274</p>";
	submission.text = "";
	submission.variables = variables;
	AUTO(email_draft) draft = draft_make(&submission);
	expect_part(draft->email, PART_HTML, submission.html);
	expect_part(draft->email, PART_TEXT, "");
	cr_expect_str_eq(draft->email->variables, "{\"unused\":2.0,\"x\":\"v\"}");
	cr_expect_str_eq(draft->email->subject, "v v inline");
	cr_expect_str_eq(draft->email->domain, "example.com");
	cr_expect(base_id_equal(&draft->email->domain_id, &fixture->domain->id));
	cr_expect_not(draft->email->template_id);
	cr_assert_eq(draft->count, 1);
	cr_expect_eq(draft->entries[0].count, 1);
	cr_expect_eq(draft->entries[0].since, draft->email->created);
}

Test(draft, is_not_searched_when_it_is_verbatim)
{
	static const char given[] = "{\"x\": \"v\"}";
	AUTO(json) variables = json_parse(given, strlen(given), NULL);
	struct email_submission submission = fixture_submission();

	submission.purpose = EMAIL_PURPOSE_NOTICE;
	submission.variables = variables;
	submission.subject = "{{x}}\t{{ {{{y}}}";
	submission.html = "<p>{{x}} {{</p>{{unsubscribe_url}}";
	AUTO(email_draft) draft = draft_make(&submission);
	cr_expect_null(draft->email->variables);
	cr_expect_str_eq(draft->email->subject, "{{x}} {{ {{{y}}}");
	cr_expect_eq(draft->email->tracking & TRACK_UNSUBSCRIBE, 0);
	expect_part(draft->email, PART_HTML, submission.html);
	expect_part(draft->email, PART_TEXT, "{{x}} {{\n\n{{unsubscribe_url}}\n");
	/* A template has variables, but not the subject that the request gives. */
	store_template("t", "{{x}}", "<p>{{x}}</p>", NULL);
	submission.html = NULL;
	submission.template_id = "t";
	AUTO(email_draft) other = draft_make(&submission);
	cr_expect_str_eq(other->email->subject, "{{x}} {{ {{{y}}}");
	cr_expect(strstr(other->email->variables, "\"x\":\"v\""), "%s", other->email->variables);
	submission.subject = NULL;
	AUTO(email_draft) third = draft_make(&submission);
	cr_expect_str_eq(third->email->subject, "v");
}

Test(draft, of_text_alone_has_no_html)
{
	static const char *const htmls[] = {NULL, ""};

	for (gsize i = 0; i < G_N_ELEMENTS(htmls); i++) {
		struct email_submission submission = fixture_submission();

		submission.html = htmls[i];
		submission.text = "text";
		AUTO(email_draft) draft = draft_make(&submission);
		expect_part(draft->email, PART_HTML, NULL);
		expect_part(draft->email, PART_TEXT, "text");
		cr_expect_eq(draft->email->parts->len, 1);
	}
}

Test(draft, takes_from_a_template_what_is_not_given)
{
	static const char given[] = "{\"n\": null, \"y\": \"a\\nb\"}";
	AUTO(json) variables = json_parse(given, strlen(given), NULL);
	struct email_submission submission = fixture_submission();

	store_template("t", "{{x}} {{n}} {{y}}", "<p>{{x}}</p>", "text {{x}}");
	submission.html = submission.subject = NULL;
	submission.template_id = "t";
	submission.variables = variables;
	AUTO(email_draft) draft = draft_make(&submission);
	cr_expect_str_eq(draft->email->subject, "stored 1.50 a b");
	cr_expect_str_eq(draft->email->template_id, "t");
	expect_part(draft->email, PART_HTML, "<p>{{x}}</p>");
	expect_part(draft->email, PART_TEXT, "text {{x}}");
	submission.subject = "Given";
	submission.text = "given";
	AUTO(email_draft) other = draft_make(&submission);
	cr_expect_str_eq(other->email->subject, "Given");
	expect_part(other->email, PART_TEXT, "given");
}

/* {"x": "aaa..."} whose stored form has so many bytes. */
static struct json *
large(gsize stored)
{
	g_autofree char *value = g_strnfill(stored - strlen("{\"x\":\"\"}"), 'a');
	g_autofree char *text = g_strdup_printf("{\"x\": \"%s\"}", value);

	return json_parse(text, strlen(text), NULL);
}

Test(draft, bounds_variables_and_the_subject_they_make)
{
	static const struct {
		const char *name, *subject;
		gsize stored;
		const char *want;
	} cases[] = {
	    {"variables at the limit", "-", LIMIT_VARIABLES_BYTES, ""},
	    {"variables past it", "-", LIMIT_VARIABLES_BYTES + 1, "variables must be at most 8MB"},
	    {"subject at the limit", "{{x}}", LIMIT_RENDERED_SUBJECT_BYTES + 8, ""},
	    {"subject past it", "{{x}}", LIMIT_RENDERED_SUBJECT_BYTES + 9,
		"subject must be at most 65536 bytes with its variables filled in"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) variables = large(cases[i].stored);
		struct email_submission submission = fixture_submission();
		int code;

		submission.variables = variables;
		submission.subject = cases[i].subject;
		g_autofree char *got = draft_try(&submission, &code);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

Test(draft, of_the_past_is_for_now)
{
	const struct {
		gint64 scheduled_at;
		bool want_scheduled;
	} cases[] = {
	    {0, false},
	    {1, false},
	    {base_clock_now() - 1, false},
	    {base_clock_now() + 60000, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct email_submission submission = fixture_submission();

		submission.scheduled_at = cases[i].scheduled_at;
		AUTO(email_draft) draft = draft_make(&submission);
		cr_expect_eq(draft->email->scheduled_at,
		    cases[i].want_scheduled ? cases[i].scheduled_at : 0);
		cr_expect_eq(draft->entries[0].since,
		    cases[i].want_scheduled ? cases[i].scheduled_at : draft->email->created);
	}
}
