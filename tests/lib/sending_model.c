/* SPDX-License-Identifier: MIT */
/* Mailings against a model: with random rules, zones, days on which clocks change, and processes
   that die with places, nobody gets more than the cap, nothing leaves outside the hours, and what
   may leave does at the first moment. POSTHOUSE_STEPS runs more rounds, and POSTHOUSE_TEST_SEED
   begins with that one. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "delivery/message.h"
#include "delivery/sending.h"
#include "email/submission.h"
#include "json/strict.h"
#include "sending/rules.h"
#include "service/service.h"
#include "store/consent/topic.h"
#include "store/outbox/sending.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/figures.h"
#include "tests/support/steps.h"

#define MINUTE ((gint64)60 * 1000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define PEOPLE 4
#define STEPS 30
#define MOST 400 /* entries of one claim */

/* The times between which the clocks of some people change: 2027-03-14, 2027-03-28, 2027-04-04,
   2027-10-31 and 2027-11-07, each less a day. */
static const gint64 starts[] = {
    1804982400000, 1806192000000, 1806796800000, 1824854400000, 1825459200000};
static const char *const zones[PEOPLE] = {
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", NULL};

struct model {
	struct fixture *fixture;
	GRand *random;
	struct base_id topic;
	char id[ID_TEXT_SIZE];
	struct sending_rules rules[2]; /* of workspace and topic */
	gint64 since[2];
	guint round;
};

static void
model_set_rules(struct model *model, guint which)
{
	static const char *const windows[] = {
	    NULL,
	    "{'windows':[{'from':'02:15','to':'09:00'}],'zone':'Europe/Berlin'}",
	    "{'windows':[{'from':'22:00','to':'02:30'}],'zone':'UTC'}",
	    "{'windows':[{'days':['sat','sun'],'from':'00:00','to':'24:00'},"
	    "{'from':'12:00','to':'12:30'}],'zone':'Asia/Kolkata'}",
	};
	static const char *const caps[] = {
	    NULL,
	    "{'mailings':1,'days':1,'wait':{'duration':2,'unit':'days'}}",
	    "{'mailings':2,'days':2,'wait':{'duration':1,'unit':'weeks'}}",
	    "{'mailings':3,'days':1,'wait':null}",
	};
	const char *hours = windows[g_rand_int_range(model->random, 0, G_N_ELEMENTS(windows))];
	const char *cap = caps[g_rand_int_range(model->random, which == 0, G_N_ELEMENTS(caps))];
	g_autofree char *hours_json = hours ? g_strdelimit(g_strdup(hours), "'", '"') : NULL;
	g_autofree char *cap_json = cap ? g_strdelimit(g_strdup(cap), "'", '"') : NULL;
	const struct store_sending sending = {which == 1, model->topic, hours_json, cap_json, 0};

	cr_assert(sending_rules_parse(hours_json, cap_json, &model->rules[which], NULL));
	model->since[which] = base_clock_now();
	cr_assert(store_sending_put(model->fixture->db, &model->fixture->key.workspace_id, &sending,
	    model->since[which], NULL));
}

static void
model_open(struct model *model)
{
	static const struct smtp_script script = {
	    .rules = {REPLY("RCPT TO:<p0@*", 2, "451 4.2.0 later")}};
	gint64 start = starts[model->round % G_N_ELEMENTS(starts)];

	base_clock_set(start);
	/* To make a database takes longer than a round. */
	if (model->fixture)
		fixture_renew(model->fixture, &script, NULL);
	else
		model->fixture = fixture_open(&script, NULL);
	test_db_plain(model->fixture->db, "DELETE FROM event");
	test_db_plain(model->fixture->db, "DELETE FROM recipient");
	test_db_plain(model->fixture->db, "DELETE FROM figure");
	test_db_plain(model->fixture->db, "DELETE FROM topic");
	/* The round before has set its caps at a later time. */
	test_db_plain(model->fixture->db, "DELETE FROM sending_rule");
	test_db_plain(model->fixture->db, "DELETE FROM sending_place");
	struct store_topic topic = {.workspace_id = model->fixture->key.workspace_id,
	    .name = (char *)"News",
	    .description = (char *)"",
	    .is_public = true};
	cr_assert(store_topic_create(model->fixture->db, &topic, NULL));
	model->topic = topic.id;
	base_id_format(&topic.id, model->id);
	for (guint i = 0; i < PEOPLE; i++) {
		g_autofree char *zone =
		    zones[i] ? g_strdup_printf("'%s'", zones[i]) : g_strdup("NULL");
		g_autofree char *sql = g_strdup_printf(
		    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
		    " last_seen, last_event, event_count, created, updated, time_zone)"
		    " SELECT UNHEX(LPAD('%u', 32, '0')), workspace_id, 'p%u@r%u.org',"
		    " 'p%u@r%u.org', '{}', 0, 0, '', 0, 1, 1, %s FROM topic"
		    " ORDER BY id DESC LIMIT 1",
		    model->round * PEOPLE + i + 1, i, model->round, i, model->round, zone);
		test_db_plain(model->fixture->db, sql);
	}
	model_set_rules(model, 0);
	model_set_rules(model, 1);
}

static void
model_submit(struct model *model)
{
	struct email_submission submission = fixture_submission();
	char first[32], second[32];
	const char *to[] = {first, NULL, NULL};

	g_snprintf(first, sizeof(first), "p%d@r%u.org", g_rand_int_range(model->random, 0, PEOPLE),
	    model->round);
	g_snprintf(second, sizeof(second), "p%d@r%u.org",
	    g_rand_int_range(model->random, 0, PEOPLE), model->round);
	if (g_rand_int_range(model->random, 0, 3) == 0 && strcmp(first, second) != 0)
		to[1] = second;
	submission.to = to;
	submission.topic_id = model->id;
	posting_store(model->fixture, &submission);
}

static enum store_outbox_takeover
model_ask(const char *owner, void *context)
{
	return TAKEOVER_CLAIM;
}

/* Claims what is due, for a minute, takes places, and dies, or leaves the messages to their end. */
static void
model_work(struct model *model, bool dies)
{
	struct service *service = model->fixture->service;
	const struct store_outbox_search search = {
	    .now = base_clock_now(), .limit = MOST, .ask = model_ask};
	g_autofree struct store_outbox_entry *entries = g_new0(struct store_outbox_entry, MOST);
	guint count;

	cr_assert(service_ensure_journal(service, NULL));
	struct store_outbox_claim claim = delivery_claim(service);
	if (dies) {
		claim.owner = "dead";
		claim.until = base_clock_now() + MINUTE;
	}
	cr_assert(store_outbox_claim(service->db, &claim, &search, entries, &count, NULL));
	if (!dies) {
		struct delivery *delivery = delivery_start(service, &claim, entries, count, NULL);
		cr_assert(delivery_wait(delivery, 0));
		delivery_free(delivery);
		return;
	}
	g_autoptr(GPtrArray) messages = g_ptr_array_new_with_free_func(delivery_message_destroy);
	delivery_message_read(service, entries, count, messages);
	delivery_message_suppress(service, messages);
	delivery_sending_hold(service, &claim, messages);
}

/* The minute that a person's clock shows, and the bit of its day, by another library's calendar. */
static void
model_clock(guint person, const char *otherwise, gint64 time, guint *minute_r, guint *day_r)
{
	g_autoptr(GTimeZone) zone =
	    g_time_zone_new_identifier(zones[person] ? zones[person] : otherwise);
	g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(time / 1000);
	g_autoptr(GDateTime) local = g_date_time_to_timezone(utc, zone);

	*minute_r = (guint)(g_date_time_get_hour(local) * 60 + g_date_time_get_minute(local));
	*day_r = (guint)g_date_time_get_day_of_week(local) - 1;
}

/* Whether the hours that hold are open. */
static bool
model_is_open(const struct model *model, guint person, gint64 time)
{
	const struct sending_hours *hours = &model->rules[1].hours;
	guint minute, day;

	if (hours->count == 0)
		hours = &model->rules[0].hours;
	if (hours->count == 0)
		return true;
	model_clock(person, hours->zone, time, &minute, &day);
	for (guint i = 0; i < hours->count; i++) {
		const struct sending_window *w = &hours->windows[i];
		bool today = w->days >> day & 1, yesterday = w->days >> ((day + 6) % 7) & 1;

		if (w->from < w->to ? today && minute >= w->from && minute < w->to
				    : (today && minute >= w->from) || (yesterday && minute < w->to))
			return true;
	}
	return false;
}

/* Whether the clock of the hours that hold has changed in the last hours. An opening that it skips
   is as much later, though the clock shows a time of the window before. */
static bool
model_skips(const struct model *model, guint person, gint64 time)
{
	for (guint w = 0; w < G_N_ELEMENTS(model->rules); w++) {
		const struct sending_hours *hours = &model->rules[w].hours;
		guint now, then, day;

		if (hours->count == 0)
			continue;
		model_clock(person, hours->zone, time, &now, &day);
		model_clock(person, hours->zone, time - 2 * HOUR, &then, &day);
		if ((now + 1440 - then) % 1440 != 120)
			return true;
	}
	return false;
}

/* The times at which a person was sent something, sorted. */
static GArray *
model_sent(const struct model *model, guint person)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(gint64));
	g_autofree char *sql = g_strdup_printf(
	    "SELECT COALESCE(GROUP_CONCAT(v.timestamp ORDER BY v.timestamp), '') FROM event v"
	    " JOIN recipient r ON r.email_id = v.email_id AND r.number = v.recipient"
	    " WHERE v.status = 1 AND r.address = 'p%u@r%u.org'",
	    person, model->round);
	g_autofree char *text = test_db_text(model->fixture->db, sql);
	g_auto(GStrv) words = g_strsplit(text, ",", -1);

	for (guint i = 0; words[i]; i++) {
		gint64 time = g_ascii_strtoll(words[i], NULL, 10);

		g_array_append_val(times, time);
	}
	return times;
}

static void
model_check(const struct model *model)
{
	for (guint person = 0; person < PEOPLE; person++) {
		g_autoptr(GArray) times = model_sent(model, person);

		for (guint i = 0; i < times->len; i++) {
			gint64 time = g_array_index(times, gint64, i);

			cr_expect(model_is_open(model, person, time),
			    "round %u: p%u got one at %" G_GINT64_FORMAT, model->round, person,
			    time);
			for (guint w = 0; w < G_N_ELEMENTS(model->rules); w++) {
				const struct sending_cap *cap = &model->rules[w].cap;
				guint in = 0;

				for (guint j = 0; cap->mailings && j <= i; j++)
					in += g_array_index(times, gint64, j) >
					      time - sending_cap_length(cap);
				cr_expect(in <= (guint)cap->mailings || !cap->mailings,
				    "round %u: p%u got %u of %d at %" G_GINT64_FORMAT, model->round,
				    person, in, (int)cap->mailings, time);
			}
		}
	}
}

/* Nothing that waits has been able to leave before: just before it is due its hours are shut, or,
   a minute before, all places are taken. What waits for a mailing that is being sent is left out:
   it looks again after a minute, and the minute of its priority. */
static void
model_check_waits(const struct model *model)
{
	for (guint person = 0; person < PEOPLE; person++) {
		g_autoptr(GArray) times = model_sent(model, person);
		g_autofree char *sql = g_strdup_printf(
		    "SELECT COALESCE(MIN(o.ready_at), 0) FROM outbox o JOIN recipient r"
		    " ON r.email_id = o.email_id AND r.address = 'p%u@r%u.org' AND "
		    "HEX(o.recipients)"
		    " = LPAD(HEX(r.number), 4, '0') WHERE o.reason IS NOT NULL AND o.owner IS NULL"
		    " AND o.ready_at > %" G_GINT64_FORMAT " + 121000",
		    person, model->round, base_clock_now());
		gint64 due = test_db_number(model->fixture->db, sql);
		gint64 before = due - 1, minute_before = due - MINUTE - 1;
		bool is_full = false;

		if (due == 0)
			continue;
		for (guint w = 0; w < G_N_ELEMENTS(model->rules); w++) {
			const struct sending_cap *cap = &model->rules[w].cap;
			guint in = 0;

			for (guint j = 0; j < times->len; j++)
				in += g_array_index(times, gint64, j) >
				      minute_before - sending_cap_length(cap);
			is_full |= cap->mailings && in >= (guint)cap->mailings;
		}
		cr_expect(is_full || !model_is_open(model, person, before) ||
			      model_skips(model, person, due),
		    "round %u: p%u waits until %" G_GINT64_FORMAT " for nothing", model->round,
		    person, due);
	}
}

/* The time of the next step: when something is due, or some hours on. */
static void
model_advance(struct model *model)
{
	gint64 due =
	    test_db_number(model->fixture->db, "SELECT COALESCE(MIN(ready_at), 0) FROM outbox");
	gint64 now = base_clock_now();

	if (due > now && g_rand_boolean(model->random))
		base_clock_set(due);
	else
		base_clock_set(now + g_rand_int_range(model->random, 1, 240) * MINUTE);
}

/* *fixture: that of the round before; NULL: there is none. */
static void
model_run(guint round, struct fixture **fixture)
{
	struct model model = {
	    .fixture = *fixture, .round = round, .random = g_rand_new_with_seed(round)};

	model_open(&model);
	*fixture = model.fixture;
	for (guint i = 0; i < STEPS; i++) {
		for (gint mails = g_rand_int_range(model.random, 0, 4); mails > 0; mails--)
			model_submit(&model);
		model_work(&model, g_rand_int_range(model.random, 0, 6) == 0);
		model_check_waits(&model);
		model_advance(&model);
	}
	/* All that was taken by the dead is free again in the end. */
	base_clock_set(base_clock_now() + 20 * DAY);
	for (guint i = 0; i < 60; i++) {
		model_work(&model, false);
		model_advance(&model);
		base_clock_set(base_clock_now() + 12 * HOUR);
	}
	cr_expect_eq(test_db_number(model.fixture->db, "SELECT COUNT(*) FROM outbox"), 0,
	    "round %u: something is left", round);
	model_check(&model);
	g_autofree char *differences = test_figures_differ(model.fixture->db);
	cr_expect_null(differences, "round %u: figures: %s", round, differences);
	g_rand_free(model.random);
}

Test(sending_model, holds, .timeout = 36000)
{
	const char *seed = g_getenv("POSTHOUSE_TEST_SEED");
	guint first = seed ? (guint)atoi(seed) : 0;
	struct fixture *fixture = NULL;

	for (guint i = 0, rounds = test_steps(3); i < rounds; i++)
		model_run(first + i, &fixture);
	if (fixture)
		fixture_close(fixture);
}
