/* SPDX-License-Identifier: MIT */
/* Reads the people of a scan ahead, in a thread. Three groups go round: the thread takes one from
   the empty ones, fills it and puts it among the full ones, from which the caller takes it. */
#include "segment/reader.h"

#include "db/connection.h"
#include "segment/group.h"

#define GROUPS 3 /* one is tested, one waits, one is filled */

struct slot {
	struct segment_group *group;
	GError *failure; /* of its reading; NULL: none */
};

struct segment_reader {
	guint together;	   /* people in a group */
	struct db *counts; /* counts the rows */
	struct db *db;
	struct segment_source *source;
	struct slot slots[GROUPS];
	GAsyncQueue *empty, *full; /* of struct slot */
	struct slot *lent;	   /* to the caller; NULL: none */
	gint stops;		   /* atomic: the thread is to end */
	GThread *thread;
};

/* The thread. It ends behind the last people, after an error, and when it is to stop. */
static void *
reader_run(void *context)
{
	struct segment_reader *reader = context;
	GError *failure = NULL;
	bool more;

	segment_source_roll(reader->source, &failure);
	do {
		struct slot *slot = g_async_queue_pop(reader->empty);

		if (g_atomic_int_get(&reader->stops)) {
			g_clear_error(&failure);
			return NULL;
		}
		more =
		    !failure &&
		    segment_group_read(slot->group, reader->source, reader->together, &failure) &&
		    slot->group->more;
		slot->failure = failure;
		g_async_queue_push(reader->full, slot);
	} while (more);
	return NULL;
}

struct segment_reader *
segment_reader_start(const struct segment_crowd *crowd, guint together, struct db *db)
{
	struct db *own = db_open(db_settings(db), NULL);

	if (!own)
		return NULL;
	db_limit_reads(own, db_read_limit(db));
	AUTO(segment_reader) reader = g_new0(struct segment_reader, 1);
	reader->together = together;
	reader->counts = db;
	reader->db = own;
	reader->source = segment_source_new(crowd, own);
	reader->empty = g_async_queue_new();
	reader->full = g_async_queue_new();
	for (guint i = 0; i < GROUPS; i++) {
		reader->slots[i].group = segment_group_new();
		g_async_queue_push(reader->empty, &reader->slots[i]);
	}
	reader->thread = g_thread_try_new("segment", reader_run, reader, NULL);
	return reader->thread ? g_steal_pointer(&reader) : NULL;
}

struct segment_group *
segment_reader_next(struct segment_reader *reader, GError **error)
{
	if (reader->lent)
		g_async_queue_push(reader->empty, reader->lent);
	reader->lent = g_async_queue_pop(reader->full);
	if (!reader->lent->failure)
		return reader->lent->group;
	g_propagate_error(error, g_steal_pointer(&reader->lent->failure));
	return NULL;
}

static void
end_thread(struct segment_reader *reader)
{
	g_atomic_int_set(&reader->stops, 1);
	/* It may wait for an empty group; any one wakes it. */
	g_async_queue_push(reader->empty, &reader->slots[0]);
	g_thread_join(reader->thread);
}

void
segment_reader_stop(struct segment_reader *reader)
{
	if (reader->thread)
		end_thread(reader);
	for (guint i = 0; i < GROUPS; i++) {
		segment_group_free(reader->slots[i].group);
		g_clear_error(&reader->slots[i].failure);
	}
	g_async_queue_unref(reader->empty);
	g_async_queue_unref(reader->full);
	segment_source_free(reader->source);
	db_count_rows(reader->counts, db_row_count(reader->db));
	db_close(reader->db);
	g_free(reader);
}
