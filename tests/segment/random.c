/* SPDX-License-Identifier: MIT */
/* Random rules choose the same random people as conditions in SQL that mean the same. */
#include <criterion/criterion.h>
#include <string.h>

#include "segment/pass.h"
#include "segment/rules.h"
#include "segment/scan.h"
#include "store/broadcast/segment.h"
#include "tests/segment/crowd.h"
#include "tests/segment/oracle.h"
#include "tests/support/steps.h"

#define PEOPLE 60
#define ROUNDS 75
#define RULES 40 /* in a round */

static guint
random_any(GRand *rand, guint count)
{
	return (guint)g_rand_int_range(rand, 0, (gint32)count);
}

static void
make_deeds(GRand *rand, struct crowd *crowd, const char *name, const struct base_id *person)
{
	const guint days_ago[] = {
	    random_any(rand, 25), random_any(rand, 25), random_any(rand, 25), random_any(rand, 25)};

	if (random_any(rand, 3) > 0)
		crowd_activity(crowd, name, days_ago);
	for (guint i = 0; i < G_N_ELEMENTS(crowd_started); i++) {
		const guint days[] = {random_any(rand, 25), random_any(rand, 25),
		    random_any(rand, 25), random_any(rand, 25)};

		if (random_any(rand, 4) > 0)
			crowd_receive(crowd, person, i, days);
	}
	for (guint i = random_any(rand, 6); i > 0; i--)
		crowd_event(crowd, person, oracle_events[random_any(rand, oracle_event_count)],
		    random_any(rand, 25));
}

static void
random_make_person(GRand *rand, struct crowd *crowd, guint number)
{
	g_autofree char *name = g_strdup_printf("p%u", number);
	const char *properties = oracle_properties[random_any(rand, oracle_property_count)];
	struct base_id person = crowd_person(crowd, name, properties);

	for (guint i = 0; i < G_N_ELEMENTS(crowd->audiences); i++)
		if (random_any(rand, 2))
			crowd_join(crowd, name, &crowd->audiences[i], random_any(rand, 3));
	if (random_any(rand, 2))
		crowd_choose(crowd, name, &crowd->opt_in, random_any(rand, 2));
	if (random_any(rand, 2))
		crowd_choose(crowd, name, &crowd->opt_out, random_any(rand, 2));
	make_deeds(rand, crowd, name, &person);
}

/* Spreads names, languages and so on over the people. */
static void
vary(struct crowd *crowd)
{
	test_db_plain(crowd->db,
	    "UPDATE person SET first_name = ELT(1 + CRC32(id) % 4, 'pro', '10', 'Rome', NULL),"
	    " language = ELT(1 + CRC32(id) % 3, 'de', 'free', NULL),"
	    " time_zone = IF(CRC32(id) % 2, 'Rome', NULL), is_subscribed = CRC32(id) % 5 > 0,"
	    " created = ELT(1 + CRC32(id) % 3, 9, 10, 11),"
	    " email = IF(CRC32(id) % 2, UPPER(email), email)");
}

static bool
random_note(const struct store_people_scan_person *person, void *context, GError **error)
{
	g_hash_table_add(context, g_memdup2(&person->id, sizeof(person->id)));
	return true;
}

static guint
random_hash_id(const void *id)
{
	guint hash;

	memcpy(&hash, (const guint8 *)id + sizeof(struct base_id) - sizeof(hash), sizeof(hash));
	return hash;
}

static gboolean
random_equal_ids(const void *a, const void *b)
{
	return base_id_equal(a, b);
}

/* Puts people of another workspace among these. */
static void
add_strangers(struct crowd *crowd)
{
	struct base_id other = base_id_new();

	MUST(db_run(crowd->db,
	    "INSERT IGNORE INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated)"
	    " SELECT UNHEX(CONCAT(SUBSTR(HEX(p.id), 1, 30), LPAD(HEX(s.seq), 2, '0'))), ?, p.email,"
	    " CONCAT(s.seq, p.address), p.properties, 0, 0, '', 0, 0, 0, 10, 1"
	    " FROM person p JOIN seq_1_to_6 s WHERE CRC32(p.id) % 3 = 0",
	    DB_VALUES(db_id(&other)), NULL, &error));
}

/* The ways in which people are looked at: all at once, all while others are read ahead, with a roll
   and with one that has no room, and some at a time. */
static const struct {
	guint most, together, roll;
} ways[] = {{0, 0, 0}, {0, 7, 0}, {0, 7, 1}, {7, 0, 0}};

/* The people whom rules choose: a set of struct base_id. */
static GHashTable *
random_choose(struct crowd *crowd, const char *text, guint way)
{
	GHashTable *chosen = g_hash_table_new_full(random_hash_id, random_equal_ids, g_free, NULL);
	g_autoptr(GError) fault = NULL;
	AUTO(segment_rules) rules = segment_rules_read(text, &fault);

	cr_assert(rules, "%s: %s", text, fault ? fault->message : "");
	MUST(segment_rules_resolve(rules, crowd->db, &crowd->house->workspace, false, &error));
	struct segment_scan scan = {.workspace = crowd->house->workspace,
	    .rules = rules,
	    .most = ways[way].most,
	    .together = ways[way].together,
	    .roll = ways[way].roll,
	    .take = random_note,
	    .context = chosen};
	bool more = true;
	while (more)
		MUST(segment_scan_run(&scan, crowd->db, &scan.after, &more, &error));
	return chosen;
}

/* One pass for all of the rules finds the same people as a look of each. The rules together ask for
   more facts than one reading has. */
static void
random_pass(struct crowd *crowd, const GPtrArray *texts, GHashTable *const *chosen)
{
	struct store_segment stored[RULES];
	struct segment_passed segments[RULES];
	const struct segment_pass_plan plan = {.workspace = crowd->house->workspace,
	    .segments = segments,
	    .count = RULES,
	    .together = 7,
	    .ahead_until = G_MAXINT64};
	struct base_id last;
	bool more = true;

	for (guint i = 0; i < RULES; i++) {
		stored[i] = (struct store_segment){.rules = texts->pdata[i]};
		segments[i] = (struct segment_passed){
		    &stored[i], g_array_new(FALSE, FALSE, sizeof(struct base_id))};
	}
	AUTO(segment_pass) pass = segment_pass_new(&plan, crowd->service, NULL);

	cr_assert(pass);
	while (more)
		MUST(segment_pass_next(pass, &last, &more, &error));
	for (guint i = 0; i < RULES; i++) {
		const GArray *in = segments[i].in;

		cr_assert_eq(
		    in->len, g_hash_table_size(chosen[i]), "%s: got %u", stored[i].rules, in->len);
		for (guint j = 0; j < in->len; j++)
			cr_assert(g_hash_table_contains(
			    chosen[i], &g_array_index(in, struct base_id, j)));
		g_array_unref(segments[i].in);
	}
}

/* Compares RULES random rules with one query that has all their conditions. */
static void
random_compare(GRand *rand, struct crowd *crowd, GPtrArray *queries)
{
	GString *sql = g_string_new("SELECT p.id");
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	GHashTable *chosen[RULES];

	for (guint i = 0; i < RULES; i++) {
		GString *text = g_string_new(NULL);

		g_string_append(sql, ", ");
		oracle_rules(rand, crowd, text, sql);
		g_ptr_array_add(texts, g_string_free(text, FALSE));
		chosen[i] = random_choose(crowd, texts->pdata[i], i % G_N_ELEMENTS(ways));
	}
	random_pass(crowd, texts, chosen);
	g_string_append(sql, " FROM person p WHERE p.workspace_id = ?");
	/* Statements live as long as the process. */
	g_ptr_array_add(queries, g_string_free(sql, FALSE));
	const char *query = queries->pdata[queries->len - 1];
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows =
	    db_select(crowd->db, query, DB_VALUES(db_id(&crowd->house->workspace)), &error);
	cr_assert(rows, "%s", error ? error->message : "");
	struct base_id id;
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &id);
		for (guint i = 0; i < RULES; i++) {
			bool want = db_rows_int(rows, i + 1) != 0;
			bool got = g_hash_table_contains(chosen[i], &id);

			cr_assert_eq(
			    got, want, "%s\n%s\ngot %d", (char *)texts->pdata[i], query, got);
		}
	}
	for (guint i = 0; i < RULES; i++)
		g_hash_table_unref(chosen[i]);
}

Test(random, rules_mean_what_their_conditions_mean, .timeout = 900)
{
	static GPtrArray *queries;
	AUTO(crowd) crowd = crowd_open();
	g_autoptr(GRand) rand = g_rand_new_with_seed(18);

	queries = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < PEOPLE; i++)
		random_make_person(rand, crowd, i);
	vary(crowd);
	add_strangers(crowd);
	for (guint i = 0, rounds = test_steps(ROUNDS); i < rounds; i++)
		random_compare(rand, crowd, queries);
}
