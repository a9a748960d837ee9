/* SPDX-License-Identifier: MIT */
#include "store/template/template.h"

#include "base/clock.h"
#include "base/limits/unit.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000

static struct fixture *fixture;

static void
tests_store_template_begin(void)
{
	fixture = fixture_open();
	base_clock_set(NOW);
}

static void
template_end(void)
{
	fixture_close(fixture);
}

TestSuite(template, .init = tests_store_template_begin, .fini = template_end);

static struct store_template *
template_make(const struct base_id *workspace, const char *id, const char *html, const char *text)
{
	struct store_template *template = g_new0(struct store_template, 1);

	template->workspace_id = *workspace;
	template->id = g_strdup(id);
	template->name = g_strdup("Grüße");
	template->subject = g_strdup("Hello {{name}}");
	template->variables = g_strdup("{\"name\":\"you\"}");
	template->html = g_bytes_new(html, strlen(html));
	template->text = text ? g_bytes_new(text, strlen(text)) : NULL;
	return template;
}

static void
tests_store_template_create(
    const struct base_id *workspace, const char *id, const char *html, const char *text)
{
	AUTO(store_template) template = template_make(workspace, id, html, text);

	MUST(store_template_create(fixture->db, template, &error));
}

static char *
template_text_of(GBytes *bytes)
{
	gsize size;
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return bytes ? g_strndup(data, size) : g_strdup("none");
}

/* Everything of a stored template in one line. */
static char *
store_template_show(const struct base_id *workspace, const char *id)
{
	AUTO(store_template) t = MUST_GIVE(store_template_get(fixture->db, workspace, id, &error));
	g_autofree char *html = template_text_of(t->html), *text = template_text_of(t->text);

	cr_expect(base_id_equal(&t->workspace_id, workspace));
	return g_strdup_printf("%s %s %s %s %s %s %d %d", t->id, t->name,
	    t->subject ? t->subject : "none", t->variables, html, text,
	    (int)((t->created - NOW) / 1000), (int)((t->updated - NOW) / 1000));
}

static gint64
bodies(void)
{
	return fixture_number(fixture, "SELECT COUNT(*) FROM body");
}

Test(template, comes_back_as_it_was)
{
	tests_store_template_create(&fixture->workspace, "welcome", "<p>", "text");
	g_autofree char *got = store_template_show(&fixture->workspace, "welcome");
	cr_expect_str_eq(
	    got, "welcome Grüße Hello {{name}} {\"name\":\"you\"} <p> text 0 0", "got %s", got);
}

Test(template, may_lack_text_and_subject)
{
	AUTO(store_template) template = template_make(&fixture->workspace, "bare", "<p>", NULL);

	g_clear_pointer(&template->subject, g_free);
	MUST(store_template_create(fixture->db, template, &error));
	g_autofree char *got = store_template_show(&fixture->workspace, "bare");
	cr_expect_str_eq(got, "bare Grüße none {\"name\":\"you\"} <p> none 0 0", "got %s", got);
}

Test(template, may_be_large)
{
	AUTO(store_template) template = template_make(&fixture->workspace, "large", "", NULL);

	g_bytes_unref(template->html);
	template->html = fixture_bytes(2 * LIMIT_MIB + 1, 1);
	template->text = fixture_bytes(LIMIT_MIB + 1, 2);
	MUST(store_template_create(fixture->db, template, &error));
	AUTO(store_template) got =
	    MUST_GIVE(store_template_get(fixture->db, &fixture->workspace, "large", &error));
	cr_expect(g_bytes_equal(got->html, template->html));
	cr_expect(g_bytes_equal(got->text, template->text));
}

Test(template, has_an_id_of_its_own)
{
	AUTO(store_template) again = template_make(&fixture->workspace, "x", "new", NULL);

	tests_store_template_create(&fixture->workspace, "x", "old", NULL);
	MUST_FAIL(store_template_create(fixture->db, again, &error), PH_ERROR_CONFLICT);
	cr_expect_eq(bodies(), 1);
	tests_store_template_create(&fixture->workspace, "X", "another", NULL);
	tests_store_template_create(&fixture->other, "x", "theirs", NULL);
	g_autofree char *got = store_template_show(&fixture->workspace, "x");
	cr_expect(strstr(got, " old none"), "got %s", got);
}

Test(template, is_replaced_as_a_whole)
{
	AUTO(store_template) next = template_make(&fixture->workspace, "x", "new", NULL);

	tests_store_template_create(&fixture->workspace, "x", "old", "old text");
	tests_store_template_create(&fixture->other, "x", "theirs", NULL);
	g_clear_pointer(&next->subject, g_free);
	base_clock_set(NOW + 5000);
	MUST(store_template_replace(fixture->db, next, &error));
	g_autofree char *got = store_template_show(&fixture->workspace, "x"),
			*theirs = store_template_show(&fixture->other, "x");
	cr_expect_str_eq(got, "x Grüße none {\"name\":\"you\"} new none 0 5", "got %s", got);
	cr_expect(strstr(theirs, " theirs none 0 0"), "got %s", theirs);
	cr_expect_eq(bodies(), 4); /* the new one, those of the old version, and theirs */
}

Test(template, keeps_contents_that_others_use)
{
	AUTO(store_template) next = template_make(&fixture->workspace, "a", "new", NULL);
	AUTO(store_template) same = template_make(&fixture->workspace, "b", "shared", NULL);

	tests_store_template_create(&fixture->workspace, "a", "shared", "shared");
	tests_store_template_create(&fixture->workspace, "b", "shared", NULL);
	cr_expect_eq(bodies(), 1);
	MUST(store_template_replace(fixture->db, next, &error));
	cr_expect_eq(bodies(), 2);
	MUST(store_template_replace(fixture->db, same, &error));
	cr_expect_eq(bodies(), 2);
	/* The old version of a has the shared one. */
	MUST(store_template_remove(fixture->db, &fixture->workspace, "b", &error));
	cr_expect_eq(bodies(), 2);
	MUST(store_template_remove(fixture->db, &fixture->workspace, "a", &error));
	cr_expect_eq(bodies(), 0);
}

Test(template, is_removed)
{
	tests_store_template_create(&fixture->workspace, "x", "html", "text");
	tests_store_template_create(&fixture->other, "x", "html", "text");
	MUST(store_template_remove(fixture->db, &fixture->workspace, "x", &error));
	MUST_FAIL(
	    store_template_get(fixture->db, &fixture->workspace, "x", &error), PH_ERROR_NOT_FOUND);
	cr_expect_eq(bodies(), 2);
	g_free(store_template_show(&fixture->other, "x"));
}

Test(template, that_is_not_there_is_not_found)
{
	static const char *const ids[] = {
	    "theirs", "nobody", "", "theirs ", "ours ", "grüße", "x' OR '1'='1"};

	tests_store_template_create(&fixture->other, "theirs", "html", NULL);
	tests_store_template_create(&fixture->workspace, "ours", "html", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
		AUTO(store_template) template =
		    template_make(&fixture->workspace, ids[i], "new", NULL);

		MUST_FAIL(store_template_get(fixture->db, &fixture->workspace, ids[i], &error),
		    PH_ERROR_NOT_FOUND);
		MUST_FAIL(
		    store_template_replace(fixture->db, template, &error), PH_ERROR_NOT_FOUND);
		MUST_FAIL(store_template_remove(fixture->db, &fixture->workspace, ids[i], &error),
		    PH_ERROR_NOT_FOUND);
	}
	cr_expect_eq(bodies(), 2);
}

Test(template, is_found_with_or_without_a_subject)
{
	static const struct {
		const char *id;
		bool found, subject;
	} cases[] = {
	    {"full", true, true},
	    {"bare", true, false},
	    {"theirs", false, false},
	    {"nobody", false, false},
	    {"full ", false, false},
	    {"grüße", false, false},
	};
	AUTO(store_template) bare = template_make(&fixture->workspace, "bare", "<p>", NULL);

	g_clear_pointer(&bare->subject, g_free);
	MUST(store_template_create(fixture->db, bare, &error));
	tests_store_template_create(&fixture->workspace, "full", "<p>", NULL);
	tests_store_template_create(&fixture->other, "theirs", "<p>", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool found = !cases[i].found, subject = !cases[i].subject;

		MUST(store_template_find(
		    fixture->db, &fixture->workspace, cases[i].id, &found, &subject, &error));
		cr_expect_eq(found, cases[i].found, "%s: got %d", cases[i].id, found);
		cr_expect_eq(subject, cases[i].subject, "%s: got %d", cases[i].id, subject);
	}
}

/* Their ids, joined; *last_r is the sequence of the last one. */
static char *
tests_store_template_list(const struct base_id *workspace, const struct base_id *before,
    guint limit, struct base_id *last_r)
{
	g_autoptr(GPtrArray) page =
	    MUST_GIVE(store_template_list(fixture->db, workspace, before, limit, &error));
	GString *ids = g_string_new(NULL);

	for (guint i = 0; i < page->len; i++) {
		const struct store_template *template = page->pdata[i];

		g_string_append_printf(ids, "%s ", template->id);
		cr_expect_str_eq(template->variables, "{\"name\":\"you\"}");
		cr_expect_null(template->html);
		*last_r = template->sequence;
	}
	return g_string_free(ids, FALSE);
}

Test(template, is_listed_newest_first)
{
	struct base_id last, end_of_list;

	tests_store_template_create(&fixture->workspace, "z", "html", NULL);
	tests_store_template_create(&fixture->workspace, "a", "html", NULL);
	tests_store_template_create(&fixture->other, "theirs", "html", NULL);
	tests_store_template_create(&fixture->workspace, "m", "html", NULL);
	AUTO(store_template) next = template_make(&fixture->workspace, "z", "new", NULL);
	MUST(store_template_replace(fixture->db, next, &error));
	g_autofree char *first = tests_store_template_list(&fixture->workspace, NULL, 2, &last),
			*rest =
			    tests_store_template_list(&fixture->workspace, &last, 2, &end_of_list),
			*none = tests_store_template_list(
			    &fixture->workspace, &end_of_list, 2, &end_of_list);
	cr_expect_str_eq(first, "m a ");
	cr_expect_str_eq(rest, "z ");
	cr_expect_str_eq(none, "");
}
