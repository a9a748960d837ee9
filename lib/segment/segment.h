/* SPDX-License-Identifier: MIT */
/* Segments: saved rules that choose people; a frozen one keeps the people that it had. */
#ifndef SEGMENT_SEGMENT_H
#define SEGMENT_SEGMENT_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/broadcast/segment.h"

struct service;
struct store_edit;
struct segment_turn;
struct store_page;

/* The members of a segment (struct store_segment): id, name, rules, frozen_at, count (of a frozen
   one), created, updated. */
extern const struct json_view segment_view;

/* Stores a segment. INVALID "name must be 1 to 100 characters", or as of segment_rules_read and
   segment_rules_resolve. The caller frees it. */
struct store_segment *segment_create(struct service *service, const struct base_id *workspace,
    const char *name, const char *rules, GError **error);

/* A change; NULL leaves a member. The tags of the edit are those of store_edit_tag(updated). */
struct segment_edit {
	const char *name, *rules;
	const struct store_edit *edit;
};

/* Changes a segment. INVALID as above, then NOT_FOUND, CHANGED, then INVALID "rules cannot be
   changed" of a frozen segment. The caller frees it. */
struct store_segment *segment_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct segment_edit *given, GError **error);

/* The number of people of a segment. turn: TEMPORARY when its time does not suffice; NULL: it takes
   as long as it takes. */
struct segment_count {
	guint64 people;
	guint64 reachable; /* those to whom a broadcast goes */
	bool is_cut_off;   /* of a preview: its time did not suffice; the numbers are too small */
};
bool segment_count(struct service *service, const struct store_segment *segment,
    const struct segment_turn *turn, struct segment_count *count_r, GError **error);

/* A page of a segment's people. */
struct segment_page {
	const struct base_id *after; /* behind it; NULL: from the first on */
	guint limit;
	gint64 ns; /* how long it looks, as of base_scan_budget (LIMIT_LOOK_NS) */
};

/* Their ids, in order, as an array of struct base_id. It looks at LIMIT_SEGMENT_LOOKED people at
   most. *cursor_r is where the next page begins, if *more_r is true: there may be more people. The
   caller owns the array. */
GArray *segment_people(struct service *service, const struct store_segment *segment,
    const struct segment_page *asked, struct base_id *cursor_r, bool *more_r, GError **error);

/* The ids of a segment's people behind after and up to last, in order, as an array of struct
   base_id. The caller owns it. */
GArray *segment_between(struct service *service, const struct store_segment *segment,
    const struct base_id *after, const struct base_id *last, GError **error);

/* Whether the person with this id is in a segment now, as this transaction sees both; nobody is in
   one that is not there. */
bool segment_has(struct service *service, const struct base_id *workspace,
    const struct base_id *segment, const struct base_id *person, bool *has_r, GError **error);

/* The ids of a page of a segment's people, in order, as an array of struct base_id. It looks at the
   nearest people first, and on until the page is full: few are looked at where many are in the
   segment, all of them where few are. TEMPORARY when that takes longer than a turn
   (segment/turn.h). The caller owns the array. */
GArray *segment_page(struct service *service, const struct store_segment *segment,
    const struct store_page *page, GError **error);

/* Counts the people of rules, as far as the time of a turn suffices, and gives the ids of the first
   LIMIT_SEGMENT_PREVIEW. INVALID as of segment_create, TEMPORARY as of segment_turn_take. The
   caller owns the array. */
GArray *segment_preview(struct service *service, const struct base_id *workspace, const char *rules,
    struct segment_count *count_r, GError **error);

/* Makes a new segment with the people that this one has now. INVALID as of segment_create,
   TEMPORARY as of segment_turn_take. The caller frees it. */
struct store_segment *segment_freeze(
    struct service *service, const struct store_segment *segment, const char *name, GError **error);

#endif
