/* SPDX-License-Identifier: MIT */
/* Tests steps that change consent, against what the person has chosen before. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "consent/parts.h"
#include "db/transaction.h"
#include "json/value.h"
#include "person/choose.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/consent/opt_in.h"
#include "store/consent/topic.h"
#include "store/person/audience.h"
#include "store/person/membership.h"
#include "store/person/people.h"
#include "tests/automation/fixture.h"

#define ANN "ann@example.org"

/* Two topics of which the second has to be chosen, and two audiences of which the second wants a
   confirmation. */
struct consent_world {
	char topics[2][ID_TEXT_SIZE], audiences[2][ID_TEXT_SIZE];
};

static void
consent_world_make(struct fixture *fixture, struct consent_world *world_r)
{
	for (guint i = 0; i < 2; i++) {
		struct store_topic topic = {.workspace_id = fixture->house->workspace,
		    .name = (char *)"News",
		    .description = (char *)"",
		    .is_opt_in = i == 1};
		const struct store_opt_in opt_in = {.required = i == 1};
		struct base_id audience;

		cr_assert(store_topic_create(fixture->db, &topic, NULL));
		cr_assert(store_audience_create(
		    fixture->db, &topic.workspace_id, NULL, "Readers", &audience, NULL));
		cr_assert(
		    store_opt_in_put(fixture->db, &topic.workspace_id, &audience, &opt_in, NULL));
		base_id_format(&topic.id, world_r->topics[i]);
		base_id_format(&audience, world_r->audiences[i]);
	}
}

/* The text with ids for T0, T1, A0 and A1. The caller owns it. */
static char *
consent_fill(const struct consent_world *world, const char *text)
{
	GString *filled = g_string_new(text);

	g_string_replace(filled, "T0", world->topics[0], 0);
	g_string_replace(filled, "T1", world->topics[1], 0);
	g_string_replace(filled, "A0", world->audiences[0], 0);
	g_string_replace(filled, "A1", world->audiences[1], 0);
	return g_string_free(filled, FALSE);
}

struct consent_past {
	struct fixture *fixture;
	const struct json *changes;
	enum store_consent_author author;
};

/* The person leaves all audiences. */
static bool
consent_past_leave(struct db *db, const struct consent_past *past,
    const struct store_consent_act *act, GError **error)
{
	const struct base_id *workspace = &past->fixture->house->workspace;
	const char *address = ANN;
	AUTO(person_suppress_keys) keys = person_suppress_keys(past->fixture->service, &address, 1);
	const struct person_chooser chooser = {
	    workspace, person_suppress_key(keys, 0), act, false, NULL};
	g_autoptr(GPtrArray) memberships = store_membership_list(db, workspace, ANN, true, error);
	bool changed;

	for (guint i = 0; memberships && i < memberships->len; i++)
		if (!person_choose_audience(
			db, &chooser, memberships->pdata[i], false, &changed, error))
			return false;
	return memberships != NULL;
}

static bool
consent_past_make(struct db *db, void *context, GError **error)
{
	const struct consent_past *past = context;
	const struct consent_parts_person person = {&past->fixture->house->workspace, ANN, ANN};
	const struct store_consent_act act = {.source = CONSENT_BY_API, .author = past->author};
	const struct json *subscribed = json_member_get(past->changes, "subscribed");
	const struct consent_parts parts = {subscribed != NULL, json_boolean(subscribed),
	    json_member_get(past->changes, "topics"), json_member_get(past->changes, "audiences"),
	    &act};
	bool is_refused;

	if (past->author == CONSENT_OF_PERSON && parts.audiences)
		return consent_past_leave(db, past, &act, error);
	return consent_parts_apply(db, past->fixture->service, &person, &parts, &is_refused, error);
}

/* Makes changes, in the form of a node's data (NULL: none), by this author. */
static void
consent_before(struct fixture *fixture, const struct consent_world *world, const char *changes,
    enum store_consent_author author)
{
	g_autofree char *text = changes ? consent_fill(world, changes) : NULL;
	AUTO(json) document = text ? sample_json(text) : NULL;
	struct consent_past past = {fixture, document, author};
	g_autoptr(GError) error = NULL;

	cr_assert(!text || db_transact(fixture->db, consent_past_make, &past, &error), "%s",
	    error ? error->message : "");
}

static void
consent_show_audiences(struct fixture *fixture, const struct consent_world *world, GString *text)
{
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(fixture->db, &fixture->house->workspace, ANN, false, NULL);
	char id[ID_TEXT_SIZE];

	for (guint i = 0; i < 2; i++)
		for (guint k = 0; k < memberships->len; k++) {
			const struct store_membership *now = memberships->pdata[k];

			if (strcmp(base_id_format(&now->audience_id, id), world->audiences[i]) == 0)
				g_string_append_printf(
				    text, " A%u %s", i, store_membership_status(now));
		}
}

/* The person's consent: "all", or "none T0"; the topics; the memberships. The caller owns it. */
static char *
consent_show(struct fixture *fixture, const struct consent_world *world)
{
	const char *address = ANN;
	AUTO(person_suppress_keys) keys = person_suppress_keys(fixture->service, &address, 1);
	AUTO(store_person)
	person = store_people_get(fixture->db, &fixture->house->workspace, address, NULL);
	g_autoptr(GPtrArray) topics = store_topic_choices(
	    fixture->db, &fixture->house->workspace, person_suppress_key(keys, 0), NULL);
	GString *text = g_string_new(person->is_subscribed ? "all" : "none");

	for (guint i = topics->len; i-- > 0;) {
		const struct store_topic_choice *choice = topics->pdata[i];

		if (choice->is_subscribed)
			g_string_append_printf(text, " T%u", topics->len - 1 - i);
	}
	consent_show_audiences(fixture, world, text);
	return g_string_free(text, FALSE);
}

static void
consent_clear(struct fixture *fixture)
{
	static const char *const all[] = {"DELETE FROM consent", "DELETE FROM choice",
	    "DELETE FROM choice_part", "DELETE FROM confirmation", "DELETE FROM contact"};

	fixture_clear(fixture);
	for (guint i = 0; i < G_N_ELEMENTS(all); i++)
		test_db_plain(fixture->db, all[i]);
}

#define UPDATE(data) TRIGGER "," NODE("u", "update_contact", data)
#define REFUSED "This person has unsubscribed"

Test(consent, is_changed_by_a_step)
{
	static const struct {
		const char *operator_before, *person_before, *data;
		const char *want, *kinds; /* the rows of the history, of enum store_consent_kind */
		const char *why;	  /* its end; NULL: any that has no refusal */
		guint mails;
	} cases[] = {
	    {NULL, NULL, "'subscribed': false", "none T0", "1", "subscribed false", 0},
	    {NULL, NULL, "'subscribed': true", "all T0", "", "subscribed true", 0},
	    {"{'subscribed': false}", NULL, "'subscribed': true", "all T0", "2", NULL, 0},
	    {NULL, "{'subscribed': false}", "'subscribed': true", "none T0", "", REFUSED, 0},
	    {NULL, "{'subscribed': false}", "'subscribed': false", "none T0", "", NULL, 0},
	    {NULL, NULL, "'subscribed': {'var': 'event.no'}", "none T0", "1", NULL, 0},
	    {NULL, NULL, "'subscribed': {'not': {'var': 'event.yes'}}", "none T0", "1", NULL, 0},
	    /* topics */
	    {NULL, NULL, "'topics': {'T0': false, 'T1': true}", "all T1", "10,9", NULL, 0},
	    {NULL, NULL, "'topics': {'T0': true, 'T1': false}", "all T0", "9", NULL, 0},
	    {"{'topics': {'T0': false}}", NULL, "'topics': {'T0': true}", "all T0", "9", NULL, 0},
	    {NULL, "{'topics': {'T0': false}}", "'topics': {'T0': true, 'T1': true}", "all T1", "9",
		REFUSED, 0},
	    {NULL, "{'subscribed': false}", "'topics': {'T1': true}", "none T0", "", REFUSED, 0},
	    {"{'subscribed': false}", NULL, "'topics': {'T1': true}", "all T0 T1", "2,9", NULL, 0},
	    /* audiences */
	    {NULL, NULL, "'audiences': {'A0': true}", "all T0 A0 subscribed", "", NULL, 0},
	    {NULL, NULL, "'audiences': {'A0': false, 'A1': null}", "all T0", "", NULL, 0},
	    {"{'audiences': {'A0': true}}", NULL, "'audiences': {'A0': false}",
		"all T0 A0 unsubscribed", "7", NULL, 0},
	    {"{'audiences': {'A0': true}}", NULL, "'audiences': {'A0': null}", "all T0", "8", NULL,
		0},
	    {"{'audiences': {'A0': true}}", "{'audiences': {'A0': false}}",
		"'audiences': {'A0': true}, 'set': {'plan': 1}", "all T0 A0 unsubscribed", "",
		REFUSED, 0},
	    {NULL, "{'subscribed': false}", "'audiences': {'A0': true, 'A1': true}", "none T0", "",
		REFUSED, 0},
	    {"{'subscribed': false}", NULL, "'audiences': {'A0': true}", "all T0 A0 subscribed",
		"2", NULL, 0},
	    /* confirmations */
	    {NULL, NULL, "'audiences': {'A1': true}", "all T0 A1 pending", "5", NULL, 1},
	    {"{'audiences': {'A1': true}}", NULL, "'audiences': {'A1': true}", "all T0 A1 pending",
		"", NULL, 1},
	    {"{'audiences': {'A1': true}}", NULL, "'audiences': {'A1': false}",
		"all T0 A1 unsubscribed", "7", NULL, 1},
	    {"{'audiences': {'A1': true}}", NULL, "'audiences': {'A1': null}", "all T0", "8", NULL,
		1},
	    /* all of it at once */
	    {NULL, "{'topics': {'T0': false}}",
		"'subscribed': true, 'topics': {'T0': true, 'T1': true}, "
		"'audiences': {'A0': true, 'A1': true}",
		"all T1 A0 subscribed A1 pending", "9,5", REFUSED, 1},
	};

	AUTO(fixture) fixture = fixture_open();
	struct consent_world world;

	consent_world_make(fixture, &world);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		consent_clear(fixture);
		fixture_event(fixture, "hello", NULL);
		consent_before(fixture, &world, cases[i].operator_before, CONSENT_OF_OPERATOR);
		consent_before(fixture, &world, cases[i].person_before, CONSENT_OF_PERSON);
		g_autofree char *data = consent_fill(&world, cases[i].data);
		g_autofree char *nodes = g_strdup_printf(UPDATE("%s"), data);
		fixture_workflow(fixture, nodes, EDGE("t", "u"));
		fixture_event(fixture, "order", "{'yes': true, 'no': false}");
		fixture_run(fixture);
		fixture_expect(cases[i].data, fixture_show(fixture), "COMPLETED u 2\n");
		fixture_expect(cases[i].data, consent_show(fixture, &world), cases[i].want);
		fixture_expect(cases[i].data,
		    test_db_text(fixture->db,
			"SELECT COALESCE(GROUP_CONCAT(kind ORDER BY id), '') FROM consent"
			" WHERE source = 11"),
		    cases[i].kinds);
		g_autofree char *why =
		    test_db_text(fixture->db, "SELECT why FROM execution_step WHERE step_id = 'u'");
		cr_expect(
		    cases[i].why ? g_str_has_suffix(why, cases[i].why) : !strstr(why, REFUSED),
		    "%s: got %s", cases[i].data, why);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"), cases[i].mails);
	}
}

Test(consent, of_the_person_is_asked_by_the_next_step)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    UPDATE("'subscribed': false") "," NODE("m", "send_email", MAIL_DATA) "," NODE("c",
		"condition",
		"'rules': [{'property': 'contact.subscribed', 'operator': 'equals', 'value': "
		"false}]") "," NODE("x", "exit", ""),
	    EDGE("t", "u") "," EDGE("u", "m") "," EDGE("m", "c") "," EDGE_BY("c", "yes", "x"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("no", fixture_show(fixture), "COMPLETED x 5\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"), 0);
}

Test(consent, that_cannot_be_changed_fails_the_execution)
{
	static const struct {
		const char *data, *want;
	} cases[] = {
	    {"'subscribed': {'var': 'plan'}", "FAILED u 2 u: subscribed must be true or false\n"},
	    {"'subscribed': {'not': {'var': 'event.none'}}",
		"FAILED u 2 u: subscribed must be true or false\n"},
	    {"'topics': {'T0': true}", "FAILED u 2 u: topics.T0 is not a topic\n"},
	    {"'audiences': {'A0': true}", "FAILED u 2 u: audiences.A0 is not an audience\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open();
		struct consent_world world;

		consent_world_make(fixture, &world);
		g_autofree char *data = consent_fill(&world, cases[i].data);
		g_autofree char *nodes = g_strdup_printf(UPDATE("%s"), data);
		g_autofree char *want = consent_fill(&world, cases[i].want);
		fixture_workflow(fixture, nodes, EDGE("t", "u"));
		test_db_plain(fixture->db, "DELETE FROM topic");
		test_db_plain(fixture->db, "DELETE FROM audience");
		fixture_event(fixture, "order", "{'plan': 'true'}");
		fixture_run(fixture);
		fixture_expect(cases[i].data, fixture_show(fixture), want);
	}
}

Test(consent, needs_ids_that_are_there_when_a_design_is_activated)
{
	static const struct {
		const char *data, *want;
	} cases[] = {
	    {"'topics': {'A0': true}", "node \"u\": data.topics.A0 is not a topic"},
	    {"'topics': {'T0': true, 'x': false}", "node \"u\": data.topics.x is not a topic"},
	    {"'audiences': {'A0': true, 'T0': null}",
		"node \"u\": data.audiences.T0 is not an audience"},
	    {"'audiences': {'A0': true, 'A1': null}, 'topics': {'T0': false}", NULL},
	};
	AUTO(fixture) fixture = fixture_open();
	struct base_id workflow = fixture_workflow(fixture, TRIGGER, "");
	struct consent_world world;

	consent_world_make(fixture, &world);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *data = consent_fill(&world, cases[i].data);
		g_autofree char *nodes = g_strdup_printf(UPDATE("%s"), data);
		g_autofree char *want = cases[i].want ? consent_fill(&world, cases[i].want) : NULL;
		g_autofree char *got =
		    fixture_change(fixture, &workflow, NULL, nodes, EDGE("t", "u"));

		cr_expect(want ? got && g_str_has_prefix(got, want) : !got, "%s: got %s",
		    cases[i].data, got);
	}
}
