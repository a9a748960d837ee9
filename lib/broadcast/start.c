/* SPDX-License-Identifier: MIT */
/* Goes through the people of a workspace in the order of their ids, page by page, and makes the
   rows of those who get a broadcast.

   A broadcast may have a million recipients. One transaction for all of them would hold its locks
   for minutes and lose everything when it fails, so the start is cut into pages. The caller's
   transaction has locked the broadcast, so one process at a time works on it.
   1. broadcast_start_begin checks that audiences, topic and segments are there, and keeps the rules
      of the segments with the broadcast. A segment that changes meanwhile thus changes no page.
   2. broadcast_start_step reads the next BROADCAST_PAGE people behind broadcast->place, marks those
      of its segments, and decides for each: recipient, excluded, or not concerned.
   3. The same transaction inserts the recipients and their figures, and moves place behind the
      page. Behind the last page the broadcast is complete, and broadcast/send_step.c sends it.

   A process that dies loses the page in hand; place still stands in front of it, and any process
   does it again. The result is the same one, since variant and due time come from a hash of
   broadcast and person and not from chance. */
#include "broadcast/start.h"

#include <string.h>

#include "base/error.h"
#include "base/secret.h"
#include "text/wall_clock.h"
#include "broadcast/content.h"
#include "db/rows.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/suppressed.h"
#include "segment/segment.h"
#include "service/service.h"
#include "store/broadcast/origin.h"
#include "store/broadcast/recipient.h"
#include "store/person/people_scan.h"

/* A person who may get the broadcast. */
struct candidate {
	struct store_broadcast_person person; /* its address is one of texts; without other texts */
	gint64 due;
	bool is_named, is_excluded; /* by segments */
};

/* A step of the start of one broadcast. */
struct start {
	struct service *service;
	struct store_broadcast_origins origins;
	const struct store_broadcast *broadcast;
	struct broadcast_content content;
	GArray *candidates;   /* struct candidate, in the order of their ids */
	GArray *recipients;   /* struct store_broadcast_recipient */
	GPtrArray *addresses; /* of the recipients */
	GStringChunk *texts;
	struct json *rules; /* of the segments when it began, by id; NULL: as they are */
	GHashTable *zones;  /* gint64: when the local time comes, by the name of the zone */
	struct store_people_scan_barred *erased;
	guint excluded;
};

/* A number that depends on the broadcast and the person alone, even between 0 and 2^32. purpose
   makes independent ones. */
static guint32
hash_of(const struct start *start, const struct base_id *person, guint8 purpose)
{
	guint8 digest[SHA256_SIZE];
	gsize size = sizeof(digest);
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	guint32 hash;

	g_checksum_update(checksum, &purpose, 1);
	g_checksum_update(checksum, start->broadcast->id.bytes, sizeof(struct base_id));
	g_checksum_update(checksum, person->bytes, sizeof(*person));
	g_checksum_get_digest(checksum, digest, &size);
	memcpy(&hash, digest, sizeof(hash));
	return hash;
}

enum { TO_SPREAD, TO_TEST, TO_VARIANT }; /* purposes of hash_of */

/* The share of most, 0 to most - 1, that falls to the person. */
static gint64
start_share_of(const struct start *start, const struct base_id *person, guint8 purpose, gint64 most)
{
	return (gint64)(((unsigned __int128)hash_of(start, person, purpose) * (guint64)most) >> 32);
}

static int
variant_of(const struct start *start, const struct base_id *person)
{
	guint variants = broadcast_variant_count(&start->content);
	gint64 test = start->content.test_share;

	if (variants < 2)
		return 0;
	if (test < 100 && start_share_of(start, person, TO_TEST, 100) >= test)
		return BROADCAST_REST;
	return (int)start_share_of(start, person, TO_VARIANT, variants);
}

static gint64
moment_in(struct start *start, const char *zone_name)
{
	const char *name = zone_name ? zone_name : start->broadcast->time_zone;
	gint64 *moment = g_hash_table_lookup(start->zones, name);

	if (!moment) {
		moment = g_new(gint64, 1);
		*moment = text_wall_clock_moment(
		    start->broadcast->local_time, name, start->broadcast->time_zone);
		g_hash_table_insert(start->zones, g_strdup(name), moment);
	}
	return *moment;
}

static gint64
due_of(struct start *start, const struct store_broadcast_person *person)
{
	const struct store_broadcast *broadcast = start->broadcast;
	gint64 begin = broadcast->started_at;

	if (broadcast->local_time)
		begin = MAX(begin, moment_in(start, person->time_zone));
	if (broadcast->spread)
		begin += start_share_of(start, &person->id, TO_SPREAD, broadcast->spread + 1);
	return begin;
}

/* Looks at a page of people. *last_r: the last of them. *more_r: there may be more. */
static bool
start_look(struct db *db, struct start *start, struct base_id *last_r, bool *more_r, GError **error)
{
	struct candidate candidate = {.is_named = false};
	AUTO(db_rows)
	rows = store_broadcast_people(db, start->broadcast, &start->broadcast->place,
	    BROADCAST_PAGE, start->content.segments && start->content.segments[0], error);

	if (!rows)
		return false;
	*last_r = start->broadcast->place;
	while (store_broadcast_person_next(rows, &candidate.person)) {
		candidate.due = due_of(start, &candidate.person);
		candidate.person.address =
		    g_string_chunk_insert(start->texts, candidate.person.address);
		candidate.person.time_zone = NULL;
		g_array_append_val(start->candidates, candidate);
		*last_r = candidate.person.id;
	}
	*more_r = start->candidates->len == BROADCAST_PAGE;
	return true;
}

/* Marks the candidates who are people of a segment. Both are in the order of ids. */
static void
mark_people(struct start *start, const GArray *people, bool excludes)
{
	guint place = 0;

	for (guint i = 0; i < start->candidates->len && place < people->len; i++) {
		struct candidate *candidate =
		    &g_array_index(start->candidates, struct candidate, i);
		const struct base_id *id = &candidate->person.id;

		while (place < people->len &&
		       memcmp(&g_array_index(people, struct base_id, place), id, sizeof(*id)) < 0)
			place++;
		if (place == people->len ||
		    !base_id_equal(&g_array_index(people, struct base_id, place), id))
			continue;
		if (excludes)
			candidate->is_excluded = true;
		else
			candidate->is_named = true;
	}
}

/* A segment with the rules that it had when the broadcast began. The caller frees it. */
static struct store_segment *
read_segment(const struct start *start, const char *text, const struct base_id *id, GError **error)
{
	const struct json *rules = start->rules ? json_member_get(start->rules, text) : NULL;
	struct store_segment *segment =
	    store_segment_get(start->service->db, &start->broadcast->workspace_id, id, error);

	if (segment && rules) {
		g_free(segment->rules);
		segment->rules = g_strdup(json_string(rules, NULL));
	}
	return segment;
}

/* Marks the candidates who are people of one of some segments. */
static bool
mark_segments(struct start *start, const char *const *ids, bool excludes,
    const struct base_id *last, GError **error)
{
	const struct store_broadcast *broadcast = start->broadcast;
	struct base_id id;

	for (guint i = 0; ids && ids[i]; i++) {
		if (!base_id_parse(ids[i], &id))
			continue;
		AUTO(store_segment) segment = read_segment(start, ids[i], &id, error);
		g_autoptr(GArray) people = segment ? segment_between(start->service, segment,
							 &broadcast->place, last, error)
						   : NULL;
		if (!people)
			return false;
		mark_people(start, people, excludes);
	}
	return true;
}

static void
start_decide(struct start *start)
{
	for (guint i = 0; i < start->candidates->len; i++) {
		const struct candidate *candidate =
		    &g_array_index(start->candidates, struct candidate, i);
		const struct store_broadcast_person *person = &candidate->person;
		const struct store_broadcast_recipient recipient = {person->id,
		    variant_of(start, &person->id), candidate->due, candidate->is_named};

		if (!person->is_member && !candidate->is_named)
			continue;
		if (candidate->is_excluded ||
		    store_broadcast_person_reason(person, candidate->is_named) ||
		    person_suppressed_was_erased(
			start->service, start->erased, &person->id, person->address))
			start->excluded++;
		else {
			g_array_append_val(start->recipients, recipient);
			g_ptr_array_add(start->addresses, (char *)person->address);
		}
	}
}

static struct store_broadcast_recipient *
start_recipient_at(const struct start *start, guint i)
{
	return &g_array_index(start->recipients, struct store_broadcast_recipient, i);
}

/* Moves a recipient to a variant that has none: one who waits for the winner, or whose variant has
   more. */
static void
move_one(struct start *start, guint *counts, int variant)
{
	for (guint i = 0; i < start->recipients->len; i++) {
		struct store_broadcast_recipient *recipient = start_recipient_at(start, i);

		if (recipient->variant != BROADCAST_REST && counts[recipient->variant] < 2)
			continue;
		counts[recipient->variant]--;
		counts[variant]++;
		recipient->variant = variant;
		return;
	}
}

/* A test needs somebody for each variant, and in a small audience chance leaves some out. After
   each page either all variants have people, or all people so far have variants of their own. So
   when earlier pages have more recipients than there are variants, nothing is left to do. */
static bool
fill_variants(struct start *start, GError **error)
{
	guint variants = broadcast_variant_count(&start->content), found;
	guint counts[BROADCAST_REST + 1] = {0};

	if (variants < 2)
		return true;
	if (!store_broadcast_recipients_sample(
		start->service->db, start->broadcast, variants + 1, counts, &found, error))
		return false;
	if (found > variants)
		return true;
	for (guint i = 0; i < start->recipients->len; i++)
		counts[start_recipient_at(start, i)->variant]++;
	for (guint variant = 0; variant < variants; variant++)
		if (counts[variant] == 0)
			move_one(start, counts, (int)variant);
	return true;
}

static void
start_count_accepted(struct start *start)
{
	for (guint i = 0; i < start->recipients->len; i++)
		store_figure_count(start->service->db, &start->broadcast->workspace_id,
		    &start->origins.of[start_recipient_at(start, i)->variant],
		    start->addresses->pdata[i],
		    &(struct store_figure_change){
			FIGURE_ACCEPTED, start->broadcast->started_at, 1});
}

static bool
take_page(struct start *start, GError **error)
{
	const struct broadcast_content *content = &start->content;
	struct db *db = start->service->db;
	struct base_id last;
	bool more;

	if (!start_look(db, start, &last, &more, error) ||
	    !mark_segments(start, (const char *const *)content->segments, false, &last, error) ||
	    !mark_segments(
		start, (const char *const *)content->exclude_segments, true, &last, error))
		return false;
	start_decide(start);
	if (!fill_variants(start, error))
		return false;
	start_count_accepted(start);
	return store_broadcast_recipients_add(db, start->broadcast,
		   (const struct store_broadcast_recipient *)(void *)start->recipients->data,
		   start->recipients->len, start->excluded, error) &&
	       store_broadcast_advance(db, start->broadcast, &last, !more, error);
}

static bool
start_read_rules(struct start *start, GError **error)
{
	g_autofree char *text = NULL;

	if (!store_broadcast_rules(start->service->db, start->broadcast, &text, error))
		return false;
	if (text)
		start->rules = json_parse(text, strlen(text), error);
	return !text || start->rules;
}

bool
broadcast_start_step(
    struct service *service, const struct store_broadcast *broadcast, GError **error)
{
	g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(struct candidate));
	g_autoptr(GArray) recipients =
	    g_array_new(FALSE, FALSE, sizeof(struct store_broadcast_recipient));
	g_autoptr(GPtrArray) addresses = g_ptr_array_new();
	g_autoptr(GHashTable) zones =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	struct start start = {.service = service,
	    .broadcast = broadcast,
	    .candidates = candidates,
	    .recipients = recipients,
	    .addresses = addresses,
	    .texts = g_string_chunk_new(64 * 1024),
	    .zones = zones};
	AUTO(json) document = broadcast_read(broadcast->content, &start.content, error);
	AUTO(store_people_scan_barred)
	erased = document
		     ? store_people_scan_erased_read(service->db, &broadcast->workspace_id, error)
		     : NULL;

	start.erased = erased;
	bool done = erased && start_read_rules(&start, error) &&
		    store_broadcast_origins_read(service->db, broadcast, &start.origins, error) &&
		    take_page(&start, error);
	store_broadcast_origins_clear(&start.origins);
	g_clear_pointer(&start.rules, json_free);
	broadcast_clear(&start.content);
	g_string_chunk_free(start.texts);
	return done;
}

/* Whether the segments are there. *missing_r: as of store_broadcast_check. Notes their rules. */
static bool
start_check_segments(struct service *service, const struct store_broadcast *broadcast,
    const char *const *ids, GHashTable *rules, const char **missing_r, GError **error)
{
	for (guint i = 0; ids && ids[i]; i++) {
		g_autoptr(GError) failure = NULL;
		struct base_id id = {{0}};

		base_id_parse(ids[i], &id);
		AUTO(store_segment)
		segment = store_segment_get(service->db, &broadcast->workspace_id, &id, &failure);
		if (segment) {
			g_hash_table_insert(rules, g_strdup(ids[i]), g_strdup(segment->rules));
			continue;
		}
		*missing_r = "segment";
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
			return true;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	return true;
}

static bool
start_check(struct service *service, const struct store_broadcast *broadcast, GHashTable *rules,
    const char **missing_r, GError **error)
{
	struct broadcast_content content = {0};
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	bool done = document && store_broadcast_check(service->db, broadcast, missing_r, error);

	if (done && !*missing_r)
		done = start_check_segments(service, broadcast,
			   (const char *const *)content.segments, rules, missing_r, error) &&
		       (*missing_r || start_check_segments(service, broadcast,
					  (const char *const *)content.exclude_segments, rules,
					  missing_r, error));
	broadcast_clear(&content);
	return done;
}

/* An object of the rules by the segments' ids. The caller owns it. */
static char *
print_rules(GHashTable *rules)
{
	AUTO(json_writer) writer = json_writer_new();
	GHashTableIter iterator;
	void *id, *text;

	json_writer_begin_object(writer, NULL);
	g_hash_table_iter_init(&iterator, rules);
	while (g_hash_table_iter_next(&iterator, &id, &text))
		json_writer_string(writer, id, text);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

bool
broadcast_start_begin(
    struct service *service, const struct store_broadcast *broadcast, GError **error)
{
	g_autoptr(GHashTable) rules =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	const char *missing;

	if (!start_check(service, broadcast, rules, &missing, error))
		return false;
	if (missing) {
		g_autofree char *text = g_strdup_printf("The %s is gone", missing);
		return store_broadcast_fail(service->db, broadcast, text, error);
	}
	g_autofree char *kept = print_rules(rules);
	return store_broadcast_begin(service->db, broadcast, kept, error);
}
