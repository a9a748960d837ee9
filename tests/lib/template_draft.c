/* SPDX-License-Identifier: MIT */
#include "content/template_draft.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/template.h"
#include "content/template_fill.h"
#include "content/template_variables.h"
#include "json/strict.h"
#include "json/writer.h"
#include "store/template/draft.h"
#include "store/template/template.h"
#include "tests/lib/fixture.h"
#include "tests/support/db.h"

static struct fixture *fixture;

static void
template_draft_begin(void)
{
	fixture = fixture_open(NULL, NULL);
}

static void
template_draft_end(void)
{
	fixture_close(fixture);
}

TestSuite(template_draft, .init = template_draft_begin, .fini = template_draft_end);

static const struct base_id *
template_draft_workspace(void)
{
	return &fixture->key.workspace_id;
}

/* The result of a call: "" or the message. */
static char *
result(bool done, GError *error)
{
	char *text = g_strdup(done ? "" : error->message);

	g_clear_error(&error);
	return text;
}

/* A document that has the JSON as its member v. NULL for NULL. */
static struct json *
wrap(const char *text)
{
	g_autofree char *whole = text ? g_strdup_printf("{\"v\":%s}", text) : NULL;

	return whole ? json_parse_as("v", whole, strlen(whole), NULL) : NULL;
}

#define NAMED(text)                                                                                \
	{                                                                                          \
		.name = "Welcome", .html = (text)                                                  \
	}

/* Creates a template with declared variables (JSON, or NULL); its id, or "" with the message in
 *failure_r. */
static char *
try_create(struct content_template_input input, const char *variables, char **failure_r)
{
	AUTO(json) document = wrap(variables);
	GError *error = NULL;
	char *id = NULL;

	cr_assert(!variables || document, "bad JSON: %s", variables);
	input.variables = json_member_get(document, "v");
	bool done = content_template_draft_create(
	    fixture->service, template_draft_workspace(), &input, &id, &error);
	*failure_r = result(done, error);
	return id;
}

static char *
lib_template_draft_create(struct content_template_input input, const char *variables)
{
	g_autofree char *failure = NULL;
	char *id = try_create(input, variables, &failure);

	cr_assert(id, "%s", failure);
	return id;
}

static void
template_draft_change(const char *name, struct content_template_input input)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *id = NULL;

	cr_assert(content_template_draft_change(
		      fixture->service, template_draft_workspace(), name, &input, &id, &error),
	    "%s", error ? error->message : "");
}

static void
template_draft_publish(const char *name)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *id = NULL;

	cr_assert(store_template_draft_publish(
		      fixture->service->db, template_draft_workspace(), name, NULL, &id, &error),
	    "%s", error ? error->message : "");
}

/* The draft in a line: name, subject, html, text, alias, "published" or "draft", "+" for changes.
 */
static char *
template_draft_show(const char *name)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_template) t = store_template_draft_get(
	    fixture->service->db, template_draft_workspace(), name, &error);
	gsize size;

	if (!t)
		return g_strdup(error->message);
	const char *html = g_bytes_get_data(t->html, &size);
	g_autofree char *source = g_strndup(html, size);
	return g_strdup_printf("%s|%s|%s|%s|%s%s", t->name, t->subject ? t->subject : "-", source,
	    t->alias ? t->alias : "-", t->published ? "published" : "draft",
	    t->has_draft ? "+" : "");
}

/* The content of an email: "from|subject|html|text", or the message. */
static char *
template_draft_fill(const char *name, const char *variables)
{
	AUTO(json) document = wrap(variables);
	g_autoptr(GError) error = NULL;
	AUTO(content_template_email)
	email = content_template_fill(fixture->service, template_draft_workspace(), name,
	    json_member_get(document, "v"), false, &error);

	if (!email)
		return g_strdup(error->message);
	return g_strdup_printf("%s|%s|%s|%s", email->from ? email->from : "-",
	    email->subject ? email->subject : "-", email->html, email->text ? email->text : "-");
}

#define EXPECT(call, want)                                                                         \
	do {                                                                                       \
		g_autofree char *got = (call);                                                     \
		cr_expect_str_eq(got, want, "%s: got %s, want %s", #call, got, want);              \
	} while (0)

#define MISSING "Template not found"

Test(template_draft, is_sent_once_it_is_published)
{
	g_autofree char *id = lib_template_draft_create(
	    (struct content_template_input){
		.name = "Welcome", .html = "<p>1", .subject = "S", .alias = "welcome"},
	    NULL);

	EXPECT(template_draft_show(id), "Welcome|S|<p>1|welcome|draft+");
	EXPECT(template_draft_fill(id, NULL),
	    "The template is not published. Publish it before you send with it.");
	template_draft_publish("welcome");
	EXPECT(template_draft_show("welcome"), "Welcome|S|<p>1|welcome|published");
	EXPECT(template_draft_fill("welcome", NULL), "-|S|<p>1|-");
	template_draft_change(
	    id, (struct content_template_input){.name = "Bye", .html = "<p>2", .text = "two"});
	EXPECT(template_draft_show(id), "Bye|S|<p>2|welcome|published+");
	EXPECT(template_draft_fill(id, NULL), "-|S|<p>1|-");
	template_draft_change(id, (struct content_template_input){.subject = "T"});
	template_draft_publish(id);
	EXPECT(template_draft_show(id), "Bye|T|<p>2|welcome|published");
	EXPECT(template_draft_fill(id, NULL), "-|T|<p>2|two");
	template_draft_publish(id);
	EXPECT(template_draft_show(id), "Bye|T|<p>2|welcome|published");
}

Test(template_draft, changes_its_version_with_each_draft)
{
	g_autofree char *id =
	    lib_template_draft_create((struct content_template_input)NAMED("1"), NULL);
	struct base_id versions[4];

	for (guint i = 0; i < 4; i++) {
		AUTO(store_template) t = store_template_draft_get(
		    fixture->service->db, template_draft_workspace(), id, NULL);
		versions[i] = t->version;
		if (i == 1)
			template_draft_publish(id);
		if (i != 1)
			template_draft_change(id, (struct content_template_input){.html = "x"});
	}
	cr_expect(base_id_equal(&versions[0], &versions[1]));
	cr_expect(base_id_equal(&versions[1], &versions[2]));
	cr_expect(!base_id_equal(&versions[2], &versions[3]));
}

/* The list of /v1 and its readers see what is sent. */
Test(template_draft, is_not_seen_by_readers_of_what_is_sent)
{
	g_autofree char *id =
	    lib_template_draft_create((struct content_template_input)NAMED("1"), NULL);
	bool found, subject;

	AUTO(store_template) none =
	    store_template_get(fixture->service->db, template_draft_workspace(), id, NULL);
	cr_expect(!none);
	cr_expect(store_template_find(
	    fixture->service->db, template_draft_workspace(), id, &found, &subject, NULL));
	cr_expect(!found);
	cr_expect(
	    !store_template_remove(fixture->service->db, template_draft_workspace(), id, NULL));
	template_draft_publish(id);
	template_draft_change(id, (struct content_template_input){.html = "2"});
	AUTO(store_template) t =
	    store_template_get(fixture->service->db, template_draft_workspace(), id, NULL);
	cr_assert(t);
	cr_expect_eq(g_bytes_get_size(t->html), 1);
	cr_expect_eq(*(const char *)g_bytes_get_data(t->html, NULL), '1');
	cr_expect(
	    store_template_remove(fixture->service->db, template_draft_workspace(), id, NULL));
	EXPECT(template_draft_show(id), MISSING);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM body"), 0);
}

Test(template_draft, is_removed_with_all_contents)
{
	g_autofree char *id = lib_template_draft_create(
	    (struct content_template_input){.name = "n", .html = "1", .text = "2", .alias = "x"},
	    NULL);
	g_autofree char *removed = NULL, *none = NULL;

	template_draft_publish(id);
	template_draft_change(id, (struct content_template_input){.html = "3", .text = ""});
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM body"), 4);
	cr_expect(store_template_draft_remove(
	    fixture->service->db, template_draft_workspace(), "x", &removed, NULL));
	cr_expect_str_eq(removed, id);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM body"), 0);
	EXPECT(template_draft_show(id), MISSING);
	cr_expect(!store_template_draft_remove(
	    fixture->service->db, template_draft_workspace(), id, &none, NULL));
	cr_expect(!content_template_draft_duplicate(
	    fixture->service, template_draft_workspace(), id, &none, NULL));
}

Test(template_draft, of_v1_is_published_from_the_start)
{
	struct store_template made = {.id = (char *)"own-id",
	    .workspace_id = *template_draft_workspace(),
	    .name = (char *)"Own",
	    .variables = (char *)"{\"NAME\":\"you\",\"N\":1.50}",
	    .html = g_bytes_new_static("<p>{{NAME}} {{N}} {{more|none}}", 31)};

	cr_assert(store_template_create(fixture->service->db, &made, NULL));
	EXPECT(template_draft_show("own-id"), "Own|-|<p>{{NAME}} {{N}} {{more|none}}|-|published");
	EXPECT(template_draft_fill("own-id", NULL), "-|-|<p>you 1.50 none|-");
	EXPECT(template_draft_fill("own-id", "{\"NAME\": 3, \"more\": \"<\"}"),
	    "-|-|<p>3 1.50 &lt;|-");
	template_draft_change("own-id", (struct content_template_input){.name = "Mine"});
	EXPECT(
	    template_draft_show("own-id"), "Mine|-|<p>{{NAME}} {{N}} {{more|none}}|-|published+");
	g_bytes_unref(made.html);
	made.html = g_bytes_new_static("{{unsubscribe_url}}", 19);
	cr_assert(store_template_replace(fixture->service->db, &made, NULL));
	EXPECT(
	    template_draft_show("own-id"), "Mine|-|<p>{{NAME}} {{N}} {{more|none}}|-|published+");
	EXPECT(template_draft_fill("own-id", NULL),
	    "Invalid `template.variables` field. The variable "
	    "'unsubscribe_url' has no fallback and is missing.");
	g_bytes_unref(made.html);
}

Test(template_draft, is_copied_without_its_alias)
{
	g_autofree char *name = g_strnfill(LIMIT_NAME_LENGTH, 'x');
	g_autofree char *id = lib_template_draft_create(
	    (struct content_template_input){.name = "Welcome", .html = "{{A}}", .alias = "a"},
	    "[{\"key\": \"A\", \"type\": \"string\", \"fallback_value\": \"b\"}]");
	g_autofree char *copy = NULL, *second = NULL;

	template_draft_publish(id);
	template_draft_change(id, (struct content_template_input){.html = "new {{A}}"});
	cr_assert(content_template_draft_duplicate(
	    fixture->service, template_draft_workspace(), "a", &copy, NULL));
	EXPECT(template_draft_show(copy), "Welcome (Copy)|-|new {{A}}|-|draft+");
	template_draft_publish(copy);
	EXPECT(template_draft_fill(copy, NULL), "-|-|new b|-");
	template_draft_change(id, (struct content_template_input){.name = name});
	cr_assert(content_template_draft_duplicate(
	    fixture->service, template_draft_workspace(), "a", &second, NULL));
	AUTO(store_template) t = store_template_draft_get(
	    fixture->service->db, template_draft_workspace(), second, NULL);
	cr_expect_eq(strlen(t->name), LIMIT_NAME_LENGTH);
	cr_expect(g_str_has_suffix(t->name, "x (Copy)"));
}

Test(template_draft, has_an_alias_of_its_own)
{
	g_autofree char *past = g_strnfill(LIMIT_TEMPLATE_ID_LENGTH + 1, 'a');
	g_autofree char *fits = g_strnfill(LIMIT_TEMPLATE_ID_LENGTH, 'a');
	struct store_template own = {.id = (char *)"own",
	    .workspace_id = *template_draft_workspace(),
	    .name = (char *)"Own",
	    .variables = (char *)"{}",
	    .html = g_bytes_new_static("x", 1)};
	const struct {
		const char *alias;
		bool want;
	} cases[] = {{"a-B_9", true}, {fits, true}, {past, false}, {"", false}, {"a.b", false},
	    {"\303\244", false}, {"0190163d-8694-739b-aea5-966c26f8ad90", false}, {"own", true},
	    {"taken", false}};

	cr_assert(store_template_create(fixture->service->db, &own, NULL));
	g_bytes_unref(own.html);
	g_autofree char *id = lib_template_draft_create(
	    (struct content_template_input){.name = "n", .html = "x", .alias = "taken"}, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *failure = NULL;
		g_autofree char *got = try_create(
		    (struct content_template_input){
			.name = "n", .html = "x", .alias = cases[i].alias},
		    NULL, &failure);

		cr_expect_eq(got != NULL, cases[i].want, "%s: %s", cases[i].alias, failure);
		cr_expect(got || g_str_has_prefix(failure, "Invalid `alias` field. "), "%s: %s",
		    cases[i].alias, failure);
	}
	/* The alias is found before the id. */
	EXPECT(template_draft_show("own"), "n|-|x|own|draft+");
	template_draft_change(id, (struct content_template_input){.alias = "taken"});
	template_draft_change(id, (struct content_template_input){.alias = "free"});
	EXPECT(template_draft_show("taken"), MISSING);
	EXPECT(template_draft_show("free"), "n|-|x|free|draft+");
	EXPECT(template_draft_show("\303\244"), MISSING);
}

/* A list of n variables, X0 and so on. */
static char *
template_draft_many(guint n)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	for (guint i = 0; i < n; i++) {
		g_autofree char *key = g_strdup_printf("X%u", i);
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "key", key);
		json_writer_string(writer, "type", "string");
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

Test(template_draft, checks_its_variables)
{
	g_autofree char *fits = template_draft_many(LIMIT_TEMPLATE_VARIABLES);
	g_autofree char *past = template_draft_many(LIMIT_TEMPLATE_VARIABLES + 1);
	const struct {
		const char *html, *text, *subject, *variables;
		const char *want; /* the beginning of the message; NULL: it is stored */
	} cases[] = {
	    {"x", NULL, NULL, NULL, NULL},
	    {"x", NULL, NULL, "[]", NULL},
	    {"{{{A}}} {{A}}", "{{A}}", "{{{A}}}", "[{\"key\":\"A\",\"type\":\"string\"}]", NULL},
	    {"x", NULL, NULL, fits, NULL},
	    {"x", NULL, NULL, past, "Invalid `variables` field. It must have at most 50"},
	    {"{{{A}}}", NULL, NULL, NULL,
		"Variable 'A' is used in the template but not defined in the variables list"},
	    {"x", "{{A}}", NULL, "[]",
		"Variable 'A' is used in the template but not defined in the variables list"},
	    {"x", NULL, "{{B}}", "[{\"key\":\"A\",\"type\":\"string\"}]",
		"Variable 'B' is used in the template but not defined in the variables list"},
	    {"{{{FIRST_NAME}}}", "{{LAST_NAME}}", "{{{EMAIL|you}}}", NULL, NULL},
	    {"{{{UNSUBSCRIBE_URL}}}", NULL, NULL, NULL,
		"Variable 'UNSUBSCRIBE_URL' is used in the template but not defined in the "
		"variables list"},
	    {"{{ {", NULL, NULL, NULL, "Invalid `html` field. line 1: "},
	    {"x", "\n{{", NULL, NULL, "Invalid `text` field. line 2: "},
	    {"x", NULL, "{{", NULL, "Invalid `subject` field. line 1: "},
	    {"x", NULL, "a\nb", NULL, "Invalid `subject` field. It must not"},
	    {"x", NULL, NULL, "[1]", "Invalid `variables` field. Each variable must"},
	    {"x", NULL, NULL, "[{\"type\":\"string\"}]", "Invalid `variables` field. Each"},
	    {"x", NULL, NULL, "[{\"key\":\"A\"}]", "Invalid `variables` field. Each"},
	    {"x", NULL, NULL, "[{\"key\":\"A B\",\"type\":\"string\"}]",
		"Invalid `variables` field. A `key` must be 1 to 100 letters"},
	    {"x", NULL, NULL, "[{\"key\":\"\",\"type\":\"string\"}]",
		"Invalid `variables` field. A `key` must be"},
	    {"x", NULL, NULL, "[{\"key\":\"A\",\"type\":\"list\"}]",
		"Invalid `variables` field. The `type` of a variable must be"},
	    {"x", NULL, NULL, "[{\"key\":\"EMAIL\",\"type\":\"string\"}]",
		"Invalid `variables` field. The variable name 'EMAIL' is reserved."},
	    {"x", NULL, NULL, "[{\"key\":\"FIRST_NAME\",\"type\":\"string\"}]",
		"Invalid `variables` field. The variable name 'FIRST_NAME' is reserved."},
	    {"x", NULL, NULL, "[{\"key\":\"LAST_NAME\",\"type\":\"string\"}]",
		"Invalid `variables` field. The variable name 'LAST_NAME' is reserved."},
	    {"x", NULL, NULL, "[{\"key\":\"UNSUBSCRIBE_URL\",\"type\":\"string\"}]",
		"Invalid `variables` field. The variable name 'UNSUBSCRIBE_URL' is reserved."},
	    {"x", NULL, NULL, "[{\"key\":\"contact\",\"type\":\"string\"}]",
		"Invalid `variables` field. The variable name 'contact' is reserved."},
	    {"x", NULL, NULL, "[{\"key\":\"this\",\"type\":\"string\"}]",
		"Invalid `variables` field. The variable name 'this' is reserved."},
	    {"x", NULL, NULL,
		"[{\"key\":\"A\",\"type\":\"string\"},{\"key\":\"A\",\"type\":\"number\"}]",
		"Invalid `variables` field. The variable 'A' is declared twice."},
	    {"x", NULL, NULL, "[{\"key\":\"A\",\"type\":\"string\",\"fallback_value\":1}]",
		"Invalid `variables` field. The `fallback_value` of the variable 'A' must be a "
		"string."},
	    {"x", NULL, NULL, "[{\"key\":\"A\",\"type\":\"number\",\"fallback_value\":\"1\"}]",
		"Invalid `variables` field. The `fallback_value` of the variable 'A' must be a "
		"number."},
	    {"x", NULL, NULL, "[{\"key\":\"A\",\"type\":\"number\",\"fallback_value\":null}]",
		NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *failure = NULL;
		g_autofree char *id = try_create((struct content_template_input){.name = "n",
						     .html = cases[i].html,
						     .text = cases[i].text,
						     .subject = cases[i].subject},
		    cases[i].variables, &failure);

		cr_expect_eq(id != NULL, !cases[i].want, "%zu: %s", i, failure);
		cr_expect(!cases[i].want || g_str_has_prefix(failure, cases[i].want),
		    "%zu: got %s, want %s", i, failure, cases[i].want);
	}
}

Test(template_draft, checks_addresses)
{
	const char *const good[] = {"Me <me@x.org>", "a@x.org, b@x.org", NULL};
	const char *const want[] = {"Me <me@x.org>", "a@x.org", "b@x.org", NULL};
	const char *const bad[] = {"a@x.org", "nobody", NULL};
	g_autofree char *failure = NULL, *failure2 = NULL;

	g_autofree char *id = lib_template_draft_create(
	    (struct content_template_input){
		.name = "n", .html = "x", .from = "Me <me@x.org>", .reply_to = good},
	    NULL);
	template_draft_publish(id);
	AUTO(content_template_email)
	email = content_template_fill(
	    fixture->service, template_draft_workspace(), id, NULL, false, NULL);
	cr_assert(email);
	cr_expect_str_eq(email->from, "Me <me@x.org>");
	cr_expect(g_strv_equal((const char *const *)email->reply_to, want));
	try_create((struct content_template_input){.name = "n", .html = "x", .from = "me"}, NULL,
	    &failure);
	cr_expect(
	    g_str_has_prefix(failure, "Invalid `from` field. It must be a valid"), "%s", failure);
	try_create((struct content_template_input){.name = "n", .html = "x", .reply_to = bad}, NULL,
	    &failure2);
	cr_expect(g_str_has_prefix(failure2, "Invalid `reply_to` field. It must "), "%s", failure2);
}

Test(template_draft, fills_its_variables)
{
	static const struct {
		const char *variables;
		const char *want;
	} cases[] = {
	    {"{\"NAME\": \"<b>'\"}", "Hi <b>' 7|<p>&lt;b&gt;&#39; <b>' 7|<b>' 7"},
	    {"{\"NAME\": \"{{N}}\", \"N\": 1.50}", "Hi {{N}} 1.50|<p>{{N}} {{N}} 1.50|{{N}} 1.50"},
	    {"{\"NAME\": \"\", \"UNKNOWN\": {}}", "Hi  7|<p>  7| 7"},
	    {"{\"NAME\": \"a\\nb\"}", "Hi a b 7|<p>a\nb a\nb 7|a\nb 7"},
	    {"{}", "Invalid `template.variables` field. The variable 'NAME' has no fallback and is "
		   "missing."},
	    {NULL, "Invalid `template.variables` field. The variable 'NAME' has no fallback and is "
		   "missing."},
	    {"{\"NAME\": null}", "Invalid `template.variables` field. The variable 'NAME' has no "
				 "fallback and is missing."},
	    {"{\"NAME\": 1}",
		"Invalid `template.variables` field. The variable 'NAME' must be a string."},
	    {"{\"NAME\": \"x\", \"N\": \"1\"}",
		"Invalid `template.variables` field. The variable 'N' must be a number."},
	    {"{\"NAME\": true}",
		"Invalid `template.variables` field. The variable 'NAME' must be a string."},
	    {"[]", "Invalid `template.variables` field. It must be an object."},
	};
	g_autofree char *id = lib_template_draft_create((struct content_template_input){.name = "n",
							    .html = "<p>{{NAME}} {{{NAME}}} {{N}}",
							    .text = "{{NAME}} {{N}}",
							    .subject = "Hi {{{NAME}}} {{N}}",
							    .alias = "x"},
	    "[{\"key\":\"NAME\",\"type\":\"string\"},"
	    "{\"key\":\"N\",\"type\":\"number\",\"fallback_value\":7}]");

	template_draft_publish(id);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = template_draft_fill("x", cases[i].variables);
		const char *shown = g_str_has_prefix(got, "-|") ? got + 2 : got;

		cr_expect_str_eq(
		    shown, cases[i].want, "%zu: got %s, want %s", i, shown, cases[i].want);
	}
	EXPECT(template_draft_fill("y", NULL), MISSING);
}

Test(template_draft, keeps_the_times_of_variables_that_stay)
{
	static const char *const versions[] = {
	    "[{\"key\":\"A\",\"type\":\"string\"},{\"key\":\"B\",\"type\":\"string\"}]",
	    "[{\"key\":\"A\",\"type\":\"string\"},{\"key\":\"B\",\"type\":\"number\"}]"};
	struct store_template template = {.created = 1, .updated = 1};

	for (guint i = 0; i < 2; i++) {
		AUTO(json) given = wrap(versions[i]);
		base_clock_set(1000 * (i + 1));
		cr_assert(content_template_variables_declare(
		    &template, json_member_get(given, "v"), NULL));
	}
	AUTO(content_template_variables) got = content_template_variables_read(&template, NULL);
	const struct content_template_variable *a = content_template_variables_find(got, "A"),
					       *b = content_template_variables_find(got, "B");
	/* The clock goes on. */
	cr_expect_eq(a->created / 1000, 1);
	cr_expect_eq(a->updated / 1000, 1);
	cr_expect_eq(b->created / 1000, 1);
	cr_expect_eq(b->updated / 1000, 2);
	g_free(template.declared);
	g_free(template.variables);
}
