/* SPDX-License-Identifier: MIT */
/* Goes through the people of a workspace in the order of their ids, page by page, and makes the
   rows of those who get a broadcast. */
#include "broadcast/start.h"

#include <stdio.h>
#include <string.h>

#include "broadcast/content.h"
#include "base/clock.h"
#include "base/secret.h"
#include "core/core.h"
#include "db/rows.h"
#include "json/value.h"
#include "store/broadcast_recipient.h"

/* The start of one broadcast. */
struct start {
	const struct store_broadcast *broadcast;
	guint variants;
	gint64 test_share;  /* percent */
	GArray *recipients; /* struct store_broadcast_recipient */
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
share_of(const struct start *start, const struct base_id *person, guint8 purpose, gint64 most)
{
	return (gint64)(((unsigned __int128)hash_of(start, person, purpose) * (guint64)most) >> 32);
}

static int
variant_of(const struct start *start, const struct base_id *person)
{
	if (start->variants < 2)
		return 0;
	if (start->test_share < 100 && share_of(start, person, TO_TEST, 100) >= start->test_share)
		return BROADCAST_REST;
	return (int)share_of(start, person, TO_VARIANT, start->variants);
}

/* When the clock of a zone shows the local time: as much later if it skips it, the first time if it
   has it twice. */
static gint64
moment_of(const struct store_broadcast *broadcast, const char *zone_name)
{
	g_autoptr(GTimeZone) zone = zone_name ? g_time_zone_new_identifier(zone_name) : NULL;
	int year, month, day, hour, minute;

	if (!zone)
		zone = g_time_zone_new_identifier(broadcast->time_zone);
	if (!zone || sscanf(broadcast->local_time, "%d-%d-%dT%d:%d", &year, &month, &day, &hour,
			 &minute) != 5)
		return broadcast->started_at;
	g_autoptr(GDateTime) utc = g_date_time_new_utc(year, month, day, hour, minute, 0);
	gint64 local = g_date_time_to_unix(utc);
	int interval = g_time_zone_find_interval(zone, G_TIME_TYPE_DAYLIGHT, local);
	if (interval < 0) /* skipped: the offset before it counts */
		interval = g_time_zone_find_interval(zone, G_TIME_TYPE_STANDARD, local - 86400);
	return (local - (interval < 0 ? 0 : g_time_zone_get_offset(zone, interval))) * 1000;
}

static gint64
due_of(const struct start *start, const struct store_broadcast_person *person)
{
	const struct store_broadcast *broadcast = start->broadcast;
	gint64 begin =
	    broadcast->local_time ? moment_of(broadcast, person->time_zone) : broadcast->started_at;

	return begin + (broadcast->spread
			       ? share_of(start, &person->id, TO_SPREAD, broadcast->spread + 1)
			       : 0);
}

static void
decide(struct start *start, const struct store_broadcast_person *person)
{
	if (!person->is_member)
		return;
	if (person->reason) {
		start->excluded++;
		return;
	}
	const struct store_broadcast_recipient recipient = {
	    person->id, variant_of(start, &person->id), due_of(start, person)};
	g_array_append_val(start->recipients, recipient);
}

/* Looks at a page of people. *last_r: the last of them. *more_r: there may be more. */
static bool
look(struct db *db, struct start *start, struct base_id *last_r, bool *more_r, GError **error)
{
	struct store_broadcast_person person;
	guint looked = 0;
	AUTO(db_rows)
	rows = store_broadcast_people(
	    db, start->broadcast, &start->broadcast->place, BROADCAST_PAGE, error);

	if (!rows)
		return false;
	*last_r = start->broadcast->place;
	for (; store_broadcast_person_next(rows, &person); looked++) {
		decide(start, &person);
		*last_r = person.id;
	}
	*more_r = looked == BROADCAST_PAGE;
	return true;
}

static bool
read_shares(struct start *start, GError **error)
{
	struct broadcast_content content = {0};
	AUTO(json) document = broadcast_read(start->broadcast->content, &content, error);

	start->variants = content.variants ? content.variants->len : 0;
	start->test_share = content.test_share;
	broadcast_clear(&content);
	return document;
}

bool
broadcast_start_step(struct core *core, const struct store_broadcast *broadcast, GError **error)
{
	g_autoptr(GArray) recipients =
	    g_array_new(FALSE, FALSE, sizeof(struct store_broadcast_recipient));
	struct start start = {.broadcast = broadcast, .recipients = recipients};
	struct base_id last;
	bool more;

	return read_shares(&start, error) && look(core->db, &start, &last, &more, error) &&
	       store_broadcast_recipients_add(core->db, broadcast,
		   (const struct store_broadcast_recipient *)(void *)recipients->data,
		   recipients->len, start.excluded, error) &&
	       store_broadcast_advance(core->db, broadcast, &last, !more, error);
}

bool
broadcast_start_begin(struct core *core, const struct store_broadcast *broadcast, GError **error)
{
	const char *missing;

	if (!store_broadcast_check(core->db, broadcast, &missing, error))
		return false;
	if (!missing)
		return store_broadcast_begin(core->db, broadcast, error);
	g_autofree char *text = g_strdup_printf("The %s is gone", missing);
	return store_broadcast_fail(core->db, broadcast, text, error);
}
