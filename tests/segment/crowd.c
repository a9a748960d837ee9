/* SPDX-License-Identifier: MIT */
/* Writes people, memberships, choices and deeds into a database of its own. */
#include "tests/segment/crowd.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "service/service.h"

#define FILLED 5000 /* people by one statement */

static void
crowd_run(struct crowd *crowd, const char *sql, const struct db_value *values, gsize count)
{
	MUST(db_run(crowd->db, sql, values, count, NULL, &error));
}

static struct base_id
crowd_make_audience(struct crowd *crowd, const char *name)
{
	struct base_id id = base_id_new();

	crowd_run(crowd,
	    "INSERT INTO audience (id, workspace_id, name, created, updated)"
	    " VALUES (?, ?, ?, 1, 1)",
	    DB_VALUES(db_id(&id), db_id(&crowd->house->workspace), db_text(name)));
	return id;
}

static struct base_id
crowd_make_topic(struct crowd *crowd, const char *name, bool is_opt_in)
{
	struct base_id id = base_id_new();

	crowd_run(crowd,
	    "INSERT INTO topic (id, workspace_id, name, description, is_public, is_opt_in, created,"
	    " updated) VALUES (?, ?, ?, '', 1, ?, 1, 1)",
	    DB_VALUES(
		db_id(&id), db_id(&crowd->house->workspace), db_text(name), db_int(is_opt_in)));
	return id;
}

const guint crowd_started[2] = {5, 15};

static struct base_id
crowd_make_broadcast(struct crowd *crowd, guint started)
{
	struct base_id id = base_id_new();

	crowd_run(crowd,
	    "INSERT INTO broadcast (id, workspace_id, content, brief, status, started_at, created,"
	    " updated) VALUES (?, ?, '{}', '{}', 5, ?, 1, 1)",
	    DB_VALUES(db_id(&id), db_id(&crowd->house->workspace),
		db_int(CROWD_NOW - started * CROWD_DAY)));
	return id;
}

struct crowd *
crowd_open(void)
{
	static const char *const names[] = {"a", "b", "c"};
	struct crowd *crowd = g_new0(struct crowd, 1);

	base_clock_set(CROWD_NOW);
	crowd->house = test_house_open(NULL, "[service]\nurl = http://127.0.0.1\n");
	crowd->service = crowd->house->service;
	crowd->db = crowd->service->db;
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		crowd->audiences[i] = crowd_make_audience(crowd, names[i]);
	for (guint i = 0; i < G_N_ELEMENTS(crowd_started); i++)
		crowd->broadcasts[i] = crowd_make_broadcast(crowd, crowd_started[i]);
	crowd->opt_in = crowd_make_topic(crowd, "in", true);
	crowd->opt_out = crowd_make_topic(crowd, "out", false);
	return crowd;
}

void
crowd_close(struct crowd *crowd)
{
	test_house_close(crowd->house);
	g_free(crowd);
}

char *
crowd_json(const char *text)
{
	return g_strdelimit(g_strdup(text), "'", '"');
}

static char *
crowd_address_of(const char *name)
{
	return g_strdup_printf("%s@example.org", name);
}

struct base_id
crowd_person(struct crowd *crowd, const char *name, const char *properties)
{
	struct base_id id = base_id_new();
	g_autofree char *json = crowd_json(properties), *address = crowd_address_of(name);

	crowd_run(crowd,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated, agreed)"
	    " VALUES (?, ?, ?, ?, ?, 0, 0, '', 0, 0, 0, ?, 1, 1)",
	    DB_VALUES(db_id(&id), db_id(&crowd->house->workspace), db_text(address),
		db_text(address), db_text(json), db_int(CROWD_NOW)));
	return id;
}

void
crowd_fill(struct crowd *crowd, guint count)
{
	static const char sql[] =
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated, agreed) SELECT"
	    " UNHEX(LPAD(HEX(seq), 32, '0')), ?, CONCAT(seq, '@x.org'), CONCAT(seq, '@x.org'),"
	    " IF(seq % 1000 = 0, '{\"rare\":true}', '{}'), 0, 0, '', 0, 0, 0, 1, 1, 1"
	    " FROM seq_1_to_100000 WHERE seq BETWEEN ? AND ?";

	/* A busy machine would not answer a statement of them all in time. */
	for (guint first = 1; first <= count; first += FILLED)
		crowd_run(crowd, sql,
		    DB_VALUES(db_id(&crowd->house->workspace), db_int(first),
			db_int(MIN(first + FILLED - 1, count))));
}

void
crowd_join(
    struct crowd *crowd, const char *name, const struct base_id *audience, enum crowd_state state)
{
	struct base_id id = base_id_new();
	g_autofree char *address = crowd_address_of(name);

	crowd_run(crowd,
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated, pending) VALUES (?, ?, ?, ?, '', ?, 1, 1, ?)",
	    DB_VALUES(db_id(audience), db_text(address), db_id(&id),
		db_id(&crowd->house->workspace), db_int(state == CROWD_SUBSCRIBED),
		db_int_or_null(state == CROWD_PENDING)));
	if (state == CROWD_SUBSCRIBED)
		crowd_run(crowd, "UPDATE person SET agreed = 1 WHERE address = ?",
		    DB_VALUES(db_text(address)));
}

void
crowd_choose(struct crowd *crowd, const char *name, const struct base_id *topic, bool is_chosen)
{
	g_autofree char *address = crowd_address_of(name);

	crowd_run(crowd,
	    "INSERT INTO choice_part (workspace_id, person, target_id, is_topic, is_chosen, author,"
	    " created) VALUES (?, ?, ?, 1, ?, 1, 1)",
	    DB_VALUES(db_id(&crowd->house->workspace), db_text(address), db_id(topic),
		db_int(is_chosen)));
}

void
crowd_event(struct crowd *crowd, const struct base_id *person, const char *name, guint days_ago)
{
	struct base_id id = base_id_new();

	crowd_run(crowd,
	    "INSERT INTO automation_event (id, workspace_id, contact_id, name, timestamp,"
	    " properties, created) VALUES (?, ?, ?, ?, ?, '{}', 1)",
	    DB_VALUES(db_id(&id), db_id(&crowd->house->workspace), db_id(person), db_text(name),
		db_int(CROWD_NOW - days_ago * CROWD_DAY + CROWD_DAY / 24)));
}

static struct db_value
crowd_time_of(guint days_ago)
{
	return db_int(days_ago == 0 ? 0 : CROWD_NOW - days_ago * CROWD_DAY + CROWD_DAY / 24);
}

void
crowd_activity(struct crowd *crowd, const char *name, const guint days_ago[4])
{
	g_autofree char *address = crowd_address_of(name);

	crowd_run(crowd,
	    "INSERT INTO person_activity (workspace_id, address, sent, opened, clicked, bounced)"
	    " VALUES (?, ?, ?, ?, ?, ?)",
	    DB_VALUES(db_id(&crowd->house->workspace), db_text(address), crowd_time_of(days_ago[0]),
		crowd_time_of(days_ago[1]), crowd_time_of(days_ago[2]),
		crowd_time_of(days_ago[3])));
}

/* Stores an event of the email, and the same by a program an hour before CROWD_NOW. */
static void
crowd_add_event(struct crowd *crowd, const struct base_id *email, int status, guint days_ago)
{
	for (int automated = 0; automated < 2; automated++) {
		struct base_id id = base_id_new();

		crowd_run(crowd,
		    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp,"
		    " automated) VALUES (?, ?, ?, 3, ?, ?, ?)",
		    DB_VALUES(db_id(email), db_id(&id), db_id(&crowd->house->workspace),
			db_int(status), crowd_time_of(automated ? 1 : days_ago),
			db_int(automated)));
	}
}

void
crowd_receive(
    struct crowd *crowd, const struct base_id *person, guint broadcast, const guint days_ago[4])
{
	static const int statuses[] = {1, 5, 6, 9}, marks[] = {0, 1, 2, 4};
	struct base_id email = base_id_new();
	int all = 0, fate = 1;

	for (guint i = 0; i < G_N_ELEMENTS(statuses); i++) {
		if (days_ago[i] == 0 || days_ago[i] > crowd_started[broadcast])
			continue;
		all |= marks[i];
		fate = i == 0 ? 2 : fate;
		crowd_add_event(crowd, &email, statuses[i], days_ago[i]);
	}
	crowd_run(crowd,
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " status, marks, due, email_id, number) VALUES (?, ?, ?, 0, ?, ?, 1, ?, 3)",
	    DB_VALUES(db_id(&crowd->broadcasts[broadcast]), db_id(person),
		db_id(&crowd->house->workspace), db_int(fate), db_int(all), db_id(&email)));
}

void
crowd_suppress(struct crowd *crowd, const char *name, int scope)
{
	struct base_id id = base_id_new();
	g_autofree char *address = crowd_address_of(name);

	crowd_run(crowd,
	    "INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)"
	    " VALUES (?, ?, ?, ?, 3, ?, 1)",
	    DB_VALUES(db_id(&id), db_id(&crowd->house->workspace), db_text(address),
		db_text(address), db_int(scope)));
}
