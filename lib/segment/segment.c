/* SPDX-License-Identifier: MIT */
/* Stores, counts, previews and freezes segments, and finds their people. */
#include "segment/segment.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "base/limits/person.h"
#include "base/limits/segment.h"
#include "db/transaction.h"
#include "person/suppressed.h"
#include "segment/rules.h"
#include "segment/scan.h"
#include "segment/turn.h"
#include "service/service.h"
#include "store/common/edit.h"
#include "store/common/listing.h"
#include "store/person/people_scan.h"

static struct json_view_value
segment_read_count(const void *row)
{
	const struct store_segment *segment = row;

	return (struct json_view_value){
	    .type = segment->frozen_at ? VIEW_INTEGER : VIEW_NULL, .number = segment->people};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_segment, id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_segment, name),
    JSON_VIEW_MEMBER("rules", VIEW_JSON, struct store_segment, rules),
    JSON_VIEW_MEMBER("frozen_at", VIEW_TIME, struct store_segment, frozen_at),
    {"count", VIEW_MADE, .read = segment_read_count},
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_segment, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_segment, updated),
};
const struct json_view segment_view = JSON_VIEW(members);

static bool
segment_check_name(const char *name, GError **error)
{
	glong length = g_utf8_strlen(name, -1);

	return (length >= 1 && length <= LIMIT_NAME_LENGTH) ||
	       base_invalid(error, "name must be 1 to %d characters", LIMIT_NAME_LENGTH);
}

/* Reads rules whose audiences and topics are there. */
static struct segment_rules *
read_new(struct service *service, const struct base_id *workspace, const char *text, GError **error)
{
	AUTO(segment_rules) rules = segment_rules_read(text, error);

	if (!rules || !segment_rules_resolve(rules, service->db, workspace, true, error))
		return NULL;
	return g_steal_pointer(&rules);
}

static bool
check_rules(
    struct service *service, const struct base_id *workspace, const char *text, GError **error)
{
	AUTO(segment_rules) rules = read_new(service, workspace, text, error);

	return rules != NULL;
}

struct store_segment *
segment_create(struct service *service, const struct base_id *workspace, const char *name,
    const char *rules, GError **error)
{
	if (!segment_check_name(name, error) || !check_rules(service, workspace, rules, error))
		return NULL;
	AUTO(store_segment) segment = g_new0(struct store_segment, 1);
	segment->workspace_id = *workspace;
	segment->name = g_strdup(name);
	segment->rules = g_strdup(rules);
	if (!store_segment_create(service->db, segment, SEGMENT_STANDS, error))
		return NULL;
	return g_steal_pointer(&segment);
}

struct edit {
	const struct base_id *workspace, *id;
	const struct segment_edit *given;
	struct store_segment *segment; /* as it is after the change */
};

static void
segment_apply(const struct segment_edit *given, struct store_segment *segment)
{
	if (given->name) {
		g_free(segment->name);
		segment->name = g_strdup(given->name);
	}
	if (given->rules) {
		g_free(segment->rules);
		segment->rules = g_strdup(given->rules);
	}
}

static bool
segment_change_one(struct db *db, void *context, GError **error)
{
	struct edit *edit = context;
	const struct segment_edit *given = edit->given;

	g_clear_pointer(&edit->segment, store_segment_free);
	edit->segment = store_segment_lock(db, edit->workspace, edit->id, error);
	if (!edit->segment || !store_edit_check_time(given->edit, edit->segment->updated, error))
		return false;
	if (given->rules && edit->segment->frozen_at)
		return base_invalid(error, "rules cannot be changed");
	segment_apply(given, edit->segment);
	return store_segment_change(db, edit->segment, error);
}

struct store_segment *
segment_change(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct segment_edit *given, GError **error)
{
	struct edit edit = {workspace, id, given, NULL};

	if ((given->name && !segment_check_name(given->name, error)) ||
	    (given->rules && !check_rules(service, workspace, given->rules, error)))
		return NULL;
	if (db_transact(service->db, segment_change_one, &edit, error))
		return edit.segment;
	g_clear_pointer(&edit.segment, store_segment_free);
	return NULL;
}

/* A scan of the people of a segment, and the rules that it borrows. */
struct search {
	struct segment_scan scan;
	struct segment_rules *rules; /* NULL: the segment is frozen */
};

static bool
segment_begin(struct search *search, struct service *service, const struct store_segment *segment,
    GError **error)
{
	*search = (struct search){.scan = {.workspace = segment->workspace_id}};
	if (segment->frozen_at) {
		search->scan.members = &segment->id;
		return true;
	}
	search->rules = segment_rules_read(segment->rules, error);
	search->scan.rules = search->rules;
	return search->rules && segment_rules_resolve(search->rules, service->db,
				    &segment->workspace_id, false, error);
}

static void
segment_end(struct search *search)
{
	g_clear_pointer(&search->rules, segment_rules_free);
}

/* The people of a segment, counted one by one. */
struct tally {
	struct service *service;
	const struct base_id *workspace;
	struct store_people_scan_barred *barred; /* read at the first who may be reachable, while
					       the scan reads ahead; NULL: not yet */
	struct segment_count *count;
	GArray *first; /* the first LIMIT_SEGMENT_PREVIEW ids; NULL: nobody wants them */
};

static bool
count_person(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct tally *tally = context;

	tally->count->people++;
	if (tally->first && tally->first->len < LIMIT_SEGMENT_PREVIEW)
		g_array_append_val(tally->first, person->id);
	if (!person->is_subscribed || !person->has_agreed)
		return true;
	if (!tally->barred)
		tally->barred =
		    store_people_scan_barred_read(tally->service->db, tally->workspace, error);
	if (!tally->barred)
		return false;
	tally->count->reachable +=
	    !g_hash_table_contains(tally->barred->addresses, person->address) &&
	    !person_suppressed_was_erased(
		tally->service, tally->barred, &person->id, person->address);
	return true;
}

static bool
segment_count_all(struct service *service, const struct segment_scan *scan,
    struct segment_count *count_r, GArray *first, GError **error)
{
	struct tally tally = {service, &scan->workspace, NULL, count_r, first};
	struct segment_scan all = *scan;

	*count_r = (struct segment_count){0, 0, false};
	all.take = count_person;
	all.context = &tally;
	bool done = segment_scan_run(&all, service->db, NULL, &count_r->is_cut_off, error);
	g_clear_pointer(&tally.barred, store_people_scan_barred_free);
	return done;
}

static bool
fail_late(GError **error)
{
	return base_fail(error, PH_ERROR_TEMPORARY,
	    "a search for people of a segment took too long ([limits] count_ms)");
}

bool
segment_count(struct service *service, const struct store_segment *segment,
    const struct segment_turn *turn, struct segment_count *count_r, GError **error)
{
	struct search search;
	bool done = segment_begin(&search, service, segment, error);

	search.scan.deadline = turn ? segment_turn_deadline(turn) : 0;
	done = done && segment_count_all(service, &search.scan, count_r, NULL, error) &&
	       (!count_r->is_cut_off || fail_late(error));
	segment_end(&search);
	return done;
}

/* A page of ids, and the one behind it, which shows that more follow. */
struct page {
	GArray *ids; /* of struct base_id */
	guint limit;
};

static bool
add_to_page(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct page *page = context;

	g_array_append_val(page->ids, person->id);
	return page->ids->len <= page->limit;
}

GArray *
segment_people(struct service *service, const struct store_segment *segment,
    const struct segment_page *asked, struct base_id *cursor_r, bool *more_r, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	guint limit = asked->limit;
	struct page page = {ids, limit};
	struct search search;
	bool done = segment_begin(&search, service, segment, error);

	search.scan.take = add_to_page;
	search.scan.context = &page;
	search.scan.most = LIMIT_SEGMENT_LOOKED;
	search.scan.ns = asked->ns;
	if (asked->after)
		search.scan.after = *asked->after;
	done = done && segment_scan_run(&search.scan, service->db, cursor_r, more_r, error);
	segment_end(&search);
	if (done && ids->len > limit) {
		g_array_set_size(ids, limit);
		*cursor_r = g_array_index(ids, struct base_id, limit - 1);
		*more_r = true;
	}
	return done ? g_steal_pointer(&ids) : NULL;
}

/* People whose ids are not behind one. */
struct span {
	GArray *ids; /* of struct base_id */
	const struct base_id *last;
};

static bool
add_to_span(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct span *span = context;

	if (memcmp(&person->id, span->last, sizeof(person->id)) > 0)
		return false;
	g_array_append_val(span->ids, person->id);
	return true;
}

/* Whether the search has taken too long, which is an error then. */
static bool
segment_is_late(const struct search *search, GError **error)
{
	return search->scan.deadline > 0 && base_clock_boot_ns() >= search->scan.deadline &&
	       !fail_late(error);
}

/* Adds the ids of the people behind after and up to the last of span, looking at most people at a
   time. */
static bool
segment_find_between(struct search *search, struct db *db, const struct base_id *after,
    struct span span, guint most, GError **error)
{
	struct base_id looked = *after;
	bool more = true;

	search->scan.take = add_to_span;
	search->scan.context = &span;
	search->scan.most = most;
	while (more && memcmp(&looked, span.last, sizeof(looked)) < 0) {
		search->scan.after = looked;
		if (segment_is_late(search, error) ||
		    !segment_scan_run(&search->scan, db, &looked, &more, error))
			return false;
	}
	return true;
}

GArray *
segment_between(struct service *service, const struct store_segment *segment,
    const struct base_id *after, const struct base_id *last, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct search search;
	bool done = segment_begin(&search, service, segment, error) &&
		    segment_find_between(&search, service->db, after, (struct span){ids, last},
			LIMIT_SEGMENT_LOOKED, error);

	segment_end(&search);
	return done ? g_steal_pointer(&ids) : NULL;
}

/* The id in front of this one. */
static struct base_id
segment_id_before(const struct base_id *id)
{
	struct base_id before = *id;

	for (gsize i = sizeof(before.bytes); i-- > 0;)
		if (before.bytes[i]-- > 0)
			break;
	return before;
}

bool
segment_has(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct base_id *person, bool *has_r, GError **error)
{
	const struct base_id before = segment_id_before(person);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	GError *failure = NULL;
	AUTO(store_segment) segment = store_segment_get(service->db, workspace, id, &failure);
	struct search search;

	*has_r = false;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_error_free(failure);
		return true;
	}
	if (!segment) {
		g_propagate_error(error, failure);
		return false;
	}
	bool done = segment_begin(&search, service, segment, error) &&
		    segment_find_between(
			&search, service->db, &before, (struct span){ids, person}, 1, error);
	segment_end(&search);
	*has_r = done && ids->len > 0;
	return done;
}

#define BACK 1000 /* people at the first step back */

/* Goes back from before, in steps that grow, until there are limit ids in front. */
static bool
find_before(struct search *search, struct db *db, const struct base_id *before, guint limit,
    GArray *ids, GError **error)
{
	static const struct base_id zero = {{0}};
	const struct store_people_scan cohort = {
	    .workspace = search->scan.workspace, .segment = search->scan.members};
	struct base_id after = *before, last;

	for (guint step = BACK; ids->len < limit && !base_id_equal(&after, &zero);
	     step = MIN(2 * step, LIMIT_SEGMENT_LOOKED)) {
		g_autoptr(GArray) some = g_array_new(FALSE, FALSE, sizeof(struct base_id));

		last = after;
		if (!store_people_scan_back(db, &cohort, &after, step, error) ||
		    !segment_find_between(
			search, db, &after, (struct span){some, &last}, step, error))
			return false;
		if (some->len > 0 &&
		    base_id_equal(&g_array_index(some, struct base_id, some->len - 1), before))
			g_array_set_size(some, some->len - 1);
		g_array_prepend_vals(ids, some->data, some->len);
	}
	if (ids->len > limit)
		g_array_remove_range(ids, 0, ids->len - limit);
	return true;
}

/* Adds the people behind after until there are limit ids. */
static bool
find_behind(struct search *search, struct db *db, const struct base_id *after, guint limit,
    GArray *ids, GError **error)
{
	struct page page = {ids, limit - 1};
	bool more = true;

	search->scan.take = add_to_page;
	search->scan.context = &page;
	search->scan.most = LIMIT_SEGMENT_LOOKED;
	search->scan.after = *after;
	while (more && ids->len < limit)
		if (segment_is_late(search, error) ||
		    !segment_scan_run(&search->scan, db, &search->scan.after, &more, error))
			return false;
	return true;
}

GArray *
segment_page(struct service *service, const struct store_segment *segment,
    const struct store_page *page, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct base_id newest;
	struct search search;
	bool done = segment_begin(&search, service, segment, error);

	memset(&newest, 0xff, sizeof(newest));
	search.scan.deadline = segment_turn_time(service);
	if (page->side == STORE_PAGE_NEWER)
		done = done &&
		       find_behind(&search, service->db, &page->cursor, page->limit, ids, error);
	else
		done = done && find_before(&search, service->db,
				   page->side == STORE_PAGE_OLDER ? &page->cursor : &newest,
				   page->limit, ids, error);
	segment_end(&search);
	return done ? g_steal_pointer(&ids) : NULL;
}

GArray *
segment_preview(struct service *service, const struct base_id *workspace, const char *rules,
    struct segment_count *count_r, GError **error)
{
	g_autoptr(GArray) first = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	AUTO(segment_rules) read = read_new(service, workspace, rules, error);
	AUTO(segment_turn) turn = read ? segment_turn_take(service, workspace, error) : NULL;
	struct segment_scan scan = {.workspace = *workspace, .rules = read};

	if (!turn)
		return NULL;
	scan.deadline = segment_turn_deadline(turn);
	if (!segment_count_all(service, &scan, count_r, first, error))
		return NULL;
	return g_steal_pointer(&first);
}

#define FREEZE_BATCH 1024

/* People on their way into a frozen segment. */
struct freezing {
	struct db *db;
	const struct store_segment *segment;
	GArray *ids; /* of struct base_id: those that are not stored yet */
};

static bool
segment_flush(struct freezing *freezing, GError **error)
{
	GArray *ids = freezing->ids;
	bool done =
	    ids->len == 0 || store_segment_add(freezing->db, freezing->segment,
				 (const struct base_id *)(void *)ids->data, ids->len, error);

	g_array_set_size(ids, 0);
	return done;
}

static bool
add_frozen(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct freezing *freezing = context;

	g_array_append_val(freezing->ids, person->id);
	return freezing->ids->len < FREEZE_BATCH || segment_flush(freezing, error);
}

static bool
store_people(struct service *service, const struct segment_scan *scan, struct store_segment *frozen,
    GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct freezing freezing = {service->db, frozen, ids};
	struct segment_scan all = *scan;

	all.take = add_frozen;
	all.context = &freezing;
	return store_segment_create(service->db, frozen, SEGMENT_FREEZING, error) &&
	       segment_scan_run(&all, service->db, NULL, NULL, error) &&
	       segment_flush(&freezing, error) && store_segment_frozen(service->db, frozen, error);
}

struct store_segment *
segment_freeze(
    struct service *service, const struct store_segment *segment, const char *name, GError **error)
{
	AUTO(store_segment) frozen = g_new0(struct store_segment, 1);
	struct search search = {0};

	frozen->workspace_id = segment->workspace_id;
	frozen->name = g_strdup(name);
	frozen->rules = g_strdup(segment->rules);
	AUTO(segment_turn)
	turn = segment_check_name(name, error)
		   ? segment_turn_take(service, &segment->workspace_id, error)
		   : NULL;
	bool done = turn && segment_begin(&search, service, segment, error) &&
		    store_people(service, &search.scan, frozen, error);
	segment_end(&search);
	return done ? store_segment_get(service->db, &frozen->workspace_id, &frozen->id, error)
		    : NULL;
}
