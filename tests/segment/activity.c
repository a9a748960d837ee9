/* SPDX-License-Identifier: MIT */
/* The last deeds of mailings at an address are kept with their events. */
#include <criterion/criterion.h>

#include "db/transaction.h"
#include "service/service.h"
#include "store/email/email.h"
#include "tests/segment/crowd.h"

struct storing {
	struct store_event *events;
	guint count;
};

static bool
activity_store(struct db *db, void *context, GError **error)
{
	struct storing *storing = context;

	return store_event_insert(db, storing->events, storing->count, error);
}

/* Stores an email to two recipients. */
static struct base_id
activity_make_email(struct crowd *crowd, guint tracking)
{
	struct base_id id = base_id_new();

	MUST(db_run(crowd->db,
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created, tracking) VALUES (?, ?, ?, 1, 'a@b.org', '', '', 1, ?)",
	    DB_VALUES(db_id(&id), db_id(&crowd->house->workspace), db_id(&id), db_int(tracking)),
	    NULL, &error));
	for (guint i = 0; i < 2; i++)
		MUST(db_run(crowd->db,
		    "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
		    " VALUES (?, ?, ?, 1, ?)",
		    DB_VALUES(db_id(&id), db_int(i), db_id(&crowd->house->workspace),
			db_text(i == 0 ? "Ann@x.org" : "bob@x.org")),
		    NULL, &error));
	return id;
}

static struct store_event
activity_event_of(struct crowd *crowd, const struct base_id *email, guint recipient,
    enum store_event_status status, gint64 time)
{
	return (struct store_event){.workspace_id = crowd->house->workspace,
	    .email_id = *email,
	    .type = EMAIL_TRANSACTIONAL,
	    .recipient = recipient,
	    .status = status,
	    .timestamp = time,
	    .mailed = recipient == 0 ? "Ann@x.org" : "bob@x.org"};
}

static void
expect_activity(struct crowd *crowd, const char *want)
{
	g_autofree char *got = test_db_text(crowd->db,
	    "SELECT COALESCE(GROUP_CONCAT(CONCAT_WS(' ', address, sent, opened, clicked, bounced)"
	    " ORDER BY address SEPARATOR ', '), '') FROM person_activity");

	cr_expect_str_eq(got, want, "got %s", got);
}

Test(activity, is_the_last_of_each_kind)
{
	AUTO(crowd) crowd = crowd_open();
	struct base_id email = activity_make_email(crowd, TRACK_UNSUBSCRIBE);
	struct store_event events[] = {
	    activity_event_of(crowd, &email, 1, EVENT_SENT, 10),
	    activity_event_of(crowd, &email, 0, EVENT_SENT, 11),
	    activity_event_of(crowd, &email, 0, EVENT_DELIVERED, 12),
	    activity_event_of(crowd, &email, 0, EVENT_OPENED, 14),
	    activity_event_of(crowd, &email, 0, EVENT_OPENED, 13),
	    activity_event_of(crowd, &email, 1, EVENT_BOUNCED, 15),
	    activity_event_of(crowd, &email, 0, EVENT_CLICKED, 16),
	    activity_event_of(crowd, &email, 0, EVENT_CLICKED, 17),
	};
	struct storing storing = {events, G_N_ELEMENTS(events)};

	events[G_N_ELEMENTS(events) - 1].automated = true;
	MUST(db_transact(crowd->db, activity_store, &storing, &error));
	expect_activity(crowd, "ann@x.org 11 14 16 0, bob@x.org 10 0 0 15");
}

Test(activity, is_that_of_mailings_alone)
{
	AUTO(crowd) crowd = crowd_open();
	struct base_id plain = activity_make_email(crowd, TRACK_OPENS);
	struct base_id mailing = activity_make_email(crowd, TRACK_UNSUBSCRIBE | TRACK_OPENS);
	struct store_event events[] = {
	    activity_event_of(crowd, &plain, 0, EVENT_SENT, 10),
	    activity_event_of(crowd, &plain, 0, EVENT_OPENED, 11),
	    activity_event_of(crowd, &mailing, 0, EVENT_OPENED, 12),
	};
	struct storing storing = {events, G_N_ELEMENTS(events)};

	events[0].mailed = NULL;
	/* Recovery does not know the email. */
	events[1].type = events[2].type = 0;
	events[1].mailed = events[2].mailed = NULL;
	MUST(db_transact(crowd->db, activity_store, &storing, &error));
	expect_activity(crowd, "ann@x.org 0 12 0 0");
}
