/* SPDX-License-Identifier: MIT */
/* Finds the people to whom a broadcast would go: goes through its audiences and segments side by
   side, each in the order of people's ids. */
#include "broadcast/audience_count.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/writer.h"
#include "person/suppressed.h"
#include "segment/rules.h"
#include "segment/scan.h"
#include "service/service.h"
#include "store/broadcast/segment.h"
#include "store/person/people_scan.h"

#define CHUNK 10000 /* people looked at together */

/* A person of a list. */
struct found {
	struct base_id id;
	bool is_barred; /* the broadcast does not go there by this list */
};

/* People in the order of their ids: those of a segment, or for whom rules hold. */
struct list {
	struct segment_scan scan;
	struct store_segment *segment; /* whose members or rules these are; NULL: rules alone */
	struct segment_rules *rules;
	const struct service *service;
	const struct store_people_scan_barred *barred;
	bool is_of_members; /* of the broadcast's audiences: they need no other reason */
	GArray *people;	    /* of struct found: the next ones */
	guint place;	    /* of the current one among them */
	bool more;	    /* there may be more behind them */
};

static void
list_free(void *data)
{
	struct list *list = data;

	g_clear_pointer(&list->segment, store_segment_free);
	g_clear_pointer(&list->rules, segment_rules_free);
	g_array_unref(list->people);
	g_free(list);
}

static bool
audience_count_take(const struct store_people_scan_person *person, void *context, GError **error)
{
	struct list *list = context;
	const struct found found = {
	    person->id, !person->is_subscribed || !(person->has_agreed || list->is_of_members) ||
			    g_hash_table_contains(list->barred->addresses, person->address) ||
			    person_suppressed_was_erased(
				list->service, list->barred, &person->id, person->address)};

	g_array_append_val(list->people, found);
	return true;
}

static bool
audience_count_is_late(gint64 deadline)
{
	return deadline > 0 && base_clock_boot_ns() >= deadline;
}

/* The current person; *found_r is NULL at the end, and behind the deadline. */
static bool
list_current(struct list *list, struct db *db, const struct found **found_r, GError **error)
{
	while (list->place == list->people->len && list->more) {
		list->place = 0;
		g_array_set_size(list->people, 0);
		if (audience_count_is_late(list->scan.deadline)) {
			list->more = false;
			break;
		}
		if (!segment_scan_run(&list->scan, db, &list->scan.after, &list->more, error))
			return false;
	}
	*found_r = list->place < list->people->len
		       ? &g_array_index(list->people, struct found, list->place)
		       : NULL;
	return true;
}

/* The lists that a broadcast goes to, and those whose people it leaves out. */
struct reach {
	struct service *service;
	const struct base_id *workspace;
	struct store_people_scan_barred *barred;
	gint64 deadline;
	GPtrArray *to, *not_to; /* of struct list */
	GPtrArray *members;	/* likewise: the people of its audiences, subscribed or not */
};

static struct list *
list_new(const struct reach *reach)
{
	struct list *list = g_new0(struct list, 1);

	list->scan.workspace = *reach->workspace;
	list->scan.most = CHUNK;
	list->scan.deadline = reach->deadline;
	list->scan.take = audience_count_take;
	list->scan.context = list;
	list->service = reach->service;
	list->barred = reach->barred;
	list->people = g_array_new(FALSE, FALSE, sizeof(struct found));
	list->more = true;
	return list;
}

/* Gives a list its rules. */
static bool
set_rules(const struct reach *reach, struct list *list, const char *text, GError **error)
{
	list->rules = segment_rules_read(text, error);
	list->scan.rules = list->rules;
	return list->rules && segment_rules_resolve(
				  list->rules, reach->service->db, reach->workspace, false, error);
}

static bool
add_segment(const struct reach *reach, GPtrArray *lists, const char *text, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct base_id id;

	if (!base_id_parse(text, &id))
		return true;
	AUTO(store_segment)
	segment = store_segment_get(reach->service->db, reach->workspace, &id, &failure);
	if (!segment && g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	if (!segment) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	struct list *list = list_new(reach);
	g_ptr_array_add(lists, list);
	list->segment = g_steal_pointer(&segment);
	if (!list->segment->frozen_at)
		return set_rules(reach, list, list->segment->rules, error);
	list->scan.members = &list->segment->id;
	return true;
}

static bool
add_segments(const struct reach *reach, GPtrArray *lists, const char *const *ids, GError **error)
{
	for (guint i = 0; ids && ids[i]; i++)
		if (!add_segment(reach, lists, ids[i], error))
			return false;
	return true;
}

/* Adds the people who are, or are not, in one of these things: {kind: id, operator}. */
static bool
add_fact(const struct reach *reach, GPtrArray *lists, const char *kind, const char *operator,
    const char * const * ids, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!ids || !ids[0])
		return true;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "match", "any");
	json_writer_begin_array(writer, "rules");
	for (guint i = 0; ids[i]; i++) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, kind, ids[i]);
		json_writer_string(writer, "operator", operator);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	g_autofree char *rules = json_writer_take(writer, NULL);
	struct list *list = list_new(reach);
	g_ptr_array_add(lists, list);
	return set_rules(reach, list, rules, error);
}

static bool
add_lists(const struct reach *reach, const struct broadcast_content *content, GError **error)
{
	const char *topic[] = {content->topic_id, NULL};
	const char *const *audiences = (const char *const *)content->audiences;

	if (!add_fact(reach, reach->to, "audience", "subscribed", audiences, error) ||
	    !add_fact(reach, reach->members, "audience", "member", audiences, error))
		return false;
	if (reach->to->len > 0)
		((struct list *)reach->to->pdata[0])->is_of_members = true;
	return add_segments(reach, reach->to, (const char *const *)content->segments, error) &&
	       add_fact(reach, reach->not_to, "topic", "not_subscribed", topic, error) &&
	       add_segments(
		   reach, reach->not_to, (const char *const *)content->exclude_segments, error);
}

/* The next person of any list; is_barred: by all lists. *by_audience_r: the list of the subscribed
   members is one of them. *end_r: there is none. */
static bool
audience_count_next(const struct reach *reach, struct found *next_r, bool *by_audience_r,
    bool *end_r, GError **error)
{
	const struct found *found;

	*end_r = true;
	for (guint i = 0; i < reach->to->len; i++) {
		if (!list_current(reach->to->pdata[i], reach->service->db, &found, error))
			return false;
		if (!found || (!*end_r && memcmp(&found->id, &next_r->id, sizeof(found->id)) > 0))
			continue;
		*next_r = *found;
		*end_r = false;
	}
	*by_audience_r = false;
	for (guint i = 0; !*end_r && i < reach->to->len; i++) {
		struct list *list = reach->to->pdata[i];

		if (list_current(list, reach->service->db, &found, NULL) && found &&
		    base_id_equal(&found->id, &next_r->id)) {
			next_r->is_barred &= found->is_barred;
			*by_audience_r |= list->is_of_members;
			list->place++;
		}
	}
	return true;
}

/* Whether one of these lists has the person. People are asked about in the order of their ids. */
static bool
audience_count_has(const struct reach *reach, const GPtrArray *lists, const struct base_id *id,
    bool *has_r, GError **error)
{
	const struct found *found;

	*has_r = false;
	for (guint i = 0; i < lists->len; i++) {
		struct list *list = lists->pdata[i];

		do {
			if (!list_current(list, reach->service->db, &found, error))
				return false;
		} while (found && memcmp(&found->id, id, sizeof(*id)) < 0 && ++list->place);
		*has_r |= found && base_id_equal(&found->id, id);
	}
	return true;
}

static bool
audience_count_count(
    const struct reach *reach, guint most, GArray *sample, gint64 *count_r, GError **error)
{
	struct found found;
	bool end, by_audience, left_out = false, is_member = false;

	*count_r = 0;
	for (;;) {
		if (!audience_count_next(reach, &found, &by_audience, &end, error) ||
		    (!end &&
			(!audience_count_has(reach, reach->not_to, &found.id, &left_out, error) ||
			    !audience_count_has(
				reach, reach->members, &found.id, &is_member, error))))
			return false;
		if (audience_count_is_late(reach->deadline)) {
			*count_r = -1;
			return true;
		}
		if (end)
			return true;
		/* A member who is not subscribed has said no, whatever segments say. */
		if (left_out || found.is_barred || (is_member && !by_audience))
			continue;
		++*count_r;
		if (sample->len < most)
			g_array_append_val(sample, found.id);
	}
}

bool
broadcast_audience_count_count(struct service *service, const struct base_id *workspace,
    const struct broadcast_audience_count *count, gint64 *count_r, GError **error)
{
	AUTO(store_people_scan_barred) barred =
	    store_people_scan_barred_read(service->db, workspace, error);
	g_autoptr(GPtrArray) to = g_ptr_array_new_with_free_func(list_free);
	g_autoptr(GPtrArray) not_to = g_ptr_array_new_with_free_func(list_free);
	g_autoptr(GPtrArray) members = g_ptr_array_new_with_free_func(list_free);
	const struct reach reach = {
	    service, workspace, barred, count->deadline, to, not_to, members};

	return barred && add_lists(&reach, count->content, error) &&
	       audience_count_count(&reach, count->most, count->sample, count_r, error);
}
