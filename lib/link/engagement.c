/* SPDX-License-Identifier: MIT */
/* Records opens and clicks, and marks those made by programs. */
#include "link/engagement.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "config/log.h"
#include "db/transaction.h"
#include "link/robot.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/broadcast/engagement.h"
#include "store/email/event.h"

char *
link_engagement_agent(const char *user_agent)
{
	g_autofree char *text = g_utf8_make_valid(user_agent ? user_agent : "", -1);

	for (char *p = text; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	g_strstrip(text);
	return g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), LIMIT_USER_AGENT_LENGTH));
}

struct link_engagement *
link_engagement_new(const struct link_token *token, gint64 time, const char *ip,
    const char *user_agent, const char *link)
{
	struct link_engagement *engagement = g_new(struct link_engagement, 1);

	*engagement = (struct link_engagement){*token, time, g_strdup(ip),
	    link_engagement_agent(user_agent), g_strdup(link), link_robot_is_agent(user_agent)};
	return engagement;
}

void
link_engagement_free(struct link_engagement *engagement)
{
	g_free(engagement->ip);
	g_free(engagement->user_agent);
	g_free(engagement->link);
	g_free(engagement);
}

/* The events around a delivery. */
struct sweep {
	gint64 delivered; /* 0: not recorded yet */
	bool past;	  /* the delivery is too long ago for a sweep */
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
engagement_note(const struct store_event *event, void *context)
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

/* Whether the engagement is within the time of a sweep. */
static bool
is_early(const struct sweep *sweep, const struct link_engagement *engagement)
{
	return !sweep->past && (sweep->delivered == 0 ||
				   engagement->time <= sweep->delivered + ENGAGEMENT_SWEEP_MS);
}

/* Whether all links were followed in time, with this click. */
static bool
is_complete(const struct sweep *sweep, const struct link_engagement *engagement)
{
	g_autoptr(GHashTable) links = g_hash_table_new(g_str_hash, g_str_equal);

	if (!is_early(sweep, engagement))
		return false;
	if (engagement->link)
		g_hash_table_add(links, engagement->link);
	for (guint i = 0; i < sweep->clicks->len; i++) {
		const struct click *click = &g_array_index(sweep->clicks, struct click, i);

		if (click->time >= sweep->delivered)
			g_hash_table_add(links, click->link);
	}
	return g_hash_table_size(links) >= engagement->token.links;
}

/* The engagements of a reader, and the events made of those before. */
struct group {
	struct link_engagement *const *engagements; /* oldest first */
	guint count;
	struct store_engagement *reader;
	GArray *events; /* struct store_event, of all groups */
	guint begin;	/* the first one of this group */
	bool past;	/* the delivery was too long ago for a sweep, then and from then on */
};

/* Reads all events since a time, stored or about to be, and whether the delivery came before it. */
static bool
read_sweep(
    struct db *db, const struct group *group, gint64 since, struct sweep *sweep, GError **error)
{
	bool sent = false, delivered = false;

	if (!store_engagement_recent(db, group->reader, since, engagement_note, sweep, error))
		return false;
	for (guint i = group->begin; i < group->events->len; i++) {
		const struct store_event *event =
		    &g_array_index(group->events, struct store_event, i);

		if (event->timestamp >= since)
			engagement_note(event, sweep);
	}
	if (sweep->delivered == 0 && group->reader->latest != 0 &&
	    (!store_engagement_has(db, group->reader, EVENT_SENT, &sent, error) ||
		!store_engagement_has(db, group->reader, EVENT_DELIVERED, &delivered, error)))
		return false;
	sweep->past = sent || delivered;
	return true;
}

/* An engagement and its sweep. */
struct swept {
	bool is_part; /* it belongs to one, */
	gint64 since; /* which began then, epoch ms */
	bool is_open; /* later clicks may still make it a part of one */
};

/* Finds out whether the engagement belongs to a sweep. */
static bool
find_sweep(struct db *db, struct group *group, const struct link_engagement *engagement,
    struct swept *swept_r, GError **error)
{
	g_autoptr(GArray) clicks = g_array_new(FALSE, FALSE, sizeof(struct click));
	struct sweep sweep = {.clicks = clicks};
	gint64 latest = group->reader->latest;

	*swept_r = (struct swept){false};
	/* If the latest event is older than a sweep, the delivery is too. */
	if (engagement->token.links < 2 || group->past ||
	    (latest != 0 && engagement->time > latest + ENGAGEMENT_SWEEP_MS))
		return true;
	g_array_set_clear_func(clicks, clear_click);
	gint64 since = engagement->time - ENGAGEMENT_SWEEP_MS;
	if (!read_sweep(db, group, since, &sweep, error))
		return false;
	group->past = sweep.past;
	swept_r->since = MAX(since, sweep.delivered);
	swept_r->is_part = is_complete(&sweep, engagement);
	swept_r->is_open = !swept_r->is_part && is_early(&sweep, engagement);
	return true;
}

/* Workflows are notified of an engagement that may become part of a sweep when the sweep is over
   and its last click is recorded. */
#define FEEDBACK_HELD_MS (2 * ENGAGEMENT_SWEEP_MS)

static void
engagement_add_event(
    const struct group *group, const struct link_engagement *engagement, bool is_open)
{
	const struct store_event event = {
	    .workspace_id = group->reader->workspace_id,
	    .email_id = group->reader->email_id,
	    .type = group->reader->type,
	    .recipient = group->reader->number,
	    .mailed = group->reader->is_mailing ? group->reader->address : NULL,
	    .status = engagement->token.kind == TOKEN_OPEN ? EVENT_OPENED : EVENT_CLICKED,
	    .timestamp = engagement->time,
	    .ip = engagement->ip,
	    .user_agent = engagement->user_agent,
	    .link = engagement->link,
	    .automated = engagement->automated,
	    .feedback_at = is_open ? engagement->time + FEEDBACK_HELD_MS : 0,
	    .origin = &group->reader->origin,
	    .address = group->reader->address,
	};

	g_array_append_val(group->events, event);
}

/* Marks the sweep's opens and clicks: stored ones, and those about to be. */
static bool
mark_sweep(struct db *db, const struct group *group, gint64 since, GError **error)
{
	for (guint i = group->begin; i < group->events->len; i++) {
		struct store_event *event = &g_array_index(group->events, struct store_event, i);

		event->automated |= event->timestamp >= since;
	}
	return store_engagement_mark(db, group->reader, since, error);
}

static bool
engagement_add_group(struct db *db, struct group *group, GError **error)
{
	for (guint i = 0; i < group->count; i++) {
		struct swept swept;

		if (group->reader->engagements >= LIMIT_ENGAGEMENTS)
			return true;
		if (!find_sweep(db, group, group->engagements[i], &swept, error))
			return false;
		engagement_add_event(group, group->engagements[i], swept.is_open);
		group->reader->engagements++;
		if (swept.is_part && !mark_sweep(db, group, swept.since, error))
			return false;
	}
	return true;
}

/* Engagements, sorted by reader and time, and the names of their readers. */
struct batch {
	struct link_engagement *const *engagements;
	guint count;
	GArray *names;	/* struct store_engagement_name */
	GArray *events; /* struct store_event: those of the last run */
};

static struct store_engagement_name
engagement_name_of(const struct link_engagement *engagement)
{
	return (struct store_engagement_name){engagement->token.email, engagement->token.recipient};
}

/* The number of engagements from begin on that are of one reader. */
static guint
engagement_group_size(const struct batch *batch, guint begin)
{
	struct store_engagement_name first = engagement_name_of(batch->engagements[begin]);
	guint end = begin + 1;

	while (end < batch->count) {
		struct store_engagement_name next = engagement_name_of(batch->engagements[end]);

		if (store_engagement_compare(&first, &next) != 0)
			break;
		end++;
	}
	return end - begin;
}

static bool
engagement_record(struct db *db, void *context, GError **error)
{
	const struct batch *batch = context;
	GArray *events = g_array_set_size(batch->events, 0);
	g_autoptr(GPtrArray) readers = store_engagement_lock_all(db,
	    (const struct store_engagement_name *)(void *)batch->names->data, batch->names->len,
	    error);

	if (!readers)
		return false;
	for (guint i = 0, begin = 0; i < readers->len; i++) {
		struct group group = {batch->engagements + begin,
		    engagement_group_size(batch, begin), readers->pdata[i], events, events->len,
		    false};

		if (group.reader && !engagement_add_group(db, &group, error))
			return false;
		begin += group.count;
	}
	return events->len == 0 ||
	       (store_event_insert(
		    db, (struct store_event *)(void *)events->data, events->len, error) &&
		   store_engagement_count(db, readers,
		       (const struct store_event *)(void *)events->data, events->len, error));
}

static int
by_reader_and_time(const void *a, const void *b)
{
	const struct link_engagement *one = *(const struct link_engagement *const *)a,
				     *other = *(const struct link_engagement *const *)b;
	struct store_engagement_name first = engagement_name_of(one),
				     second = engagement_name_of(other);
	int order = store_engagement_compare(&first, &second);

	return order ? order : (one->time > other->time) - (one->time < other->time);
}

bool
link_engagement_record(
    struct service *service, struct link_engagement **engagements, guint count, GError **error)
{
	g_autoptr(GArray) names = g_array_new(FALSE, FALSE, sizeof(struct store_engagement_name));
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct store_event));
	struct batch batch = {engagements, count, names, events};

	base_array_sort(engagements, count, sizeof(struct link_engagement *), by_reader_and_time);
	for (guint i = 0; i < count; i += engagement_group_size(&batch, i)) {
		struct store_engagement_name name = engagement_name_of(engagements[i]);

		g_array_append_val(names, name);
	}
	if (!db_transact(service->db, engagement_record, &batch, error))
		return false;
	service_metrics_events((const struct store_event *)(void *)events->data, events->len);
	return true;
}

/* Engagements are recorded together when no other has come for QUIET_MS, the first has waited for
   AGE_MS, or there are QUEUE_MAX. */
#define QUIET_MS 20
#define AGE_MS 1000
#define QUEUE_MAX 500

void
link_engagement_add(struct service *service, struct link_engagement *engagement)
{
	struct service_engagements *engagements = &service->process->engagements;

	if (!engagements->waiting)
		engagements->waiting = g_ptr_array_new_with_free_func(link_engagement_destroy);
	engagements->latest = base_clock_boot();
	if (engagements->waiting->len == 0)
		engagements->first = engagements->latest;
	g_ptr_array_add(engagements->waiting, engagement);
}

static guint
count_waiting(const struct service *service)
{
	return service->process->engagements.waiting ? service->process->engagements.waiting->len
						     : 0;
}

gint64
link_engagement_patience(const struct service *service)
{
	const struct service_engagements *engagements = &service->process->engagements;
	gint64 due = MIN(engagements->first + AGE_MS, engagements->latest + QUIET_MS);
	guint count = count_waiting(service);

	if (count == 0)
		return -1;
	return count >= QUEUE_MAX ? 0 : MAX(due - base_clock_boot(), 0);
}

static bool
record_waiting(struct service *service, guint begin, guint count, GError **error)
{
	struct link_engagement **waiting =
	    (struct link_engagement **)service->process->engagements.waiting->pdata;

	return service_ensure(service, error) &&
	       link_engagement_record(service, waiting + begin, count, error);
}

void
link_engagement_flush(struct service *service)
{
	GPtrArray *waiting = service->process->engagements.waiting;
	g_autoptr(GError) error = NULL;

	if (count_waiting(service) == 0)
		return;
	/* An engagement that the database refuses must not take the others with it. */
	if (!record_waiting(service, 0, waiting->len, &error) &&
	    g_error_matches(error, PH_ERROR, PH_ERROR_FAILED)) {
		for (guint i = 0; i < waiting->len; i++) {
			g_clear_error(&error);
			if (!record_waiting(service, i, 1, &error))
				config_log(
				    "an open or a click was not recorded: %s", error->message);
		}
	} else if (error) {
		config_log(
		    "%u opens and clicks were not recorded: %s", waiting->len, error->message);
	}
	g_ptr_array_set_size(waiting, 0);
}
