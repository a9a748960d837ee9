/* SPDX-License-Identifier: MIT */
/* Records opens and clicks, and tells programs from readers. */
#include "core/engagement.h"

#include <string.h>

#include "base/limits.h"
#include "core/core.h"
#include "core/robot.h"
#include "db/transaction.h"
#include "store/event.h"
#include "store/reader.h"

void
core_engagement_free(struct core_engagement *visit)
{
	g_free(visit->ip);
	g_free(visit->user_agent);
	g_free(visit->link);
	g_free(visit);
}

/* As text that can be stored and shown. The caller owns it. */
static char *
clean(const char *user_agent)
{
	g_autofree char *text = g_utf8_make_valid(user_agent ? user_agent : "", -1);

	for (char *p = text; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	g_strstrip(text);
	return g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), LIMIT_USER_AGENT_LENGTH));
}

/* What has happened around a delivery. */
struct sweep {
	gint64 delivered; /* 0: not yet recorded */
	bool past;	  /* or before there could have been a sweep */
	GArray *clicks;	  /* struct click */
};

struct click {
	gint64 time;
	char *link;
};

static void
clear_click(void *click)
{
	g_free(((struct click *)click)->link);
}

static void
note(const struct store_event *event, void *context)
{
	struct sweep *sweep = context;
	struct click click = {event->timestamp, NULL};

	if (event->status == EVENT_SENT || event->status == EVENT_DELIVERED)
		sweep->delivered = MAX(sweep->delivered, event->timestamp);
	if (event->status != EVENT_CLICKED || !event->link)
		return;
	click.link = g_strdup(event->link);
	g_array_append_val(sweep->clicks, click);
}

/* Whether all links have been followed in time, this visit's included. */
static bool
is_complete(const struct sweep *sweep, const struct core_engagement *visit)
{
	g_autoptr(GHashTable) links = g_hash_table_new(g_str_hash, g_str_equal);

	if (sweep->past ||
	    (sweep->delivered != 0 && visit->time > sweep->delivered + VISIT_SWEEP_MS))
		return false;
	if (visit->link)
		g_hash_table_add(links, visit->link);
	for (guint i = 0; i < sweep->clicks->len; i++) {
		const struct click *click = &g_array_index(sweep->clicks, struct click, i);

		if (click->time >= sweep->delivered)
			g_hash_table_add(links, click->link);
	}
	return g_hash_table_size(links) >= visit->token.links;
}

/* All events since some time, and whether the delivery came before that. */
static bool
read_sweep(struct db *db, const struct store_reader *reader, gint64 since, struct sweep *sweep,
    GError **error)
{
	bool sent = false, delivered = false;

	if (!store_reader_recent(db, reader, since, note, sweep, error))
		return false;
	if (sweep->delivered == 0 && reader->latest != 0 &&
	    (!store_reader_has(db, reader, EVENT_SENT, &sent, error) ||
		!store_reader_has(db, reader, EVENT_DELIVERED, &delivered, error)))
		return false;
	sweep->past = sent || delivered;
	return true;
}

/* Looks for a sweep; *since_r: when it began, if *swept_r. */
static bool
look(struct db *db, const struct store_reader *reader, const struct core_engagement *visit,
    bool *swept_r, gint64 *since_r, GError **error)
{
	g_autoptr(GArray) clicks = g_array_new(FALSE, FALSE, sizeof(struct click));
	struct sweep sweep = {.clicks = clicks};

	*swept_r = false;
	/* Whose latest event is older than that was delivered before. */
	if (visit->token.links < 2 ||
	    (reader->latest != 0 && visit->time > reader->latest + VISIT_SWEEP_MS))
		return true;
	g_array_set_clear_func(clicks, clear_click);
	*since_r = visit->time - VISIT_SWEEP_MS;
	if (!read_sweep(db, reader, *since_r, &sweep, error))
		return false;
	*since_r = MAX(*since_r, sweep.delivered);
	*swept_r = is_complete(&sweep, visit);
	return true;
}

static bool
record(struct db *db, void *context, GError **error)
{
	const struct core_engagement *visit = context;
	AUTO(store_reader)
	reader = store_reader_lock(db, &visit->token.email, visit->token.recipient, error);
	bool swept;
	gint64 since;

	if (!reader)
		return false;
	if (reader->visits >= LIMIT_VISITS)
		return true;
	if (!look(db, reader, visit, &swept, &since, error))
		return false;
	g_autofree char *user_agent = clean(visit->user_agent);
	struct store_event event = {
	    .workspace_id = reader->workspace_id,
	    .email_id = reader->email_id,
	    .type = reader->type,
	    .recipient = reader->number,
	    .status = visit->token.kind == TOKEN_OPEN ? EVENT_OPENED : EVENT_CLICKED,
	    .timestamp = visit->time,
	    .ip = visit->ip,
	    .user_agent = user_agent,
	    .link = visit->link,
	    .automated = swept || core_robot_is(user_agent),
	};
	return store_event_insert(db, &event, 1, error) && store_reader_visit(db, reader, error) &&
	       (!swept || store_reader_mark(db, reader, since, error));
}

bool
core_engagement_record(struct core *core, const struct core_engagement *visit, GError **error)
{
	return db_transact(core->db, record, (void *)visit, error);
}
