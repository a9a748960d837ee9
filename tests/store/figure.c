/* SPDX-License-Identifier: MIT */
#include "store/figure/figure.h"

#include "store/figure/tag.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(figure);

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)

/* Something that is counted. */
struct fact {
	struct store_figure_origin origin;
	const char *address;
	enum store_figure figure;
	gint64 day;
	gint more;
};

struct facts {
	const struct base_id *workspace;
	const struct fact *facts;
	guint count;
};

static bool
figure_count_all(struct db *db, void *context, GError **error)
{
	const struct facts *facts = context;

	for (guint i = 0; i < facts->count; i++) {
		const struct fact *fact = &facts->facts[i];

		store_figure_count(db, facts->workspace, &fact->origin, fact->address,
		    &(struct store_figure_change){
			fact->figure, fact->day * DAY_MS + 5, fact->more});
	}
	return true;
}

static void
count(const struct base_id *workspace, const struct fact *facts, guint number)
{
	struct facts all = {workspace, facts, number};

	MUST(db_transact(fixture->db, figure_count_all, &all, &error));
}
#define COUNT(...)                                                                                 \
	count(&fixture->workspace, (const struct fact[]){__VA_ARGS__},                             \
	    G_N_ELEMENTS(((const struct fact[]){__VA_ARGS__})))

static char *
figure_print(const GPtrArray *rows)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < rows->len; i++) {
		const struct store_figure_row *row = rows->pdata[i];

		g_string_append_printf(text, "%s %d", row->key, (int)row->day);
		for (guint f = 0; f < FIGURES; f++)
			if (row->figures[f])
				g_string_append_printf(
				    text, " %s=%d", store_figure_names[f], (int)row->figures[f]);
		g_string_append(text, "; ");
	}
	return g_string_free(text, FALSE);
}

static void
figure_expect(const struct store_figure_query *query, guint limit, const char *want)
{
	g_autoptr(GPtrArray) rows =
	    MUST_GIVE(store_figure_list(fixture->db, &fixture->workspace, query, limit, &error));
	g_autofree char *got = figure_print(rows);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

static GBytes *
tags(const char *text)
{
	return g_bytes_new_static(text, strlen(text) + 1);
}

static void
figure_fill(void)
{
	g_autoptr(GBytes) red = tags("colour:red"), blue = tags("colour:blue");

	COUNT({{.counted_tags = red}, "a@gmail.com", FIGURE_ACCEPTED, 100, 1},
	    {{.counted_tags = red}, "a@x.org", FIGURE_SENT, 101, 2},
	    {{.counted_tags = blue}, "a@x.org", FIGURE_SENT, 101, 1},
	    {{.template_id = (char *)"t"}, "a@gmx.net", FIGURE_OPENED, 103, 1},
	    {{.template_id = (char *)"t"}, "a@gmx.net", FIGURE_OPENED, 103, -1});
	COUNT({{.counted_tags = red}, "a@x.org", FIGURE_SENT, 100, 1});
}

Test(figure, is_listed_by_things_and_days)
{
	figure_fill();
	figure_expect(&(struct store_figure_query){FIGURES_BY_DAY, true, .from = 100, .to = 103}, 9,
	    " 100 accepted=1 sent=1;  101 sent=3; ");
	figure_expect(&(struct store_figure_query){FIGURES_BY_TAG, false, .from = 0, .to = 200}, 9,
	    "colour:blue -1 sent=1; colour:red -1 accepted=1 sent=3; ");
	figure_expect(&(struct store_figure_query){FIGURES_BY_TAG, true, .from = 0, .to = 200}, 9,
	    "colour:blue 101 sent=1; colour:red 100 accepted=1 sent=1; colour:red 101 sent=2; ");
	figure_expect(
	    &(struct store_figure_query){FIGURES_BY_PROVIDER, false, .from = 101, .to = 102}, 9,
	    "other -1 sent=3; ");
	/* A fact that was taken back leaves no row. */
	figure_expect(
	    &(struct store_figure_query){FIGURES_BY_TEMPLATE, false, .from = 0, .to = 200}, 9, "");
	figure_expect(
	    &(struct store_figure_query){FIGURES_BY_BROADCAST, true, .from = 0, .to = 200}, 9, "");
}

Test(figure, is_listed_in_pages)
{
	figure_fill();
	figure_expect(&(struct store_figure_query){FIGURES_BY_TAG, true, .from = 0, .to = 200,
			  .after = "colour:red", .after_day = 100},
	    9, "colour:red 101 sent=2; ");
	figure_expect(&(struct store_figure_query){FIGURES_BY_TAG, true, .from = 0, .to = 200,
			  .after = "colour:blue", .after_day = 101},
	    1, "colour:red 100 accepted=1 sent=1; ");
	figure_expect(&(struct store_figure_query){FIGURES_BY_TAG, false, .from = 0, .to = 200,
			  .after = "colour:blue", .after_day = -1},
	    9, "colour:red -1 accepted=1 sent=3; ");
	figure_expect(&(struct store_figure_query){FIGURES_BY_DAY, true, .from = 0, .to = 200,
			  .after = "", .after_day = 100},
	    9, " 101 sent=3; ");
}

Test(figure, is_listed_by_owner)
{
	struct base_id first = base_id_new(), second = base_id_new();
	const struct store_figure_origin origins[] = {
	    {.workflow_id = first, .step_id = (char *)"b", .domain_id = second},
	    {.workflow_id = first, .step_id = (char *)"a", .domain_id = second},
	    {.workflow_id = second, .step_id = (char *)"a", .domain_id = first}};
	char one[ID_TEXT_SIZE], two[ID_TEXT_SIZE];

	base_id_format(&first, one);
	base_id_format(&second, two);
	for (guint i = 0; i < G_N_ELEMENTS(origins); i++)
		COUNT({origins[i], "a@x.org", FIGURE_SENT, 100 + i, 1});
	g_autofree char *workflows = g_strdup_printf("%s -1 sent=2; %s -1 sent=1; ", one, two);
	g_autofree char *days = g_strdup_printf("%s 101 sent=1; %s 102 sent=1; ", one, two);
	g_autofree char *domains = g_strdup_printf("%s -1 sent=1; %s -1 sent=2; ", one, two);
	figure_expect(
	    &(struct store_figure_query){FIGURES_BY_WORKFLOW, false, .from = 0, .to = 200}, 9,
	    workflows);
	figure_expect(&(struct store_figure_query){FIGURES_BY_WORKFLOW, true, .from = 0, .to = 200,
			  .after = one, .after_day = 100},
	    9, days);
	figure_expect(&(struct store_figure_query){FIGURES_BY_DOMAIN, false, .from = 0, .to = 200},
	    9, domains);
	figure_expect(
	    &(struct store_figure_query){FIGURES_BY_NODE, false, first, .from = 0, .to = 200}, 9,
	    "a -1 sent=1; b -1 sent=1; ");
	figure_expect(
	    &(struct store_figure_query){FIGURES_BY_NODE, true, base_id_new(), .to = 200}, 9, "");
}

/* Many rows at once are written in another way than few. */
Test(figure, is_counted_in_any_number_of_rows)
{
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < 40; i++) {
		g_string_append_printf(names, "name \"%u\"\n:\303\274", i);
		g_string_append_c(names, '\0');
	}
	g_autoptr(GBytes) all = g_string_free_to_bytes(names);
	for (guint i = 0; i < 2; i++)
		COUNT({{.counted_tags = all}, "a@x.org", FIGURE_CLICKED, 100, 3},
		    {{.counted_tags = all}, "a@x.org", FIGURE_ACCEPTED, 100, 1});
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM figure WHERE clicked = 6"
					     " AND accepted = 2 AND dimension = 5"),
	    40);
	figure_expect(&(struct store_figure_query){FIGURES_BY_TAG, false, .from = 0, .to = 200}, 1,
	    "name \"0\"\n:\303\274 -1 accepted=2 clicked=6; ");
}

Test(figure, is_folded_when_its_day_is_past)
{
	static const char loose[] = "SELECT COUNT(*) FROM figure WHERE stripe > 0";
	guint folded;

	figure_fill();
	gint64 before = fixture_number(fixture, loose);
	MUST(store_figure_fold(fixture->db, 101 * DAY_MS, &folded, &error));
	cr_expect_eq(
	    folded, fixture_number(fixture, "SELECT COUNT(*) FROM figure WHERE stripe = 0"));
	cr_expect_eq(fixture_number(fixture, loose), before - folded);
	COUNT({{.domain_id = fixture->workspace}, "a@x.org", FIGURE_SENT, 100, 1});
	MUST(store_figure_fold(fixture->db, 200 * DAY_MS, &folded, &error));
	cr_expect_eq(fixture_number(fixture, loose), 0);
	MUST(store_figure_fold(fixture->db, 200 * DAY_MS, &folded, &error));
	cr_expect_eq(folded, 0);
	figure_expect(&(struct store_figure_query){FIGURES_BY_DAY, true, .from = 100, .to = 102}, 9,
	    " 100 accepted=1 sent=2;  101 sent=3; ");
}

/* Connections count in rows of their own, so that none waits for the other. */
Test(figure, is_counted_without_waiting)
{
	AUTO(db) other = fixture_impatient(fixture);
	const struct fact fact = {{.domain_id = fixture->workspace}, "a@x.org", FIGURE_SENT, 1, 1};
	struct facts facts = {&fixture->workspace, &fact, 1};

	COUNT(fact);
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(fixture->db, "UPDATE figure SET sent = sent + 1");
	MUST(db_transact(other, figure_count_all, &facts, &error));
	test_db_plain(fixture->db, "COMMIT");
	figure_expect(&(struct store_figure_query){FIGURES_BY_DAY, true, .from = 0, .to = 9}, 9,
	    " 1 sent=3; ");
}

Test(figure, has_tags_up_to_a_number)
{
	for (guint i = 0; i < 3; i++) {
		g_autofree char *value = g_strdup_printf("v%u", i);

		MUST(store_figure_tag_add(
		    fixture->db, &fixture->workspace, "name", value, 2, &error));
		MUST(store_figure_tag_add(
		    fixture->db, &fixture->workspace, "name", value, 2, &error));
	}
	g_autoptr(GHashTable) values =
	    MUST_GIVE(store_figure_tag_values(fixture->db, &fixture->workspace, "name", &error));
	cr_expect_eq(g_hash_table_size(values), 2);
	cr_expect(g_hash_table_contains(values, "v0") && g_hash_table_contains(values, "v1"));
	g_autoptr(GHashTable) others =
	    MUST_GIVE(store_figure_tag_values(fixture->db, &fixture->other, "name", &error));
	cr_expect_eq(g_hash_table_size(others), 0);
}
