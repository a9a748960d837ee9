/* SPDX-License-Identifier: MIT */
#include "store/person/contact.h"

#include "base/clock.h"
#include "db/transaction.h"
#include "store/consent/choice.h"
#include "store/person/audience.h"
#include "tests/store/fixture.h"

#define NOW 1800000000000
#define UNKNOWN ((struct base_id){{1}})

static struct fixture *fixture;
static struct base_id audience;

static void
contact_begin(void)
{
	fixture = fixture_open();
	base_clock_set(NOW);
	MUST(store_audience_create(
	    fixture->db, &fixture->workspace, NULL, "News", &audience, &error));
}

static void
contact_end(void)
{
	fixture_close(fixture);
}

TestSuite(contact, .init = contact_begin, .fini = contact_end, .timeout = 900);

#define MOST STORE_CHOICE_TOGETHER

/* New contacts of people with one hash each. */
struct many {
	struct store_contact *contacts[MOST];
	struct store_suppression_key keys[MOST];
	guint count;
};

static struct store_contact *
store_contact_make(const struct base_id *workspace, const char *email, bool subscribed)
{
	struct store_contact *contact = g_new0(struct store_contact, 1);

	contact->workspace_id = *workspace;
	contact->audience_id = audience;
	contact->email = g_strdup(email);
	contact->address = g_ascii_strdown(email, -1);
	contact->first_name = g_strdup("Ädä");
	contact->is_subscribed = subscribed;
	return contact;
}

static struct base_id
contact_create(const char *email, bool subscribed)
{
	AUTO(store_contact) contact = store_contact_make(&fixture->workspace, email, subscribed);

	MUST(store_contact_create(fixture->db, contact, NULL, &error));
	return contact->id;
}

/* A contact in one line. */
static char *
contact_show(const struct base_id *id)
{
	AUTO(store_contact) c =
	    MUST_GIVE(store_contact_get(fixture->db, &fixture->workspace, &audience, id, &error));

	cr_expect(base_id_equal(&c->workspace_id, &fixture->workspace));
	cr_expect(base_id_equal(&c->audience_id, &audience));
	return g_strdup_printf("%s %s %s %s %d", c->email, c->address,
	    c->first_name ? c->first_name : "-", c->last_name ? c->last_name : "-",
	    c->is_subscribed);
}

static void
contact_expect(const char *name, const struct base_id *id, const char *want)
{
	g_autofree char *got = contact_show(id);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

static void
contact_expect_counts(const char *name, gint64 contacts, gint64 unsubscribers)
{
	AUTO(store_audience) got =
	    MUST_GIVE(store_audience_get(fixture->db, &fixture->workspace, &audience, &error));

	cr_expect(got->contacts == contacts && got->unsubscribers == unsubscribers,
	    "%s: got %d, %d, want %d, %d", name, (int)got->contacts, (int)got->unsubscribers,
	    (int)contacts, (int)unsubscribers);
}

/* How many commands of a kind this connection has given, this one included. */
static gint64
commands(const char *sql)
{
	g_autofree char *text = test_db_text(fixture->db, sql);

	return g_ascii_strtoll(text, NULL, 10);
}
#define COMMANDS(kind)                                                                             \
	commands("SELECT VARIABLE_VALUE FROM information_schema.session_status"                    \
		 " WHERE VARIABLE_NAME = '" kind "'")

Test(contact, comes_back_as_it_was)
{
	struct base_id id = contact_create("Ada@X.org", true);

	contact_expect("created", &id, "Ada@X.org ada@x.org Ädä - 1");
	contact_expect_counts("created", 1, 0);
	AUTO(store_contact) contact =
	    MUST_GIVE(store_contact_get(fixture->db, &fixture->workspace, &audience, &id, &error));
	cr_expect(contact->created >= NOW && contact->created < NOW + 10000);
	cr_expect_eq(contact->updated, contact->created);
}

Test(contact, is_there_once)
{
	contact_create("ada@x.org", true);
	AUTO(store_contact) again = store_contact_make(&fixture->workspace, "ADA@x.org", false);
	struct base_id other = contact_create("b@x.org", false);
	const struct store_contact_change change = {.email = "Ada@x.org", .address = "ada@x.org"};

	for (guint i = 0; i < 2; i++)
		MUST_FAIL(
		    store_contact_create(fixture->db, again, NULL, &error), PH_ERROR_CONFLICT);
	MUST_FAIL(store_contact_change(
		      fixture->db, &fixture->workspace, &audience, &other, &change, &error),
	    PH_ERROR_CONFLICT);
	contact_expect_counts("conflicts", 2, 1);
	contact_create("c@x.org", true);
	contact_expect_counts("after them", 3, 1);
}

Test(contact, changes_in_what_is_given)
{
	static const struct {
		const char *name;
		struct store_contact_change change;
		const char *want;
		gint64 unsubscribers;
	} cases[] = {
	    {"nothing", {.email = NULL}, "ada@x.org ada@x.org Ädä - 1", 0},
	    {"email", {.email = "B@x.org", .address = "b@x.org"}, "B@x.org b@x.org Ädä - 1", 0},
	    {"names", {.first_name_given = true, .last_name_given = true, .last_name = "L"},
		"B@x.org b@x.org - L 1", 0},
	    {"unsubscribed", {.is_subscribed_given = true}, "B@x.org b@x.org - L 0", 1},
	    {"unsubscribed again", {.is_subscribed_given = true}, "B@x.org b@x.org - L 0", 1},
	    {"subscribed", {.is_subscribed_given = true, .is_subscribed = true},
		"B@x.org b@x.org - L 1", 0},
	};
	struct base_id id = contact_create("ada@x.org", true);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		MUST(store_contact_change(
		    fixture->db, &fixture->workspace, &audience, &id, &cases[i].change, &error));
		contact_expect(cases[i].name, &id, cases[i].want);
		contact_expect_counts(cases[i].name, 1, cases[i].unsubscribers);
	}
}

Test(contact, is_removed_once)
{
	struct base_id one = contact_create("a@x.org", true),
		       two = contact_create("b@x.org", false);

	MUST(store_contact_remove(fixture->db, &fixture->workspace, &audience, &two, NULL, &error));
	contact_expect_counts("one is left", 1, 0);
	MUST_FAIL(
	    store_contact_remove(fixture->db, &fixture->workspace, &audience, &two, NULL, &error),
	    PH_ERROR_NOT_FOUND);
	MUST(store_contact_remove(fixture->db, &fixture->workspace, &audience, &one, NULL, &error));
	contact_expect_counts("none is left", 0, 0);
}

/* A list is ordered by address, begins behind any address, and reads only its rows. */
Test(contact, is_listed_by_address)
{
	static const struct {
		const char *name, *after;
		guint limit;
		const char *want;
	} cases[] = {
	    {"all", NULL, 10, "a@x.org B@x.org c@x.org d@x.org "},
	    {"some", NULL, 2, "a@x.org B@x.org "},
	    {"behind one", "b@x.org", 10, "c@x.org d@x.org "},
	    {"behind what is not there", "bb@x.org", 10, "c@x.org d@x.org "},
	    {"behind the last", "d@x.org", 10, ""},
	};

	contact_create("c@x.org", true);
	contact_create("a@x.org", true);
	contact_create("d@x.org", true);
	contact_create("B@x.org", true);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) list = MUST_GIVE(store_contact_list(fixture->db,
		    &fixture->workspace, &audience, cases[i].after, cases[i].limit, &error));
		g_autoptr(GString) got = g_string_new(NULL);

		for (guint c = 0; c < list->len; c++)
			g_string_append_printf(
			    got, "%s ", ((const struct store_contact *)list->pdata[c])->email);
		cr_expect_str_eq(got->str, cases[i].want, "%s: got %s", cases[i].name, got->str);
	}
}

Test(contact, of_thousands_costs_no_more_to_list_and_get)
{
	gint64 listed[2], got[2];
	struct base_id id = contact_create("zz@x.org", true);

	for (guint size = 0; size < 2; size++) {
		fixture_work(fixture);
		g_ptr_array_unref(MUST_GIVE(store_contact_list(
		    fixture->db, &fixture->workspace, &audience, size ? "5" : "", 1, &error)));
		listed[size] = fixture_work(fixture).read;
		store_contact_free(MUST_GIVE(
		    store_contact_get(fixture->db, &fixture->workspace, &audience, &id, &error)));
		got[size] = fixture_work(fixture).read;
		if (size == 0)
			MUST(db_run(fixture->db,
			    "INSERT INTO contact (audience_id, address, id, workspace_id, email,"
			    " is_subscribed, created, updated) SELECT ?, CONCAT(seq, '@x.org'),"
			    " UNHEX(MD5(seq)), ?, 'x', 1, 1, 1 FROM seq_1_to_20000",
			    DB_VALUES(db_id(&audience), db_id(&fixture->workspace)), NULL, &error));
	}
	cr_expect_leq(listed[1], listed[0] + 1, "got %d rows, and %d of one contact",
	    (int)listed[1], (int)listed[0]);
	cr_expect_eq(
	    got[1], got[0], "got %d rows, and %d of one contact", (int)got[1], (int)got[0]);
}

/* Never finds a contact by another workspace, another audience, or an unknown id. */
Test(contact, is_of_its_workspace_and_audience)
{
	struct base_id id = contact_create("a@x.org", false), elsewhere;
	const struct store_contact_change change = {
	    .is_subscribed_given = true, .is_subscribed = true};

	MUST(store_audience_create(
	    fixture->db, &fixture->workspace, NULL, "Two", &elsewhere, &error));
	const struct {
		const char *name;
		const struct base_id *workspace, *audience, *id;
	} cases[] = {
	    {"another workspace", &fixture->other, &audience, &id},
	    {"another audience", &fixture->workspace, &elsewhere, &id},
	    {"no audience", &fixture->workspace, &UNKNOWN, &id},
	    {"no contact", &fixture->workspace, &audience, &UNKNOWN},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct base_id *w = cases[i].workspace, *a = cases[i].audience,
				     *c = cases[i].id;

		MUST_FAIL(store_contact_get(fixture->db, w, a, c, &error), PH_ERROR_NOT_FOUND);
		MUST_FAIL(store_contact_change(fixture->db, w, a, c, &change, &error),
		    PH_ERROR_NOT_FOUND);
		MUST_FAIL(
		    store_contact_remove(fixture->db, w, a, c, NULL, &error), PH_ERROR_NOT_FOUND);
	}
	AUTO(store_contact) theirs = store_contact_make(&fixture->other, "b@x.org", true);
	MUST_FAIL(store_contact_create(fixture->db, theirs, NULL, &error), PH_ERROR_NOT_FOUND);
	/* Another workspace does not even learn that the contact exists. */
	AUTO(store_contact) same = store_contact_make(&fixture->other, "a@x.org", true);
	MUST_FAIL(store_contact_create(fixture->db, same, NULL, &error), PH_ERROR_NOT_FOUND);
	MUST_FAIL(store_contact_list(fixture->db, &fixture->other, &audience, NULL, 1, &error),
	    PH_ERROR_NOT_FOUND);
	const struct store_contact_change put = {.email = "b@x.org", .address = "b@x.org"};
	struct store_contact_tally tally = {0};
	MUST_FAIL(store_contact_put(fixture->db, &put, 1,
		      &(struct store_contact_putting){&fixture->other, &audience}, &tally, &error),
	    PH_ERROR_NOT_FOUND);
	contact_expect("untouched", &id, "a@x.org a@x.org Ädä - 0");
	contact_expect_counts("untouched", 1, 1);
}

static void
put(const char *name, const struct store_contact_change *contacts, guint count, bool update,
    const char *want)
{
	struct store_contact_tally t = {0};

	MUST(store_contact_put(fixture->db, contacts, count,
	    &(struct store_contact_putting){&fixture->workspace, &audience,
		.existing = update ? EXISTING_UPDATE : EXISTING_SKIP},
	    &t, &error));
	g_autofree char *got = g_strdup_printf("%d new, %d changed, %d same, %d skipped",
	    (int)t.created, (int)t.updated, (int)t.unchanged, (int)t.skipped);
	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(contact, comes_with_many_others)
{
	struct base_id id = contact_create("b@x.org", false);
	const struct store_contact_change contacts[] = {
	    {.email = "A@x.org",
		.address = "a@x.org",
		.first_name_given = true,
		.last_name_given = true,
		.first_name = "A"},
	    {.email = "B@x.org",
		.address = "b@x.org",
		.last_name_given = true,
		.last_name = "L",
		.is_subscribed_given = true,
		.is_subscribed = true},
	    {.email = "c@x.org",
		.address = "c@x.org",
		.first_name_given = true,
		.last_name_given = true,
		.first_name = "C",
		.is_subscribed_given = true},
	};

	put("none", contacts, 0, true, "0 new, 0 changed, 0 same, 0 skipped");
	put("skipped", &contacts[1], 1, false, "0 new, 0 changed, 0 same, 1 skipped");
	contact_expect("skipped", &id, "b@x.org b@x.org Ädä - 0");
	put("first", contacts, 3, true, "2 new, 1 changed, 0 same, 0 skipped");
	contact_expect("changed", &id, "B@x.org b@x.org Ädä L 1");
	contact_expect_counts("first", 3, 1);
	put("again", contacts, 3, true, "0 new, 0 changed, 3 same, 0 skipped");
	contact_expect_counts("again", 3, 1);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM contact WHERE address = 'a@x.org'"
				    " AND is_subscribed AND last_name IS NULL"),
	    1);
}

/* An import that is told to workflows looks at people only where one hears of it. */
Test(contact, put_looks_only_for_who_hears)
{
	enum { PEOPLE = 50 };
	struct store_contact_change contacts[PEOPLE];
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	static const char *const names[] = {"A", "B", "C"};
	gint64 reads[G_N_ELEMENTS(names)];

	for (guint i = 0; i < PEOPLE; i++) {
		char *address = g_strdup_printf("%03u@x.org", i);

		g_ptr_array_add(texts, address);
		contacts[i] = (struct store_contact_change){
		    .email = address, .address = address, .first_name_given = true};
	}
	/* The first of them makes the people. */
	for (guint round = 0; round < G_N_ELEMENTS(names); round++) {
		const struct store_contact_putting how = {
		    .workspace = &fixture->workspace,
		    .audience = &audience,
		    .look_first = true,
		    .tells = round == 2,
		};
		struct store_contact_tally tally = {0};

		for (guint i = 0; i < PEOPLE; i++)
			contacts[i].first_name = names[round];
		fixture_work(fixture);
		MUST(store_contact_put(fixture->db, contacts, PEOPLE, &how, &tally, &error));
		reads[round] = fixture_work(fixture).read;
		cr_expect_eq(tally.created + tally.updated, PEOPLE);
	}
	cr_expect_lt(reads[2] - reads[1], 2 * PEOPLE, "%d, and %d where it is told", (int)reads[1],
	    (int)reads[2]);
}

static bool
insert_all(struct db *db, void *context, GError **error)
{
	struct many *many = context;

	return store_contact_insert_all(
	    db, many->contacts, many->count, many->keys, many->count, error);
}

/* Whether so many people join together. */
static bool
join_all(guint count)
{
	static const guint8 hash[1][SHA256_SIZE];
	struct many many = {.count = count};

	for (guint i = 0; i < count; i++) {
		g_autofree char *email = g_strdup_printf("%u@x.org", i);

		many.contacts[i] = store_contact_make(&fixture->workspace, email, true);
		many.keys[i] = (struct store_suppression_key){many.contacts[i]->address, hash, 1};
	}
	bool done = db_transact(fixture->db, insert_all, &many, NULL);
	for (guint i = 0; i < count; i++)
		store_contact_free(many.contacts[i]);
	return done;
}

/* In each size of the statements that they share. One who has left lets all of them fail. */
Test(contact, joins_with_others)
{
	static const guint counts[] = {1, 4, 5, 8, 9, MOST};

	test_db_plain(fixture->db,
	    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, description,"
	    " created, secret) SELECT UNHEX('00000000000000000000000000000002'), workspace_id,"
	    " 'http://example.net/', 1 << 13, 1, 0, '', 1, '' FROM audience LIMIT 1");
	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autofree char *leave = g_strdup_printf(
		    "INSERT INTO choice (workspace_id, person, created) SELECT workspace_id,"
		    " '%u@x.org', 1 FROM audience LIMIT 1",
		    counts[i] - 1);

		cr_expect(join_all(counts[i]), "%u", counts[i]);
		contact_expect_counts("joined", counts[i], 0);
		cr_expect_eq(
		    fixture_number(fixture, "SELECT COUNT(*) FROM contact c JOIN webhook_event"
					    " v ON v.id = c.id JOIN webhook_delivery d ON"
					    " d.event_id = v.id"),
		    counts[i], "%u", counts[i]);
		test_db_plain(fixture->db, "DELETE FROM contact");
		test_db_plain(fixture->db, "UPDATE audience_counter SET contacts = 0");
		test_db_plain(fixture->db, leave);
		cr_expect_not(join_all(counts[i]), "%u", counts[i]);
		contact_expect_counts("refused", 0, 0);
		test_db_plain(fixture->db, "DELETE FROM choice");
	}
}

/* A full batch takes a few statements. */
Test(contact, comes_in_full_batches)
{
	struct store_contact_change contacts[STORE_CONTACT_BATCH];
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < STORE_CONTACT_BATCH; i++) {
		char *email = g_strdup_printf("%04u@x.org", i);

		g_ptr_array_add(texts, email);
		contacts[i] = (struct store_contact_change){.email = email, .address = email};
	}
	gint64 before = COMMANDS("QUESTIONS");
	put("all", contacts, STORE_CONTACT_BATCH, true, "500 new, 0 changed, 0 same, 0 skipped");
	gint64 commanded = COMMANDS("QUESTIONS") - before;
	cr_expect_lt(commanded, 20, "got %d", (int)commanded);
	put("again", contacts, STORE_CONTACT_BATCH, false, "0 new, 0 changed, 0 same, 500 skipped");
	contact_expect_counts("all", STORE_CONTACT_BATCH, 0);
}

/* A contact that another process inserts meanwhile is found at the second try. */
Test(contact, may_come_from_two_sides)
{
	struct store_contact_change one = {.email = "a@x.org", .address = "a@x.org"};

	contact_create("a@x.org", true);
	put("there already", &one, 1, true, "0 new, 0 changed, 1 same, 0 skipped");
	contact_expect_counts("there already", 1, 0);
}

/* Creating one is one statement and one round trip. */
Test(contact, is_created_in_one_statement)
{
	contact_create("first@x.org", true);
	gint64 before = COMMANDS("COM_STMT_EXECUTE");
	contact_create("second@x.org", true);
	gint64 executed = COMMANDS("COM_STMT_EXECUTE") - before;
	cr_expect_eq(executed, 2, "got %d, the question included", (int)executed);
}

struct wish {
	const char *address;
	bool subscribed;
	guint count;
};

static bool
contact_subscribe(struct db *db, void *context, GError **error)
{
	struct wish *wish = context;

	return store_contact_subscribe(db, &fixture->workspace, wish->address,
	    &(struct store_consent_turn){wish->subscribed, CONSENT_OF_PERSON, 0}, &wish->count,
	    error);
}

/* One address, in each audience of the workspace. */
Test(contact, is_subscribed_everywhere_or_nowhere)
{
	const struct {
		struct wish wish; /* count: as wanted */
		const char *want;
		gint64 want_unsubscribers;
	} cases[] = {
	    {{"z@x.org", false, 0}, "Ada@x.org ada@x.org Ädä - 1", 0},
	    {{"ada@x.org", true, 0}, "Ada@x.org ada@x.org Ädä - 1", 0},
	    {{"ada@x.org", false, 2}, "Ada@x.org ada@x.org Ädä - 0", 1},
	    {{"ada@x.org", false, 0}, "Ada@x.org ada@x.org Ädä - 0", 1},
	    {{"ada@x.org", true, 2}, "Ada@x.org ada@x.org Ädä - 1", 0},
	};
	struct base_id first = audience, second, theirs;
	contact_create("Ada@x.org", true);
	MUST(
	    store_audience_create(fixture->db, &fixture->workspace, NULL, "More", &second, &error));
	MUST(store_audience_create(fixture->db, &fixture->other, NULL, "Theirs", &theirs, &error));
	audience = theirs;
	AUTO(store_contact) other = store_contact_make(&fixture->other, "Ada@x.org", true);
	MUST(store_contact_create(fixture->db, other, NULL, &error));
	audience = second;
	struct base_id id = contact_create("Ada@x.org", true);
	contact_create("b@x.org", true);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct wish wish = cases[i].wish;
		g_autofree char *name = g_strdup_printf("case %zu", i);

		MUST(db_transact(fixture->db, contact_subscribe, &wish, &error));
		cr_expect_eq(wish.count, cases[i].wish.count, "%s: got %u", name, wish.count);
		contact_expect(name, &id, cases[i].want);
		contact_expect_counts(name, 2, cases[i].want_unsubscribers);
		audience = first;
		contact_expect_counts(name, 1, cases[i].want_unsubscribers);
		audience = second;
	}
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM contact WHERE is_subscribed"), 4);
}
