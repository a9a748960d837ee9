/* SPDX-License-Identifier: MIT */
/* Goes through the people of a workspace in parts, and finds who has entered or left segments, and
   whose dates have come.

   1. look_begin locks the row of the workspace's look and takes it for a while. A look that another
      process left unfinished goes on at its place; else a new one begins, if it is due, with the
      segments that are heard now.
   2. segment_pass_next reads the next people behind the place once, and who of them is in each
      segment, outside of any transaction, since rules may need many reads.
   3. look_store locks the row again. If the place is no longer the one that was read, another
      process has looked at these people, and this one ends. Else it stores who is in, the events of
      those who turned, and the new place, in one transaction: each change is told once. While it
      goes on with the next part, it keeps the look.
   A process that dies leaves the place in front of its people, and its hold ends after a while.

   A segment's first look, and the first after its rules have changed, only stores who is in. It is
   settled when such a look has ended. */
#include "start/look.h"

#include <string.h>

#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/moment.h"
#include "automation/node.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "config/settings.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/writer.h"
#include "rule/event_name.h"
#include "rule/properties.h"
#include "segment/pass.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/look.h"
#include "store/broadcast/segment.h"
#include "store/person/people_scan.h"

#define TOGETHER 5000	/* people in a part */
#define ASKED_ALONE 500 /* people who are asked for; of more, the whole part is read once */
#define TURN_MS 200	/* parts are looked at for so long before other work is done */
#define HOLD_MS 120000	/* a process that is silent for so long has died */
#define DATES_KEPT_MS ((gint64)2 * 24 * 60 * 60 * 1000)

static const struct base_id none = {{0}};

/* A segment in a part. */
struct look_segment {
	struct store_look_segment heard;
	struct store_segment *segment;
	GArray *in; /* ids of those of the part who are in it */
};

/* A turn: a look, as far as this process takes it now, and its part under way. */
struct turn {
	struct service *service;
	gint64 began;		/* by base_clock_boot */
	struct store_look look; /* as it was taken, or last stored */
	bool is_taken;
	GArray *segments;    /* of struct look_segment */
	GArray *dates;	     /* of struct store_look_date: looked for in people */
	GArray *reached;     /* of struct store_look_reached: found in the part */
	struct base_id last; /* of the people of the part */
	bool more;	     /* there may be people behind them */
	bool goes_on;	     /* with the next part */
	GArray *unconfirmed; /* ids of people of the part; NULL: not read yet */
};

static void
look_clear_segment(void *data)
{
	struct look_segment *segment = data;

	g_clear_pointer(&segment->segment, store_segment_free);
	g_clear_pointer(&segment->in, g_array_unref);
}

static void
look_clear_date(void *data)
{
	g_free(((struct store_look_reached *)data)->properties);
}

/* A hash of the rules of a segment. */
static struct base_id
look_hash(const struct store_segment *segment)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 bytes[32];
	gsize size = sizeof(bytes);
	struct base_id hash;

	g_checksum_update(sum, (const guint8 *)segment->rules, -1);
	g_checksum_get_digest(sum, bytes, &size);
	memcpy(&hash, bytes, sizeof(hash));
	return hash;
}

/* Reads a segment; NULL without an error: it is gone, or frozen. */
static struct store_segment *
look_read_segment(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct store_segment *segment = store_segment_get(service->db, workspace, id, &failure);

	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&failure));
	if (segment && segment->frozen_at)
		g_clear_pointer(&segment, store_segment_free);
	return segment;
}

/* Lets a segment take part in a look that begins. */
static bool
look_enlist(struct turn *turn, struct store_look_segment *heard, GError **error)
{
	const struct base_id *workspace = &turn->look.workspace_id;
	GError *failure = NULL;
	AUTO(store_segment)
	segment = look_read_segment(turn->service, workspace, &heard->segment_id, &failure);

	if (!segment) {
		if (failure)
			g_propagate_error(error, failure);
		return !failure;
	}
	struct base_id rules = look_hash(segment);
	heard->is_settled = heard->is_settled && heard->since <= heard->look &&
			    base_id_equal(&rules, &heard->rules);
	heard->rules = rules;
	heard->look = turn->look.began;
	return store_look_segment_put(turn->service->db, workspace, heard, error);
}

static bool
look_begin_new(struct db *db, struct turn *turn, gint64 now, GError **error)
{
	struct store_look *look = &turn->look;
	g_autoptr(GArray) heard = store_look_segments(db, &look->workspace_id, error);

	if (!heard)
		return false;
	look->before_began = look->began;
	look->began = now;
	look->ended = 0;
	look->place = none;
	for (guint i = 0; i < heard->len; i++)
		if (!look_enlist(turn, &g_array_index(heard, struct store_look_segment, i), error))
			return false;
	return store_look_forget(db, &look->workspace_id, look->began, error);
}

static bool
look_begin(struct db *db, void *context, GError **error)
{
	struct turn *turn = context;
	struct store_look *look = &turn->look;
	gint64 now = base_clock_now();

	turn->is_taken = false;
	if (!store_look_lock(db, &look->workspace_id, look, error))
		return false;
	if (look->ended == 0 ? look->taken > now : look->next_at > now)
		return true;
	if (look->ended != 0 && !look_begin_new(db, turn, now, error))
		return false;
	look->taken = now + HOLD_MS;
	turn->is_taken = true;
	return store_look_put(db, look, error);
}

static char *
look_print_date(const struct automation_node_date *date, const char *value, gint32 day)
{
	AUTO(json_writer) writer = json_writer_new();
	GDate gdate;
	char text[32];

	g_date_clear(&gdate, 1);
	g_date_set_julian(&gdate, (guint32)day);
	g_date_strftime(text, sizeof(text), "%Y-%m-%d", &gdate);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "property", date->property);
	json_writer_string(writer, "value", value);
	json_writer_string(writer, "date", text);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Notes the moments of a person's date since the last look. */
static void
look_note_dates(struct turn *turn, const struct store_look_date *of,
    const struct automation_node_date *date, const struct store_people_scan_person *person,
    const struct json *properties)
{
	const char *value = json_string(rule_properties_get(properties, date->property), NULL);
	gint64 from = MAX(turn->look.before_began, of->since);

	if (!value)
		return;
	g_autoptr(GArray) moments =
	    automation_moments(date, value, person->time_zone, from, turn->look.began);
	for (guint i = 0; i < moments->len; i++) {
		const struct automation_moment *moment =
		    &g_array_index(moments, struct automation_moment, i);
		const struct store_look_reached reached = {of->workflow_id, person->id, of->number,
		    moment->day, moment->time, look_print_date(date, value, moment->day)};

		g_array_append_val(turn->reached, reached);
	}
}

/* Looks for the dates of one workflow in the people of a part. */
static bool
look_find_date(struct turn *turn, const struct store_look_date *of,
    const struct store_people_scan_person *person, const struct json *properties, GError **error)
{
	const struct automation_cached_design *cached =
	    automation_design_cache_get(turn->service, &of->workflow_id, of->version, error);

	if (!cached)
		return false;
	const struct automation_node_trigger *trigger =
	    cached->design ? automation_design_trigger(cached->design) : NULL;
	if (trigger && strcmp(trigger->event_name, EVENT_NAME_DATE) == 0)
		look_note_dates(turn, of, &trigger->date, person, properties);
	return true;
}

/* Reads the segments of the look. */
static bool
look_read_segments(struct turn *turn, GError **error)
{
	struct service *service = turn->service;
	const struct store_look *look = &turn->look;
	g_autoptr(GArray) heard = store_look_segments(service->db, &look->workspace_id, error);

	for (guint i = 0; heard && i < heard->len; i++) {
		struct look_segment found = {
		    .heard = g_array_index(heard, struct store_look_segment, i)};
		GError *failure = NULL;

		if (found.heard.look != look->began)
			continue;
		found.segment = look_read_segment(
		    service, &look->workspace_id, &found.heard.segment_id, &failure);
		if (failure) {
			g_propagate_error(error, failure);
			return false;
		}
		if (!found.segment)
			continue;
		found.in = g_array_new(FALSE, FALSE, sizeof(struct base_id));
		g_array_append_val(turn->segments, found);
	}
	return heard != NULL;
}

/* Looks for dates in a person. */
static bool
look_take(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct turn *turn = context;
	AUTO(json) properties = json_parse(person->properties, strlen(person->properties), NULL);

	for (guint i = 0; i < turn->dates->len; i++)
		if (!look_find_date(turn, &g_array_index(turn->dates, struct store_look_date, i),
			person, properties, error))
			return false;
	return true;
}

/* The people behind the place, read once for all segments and dates. */
static struct segment_pass *
look_pass(struct turn *turn, struct segment_passed *segments, GError **error)
{
	bool has_dates = turn->dates->len > 0;
	const struct segment_pass_plan plan = {.workspace = turn->look.workspace_id,
	    .segments = segments,
	    .count = turn->segments->len,
	    .after = turn->look.place,
	    .together = TOGETHER,
	    .ahead_until = turn->began + TURN_MS,
	    .detail = has_dates ? COHORT_FIELDS : COHORT_KEY,
	    .take = has_dates ? look_take : NULL,
	    .context = turn};

	for (guint i = 0; i < plan.count; i++) {
		const struct look_segment *segment =
		    &g_array_index(turn->segments, struct look_segment, i);

		segments[i] = (struct segment_passed){segment->segment, segment->in};
	}
	return segment_pass_new(&plan, turn->service, error);
}

/* Reads the people of the next part. */
static bool
look_find(struct turn *turn, struct segment_pass *pass, GError **error)
{
	for (guint i = 0; i < turn->segments->len; i++)
		g_array_set_size(g_array_index(turn->segments, struct look_segment, i).in, 0);
	g_array_set_size(turn->reached, 0);
	if (!segment_pass_next(pass, &turn->last, &turn->more, error))
		return false;
	/* Behind the last person, rows of people who are gone are left. */
	if (!turn->more)
		memset(&turn->last, 0xff, sizeof(turn->last));
	return true;
}

static int
look_compare(const struct base_id *a, const struct base_id *b)
{
	return memcmp(a, b, sizeof(*a));
}

static bool
look_has(const GArray *ids, const struct base_id *id)
{
	guint low = 0, high = ids->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		int order = look_compare(&g_array_index(ids, struct base_id, middle), id);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Those of some who are not among others. Both are in order. */
static GArray *
look_minus(const GArray *some, const GArray *others)
{
	GArray *left = g_array_new(FALSE, FALSE, sizeof(struct base_id));

	for (guint i = 0; i < some->len; i++) {
		const struct base_id *id = &g_array_index(some, struct base_id, i);

		if (!look_has(others, id))
			g_array_append_val(left, *id);
	}
	return left;
}

/* Those of some people of the part, and perhaps others, whom an unconfirmed membership has made.
   The transaction is short, also where all people of the part enter many segments. The caller owns
   it. */
static GArray *
look_unconfirmed(struct db *db, struct turn *turn, const GArray *people, GError **error)
{
	const struct base_id *workspace = &turn->look.workspace_id;

	if (people->len <= ASKED_ALONE)
		return store_look_unconfirmed(db, workspace, people, error);
	if (!turn->unconfirmed)
		turn->unconfirmed = store_look_unconfirmed_between(
		    db, workspace, &turn->look.place, &turn->last, error);
	return turn->unconfirmed ? g_array_ref(turn->unconfirmed) : NULL;
}

/* Those who enter: they are in it, were not in it, and are somebody. */
static GArray *
look_entering(
    struct db *db, struct turn *turn, const GArray *in, const GArray *stored, GError **error)
{
	g_autoptr(GArray) new = look_minus(in, stored);
	g_autoptr(GArray) unconfirmed = look_unconfirmed(db, turn, new, error);

	return unconfirmed ? look_minus(new, unconfirmed) : NULL;
}

/* Stores who has entered and left a segment. */
static bool
look_store_segment(struct db *db, struct turn *turn, guint number, GError **error)
{
	const struct look_segment *of = &g_array_index(turn->segments, struct look_segment, number);
	const struct store_look *look = &turn->look;
	const struct base_id *id = &of->heard.segment_id;
	struct base_id rules = look_hash(of->segment);
	bool is_same = base_id_equal(&rules, &of->heard.rules);
	bool is_told = is_same && of->heard.is_settled;
	g_autoptr(GArray) stored = store_look_in(db, id, &look->place, &turn->last, error);

	g_autoptr(GArray) enters = stored ? look_entering(db, turn, of->in, stored, error) : NULL;

	if (!enters)
		return false;
	g_autoptr(GArray) leaves = look_minus(stored, of->in);
	/* Rules that changed during the look: this one and the next only store. */
	struct store_look_segment changed = of->heard;
	changed.rules = none;
	changed.is_settled = false;
	return (is_same || store_look_segment_put(db, &look->workspace_id, &changed, error)) &&
	       store_look_turn(db, look,
		   &(struct store_look_turn){id, enters, true, number,
		       is_told && of->heard.enters ? EVENT_NAME_ENTERED : NULL},
		   error) &&
	       store_look_turn(db, look,
		   &(struct store_look_turn){id, leaves, false, number,
		       is_told && of->heard.leaves ? EVENT_NAME_LEFT : NULL},
		   error);
}

static bool
look_store_dates(struct db *db, struct turn *turn, GError **error)
{
	g_autoptr(GArray) people = g_array_new(FALSE, FALSE, sizeof(struct base_id));

	for (guint i = 0; i < turn->reached->len; i++)
		g_array_append_val(
		    people, g_array_index(turn->reached, struct store_look_reached, i).person);
	g_autoptr(GArray) unconfirmed = look_unconfirmed(db, turn, people, error);
	for (guint i = 0; unconfirmed && i < turn->reached->len; i++) {
		const struct store_look_reached *date =
		    &g_array_index(turn->reached, struct store_look_reached, i);

		if (!look_has(unconfirmed, &date->person) &&
		    !store_look_date_tell(db, &turn->look.workspace_id, date, error))
			return false;
	}
	return unconfirmed != NULL;
}

/* Ends the look. The next one begins [automation] look_every after this one began, and not before
   as long again has passed as this one took. */
static bool
look_end(struct db *db, const struct turn *turn, struct store_look *look, GError **error)
{
	gint64 every =
	    config_settings_number(turn->service->settings, SETTING_AUTOMATION_LOOK_EVERY) * 1000;
	gint64 now = MAX(base_clock_now(), look->began);
	bool more;

	if (!store_look_settle(db, &look->workspace_id, look->began, &more, error) ||
	    !store_look_date_forget(
		db, &look->workspace_id, look->before_began - DATES_KEPT_MS, error))
		return false;
	look->ended = now;
	look->next_at = more ? now : MAX(look->began + every, now + (now - look->began));
	look->taken = 0;
	return true;
}

static bool
look_store(struct db *db, void *context, GError **error)
{
	struct turn *turn = context;
	struct store_look now;

	turn->goes_on = false;
	g_clear_pointer(&turn->unconfirmed, g_array_unref);
	if (!store_look_lock(db, &turn->look.workspace_id, &now, error))
		return false;
	if (now.ended != 0 || now.began != turn->look.began ||
	    !base_id_equal(&now.place, &turn->look.place))
		return true;
	for (guint i = 0; i < turn->segments->len; i++)
		if (!look_store_segment(db, turn, i, error))
			return false;
	if (!look_store_dates(db, turn, error))
		return false;
	turn->goes_on = turn->more && base_clock_boot() - turn->began < TURN_MS;
	now.place = turn->last;
	now.taken = turn->goes_on ? base_clock_now() + HOLD_MS : 0; /* 0: any process may go on */
	FAULT("look");
	return (turn->more || look_end(db, turn, &now, error)) && store_look_put(db, &now, error);
}

/* Looks at the next parts of the look that was taken. */
static bool
look_run_parts(struct turn *turn, GError **error)
{
	struct service *service = turn->service;

	turn->dates = store_look_dates(service->db, &turn->look.workspace_id, error);
	if (!turn->dates || !look_read_segments(turn, error))
		return false;
	g_autofree struct segment_passed *segments =
	    g_new(struct segment_passed, turn->segments->len + 1);
	AUTO(segment_pass) pass = look_pass(turn, segments, error);
	if (!pass)
		return false;
	do {
		if (!look_find(turn, pass, error) ||
		    !db_transact(service->db, look_store, turn, error))
			return false;
		turn->look.place = turn->last;
	} while (turn->goes_on);
	if (!turn->more)
		service_metrics_add(METRIC_LOOK_SECONDS, base_clock_now() - turn->look.began, NULL);
	return true;
}

bool
start_look_run(struct service *service, bool *worked_r, GError **error)
{
	g_autoptr(GArray) segments = g_array_new(FALSE, FALSE, sizeof(struct look_segment));
	g_autoptr(GArray) reached = g_array_new(FALSE, FALSE, sizeof(struct store_look_reached));
	struct turn turn = {.service = service,
	    .began = base_clock_boot(),
	    .segments = segments,
	    .reached = reached};
	bool found;

	*worked_r = false;
	g_array_set_clear_func(segments, look_clear_segment);
	g_array_set_clear_func(reached, look_clear_date);
	if (!store_look_due(service->db, base_clock_now(), &turn.look.workspace_id, &found, error))
		return false;
	if (!found)
		return true;
	automation_design_cache_trim(service);
	if (!db_transact(service->db, look_begin, &turn, error))
		return false;
	*worked_r = turn.is_taken;
	bool done = !turn.is_taken || look_run_parts(&turn, error);
	g_clear_pointer(&turn.dates, g_array_unref);
	g_clear_pointer(&turn.unconfirmed, g_array_unref);
	return done;
}
