/* SPDX-License-Identifier: MIT */
/* Counts what happens to emails, in sums of each transaction that are written before its COMMIT. */
#include "store/figure/figure.h"

#include <string.h>

#include "db/before_commit.h"
#include "db/columns.h"
#include "db/connection.h"
#include "db/rows.h"
#include "store/figure/sum.h"
#include "text/mailbox.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define STRIPES 16 /* from 1 on */
#define NAME_MAX_BYTES 2053

static void *
make_sums(void)
{
	return store_figure_sums_new();
}

static bool
write_sums(struct db *db, void *sums, GError **error)
{
	return store_figure_sums_write(
	    db, sums, 1 + (guint)(db_connection_id(db) % STRIPES), error);
}

static const struct db_before_commit_kind kind = {
    make_sums, write_sums, (GDestroyNotify)g_hash_table_unref};

/* Something that is counted in several rows. */
struct count {
	GHashTable *sums;
	const struct base_id *workspace;
	gint64 day;
	enum store_figure figure;
	gint more;
};

static void
figure_add(const struct count *count, enum store_figure_dimension dimension,
    const struct base_id *owner, const char *name)
{
	struct store_figure_sum row = {.workspace_id = *count->workspace,
	    .dimension = dimension,
	    .day = count->day,
	    .name = (char *)name};

	if (owner)
		row.owner = *owner;
	store_figure_sum_of(count->sums, &row)->figures[count->figure] += count->more;
}

static void
add_variant(const struct count *count, const struct store_figure_origin *origin)
{
	const char number[] = {(char)('0' + origin->variant), '\0'};

	if (origin->template_id)
		figure_add(count, FIGURE_OF_TEMPLATE, NULL, origin->template_id);
	if (origin->has_broadcast && origin->variant != FIGURE_NO_VARIANT)
		figure_add(count, FIGURE_OF_VARIANT, &origin->broadcast_id, number);
}

static struct count
figure_count_of(
    struct db *db, const struct base_id *workspace, const struct store_figure_change *change)
{
	return (struct count){db_before_commit(db, &kind), workspace, change->time / DAY_MS,
	    change->figure, change->more};
}

void
store_figure_count_variant(struct db *db, const struct base_id *workspace,
    const struct store_figure_origin *origin, const struct store_figure_change *change)
{
	const struct count count = figure_count_of(db, workspace, change);

	add_variant(&count, origin);
}

void
store_figure_count_link(struct db *db, const struct base_id *workspace,
    const struct store_figure_origin *origin, const char *link,
    const struct store_figure_change *change)
{
	const struct count count = figure_count_of(db, workspace, change);

	gsize size = link ? strlen(link) : 0;

	if (!link || !origin->has_broadcast)
		return;
	while (size > NAME_MAX_BYTES || (link[size] & 0xc0) == 0x80)
		size--;
	g_autofree char *name = g_strndup(link, size);
	figure_add(&count, FIGURE_OF_LINK, &origin->broadcast_id, name);
}

void
store_figure_count(struct db *db, const struct base_id *workspace,
    const struct store_figure_origin *origin, const char *address,
    const struct store_figure_change *change)
{
	const struct count count = figure_count_of(db, workspace, change);

	gsize size = 0; /* a tag has a colon, so two bytes and a NUL at least */
	const char *tag =
	    origin->counted_tags ? g_bytes_get_data(origin->counted_tags, &size) : NULL;

	if (size == sizeof(STORE_FIGURE_UNCOUNTED))
		return;
	figure_add(&count, FIGURE_OF_PROVIDER, NULL, text_mailbox_word(address));
	figure_add(&count, FIGURE_OF_DOMAIN, &origin->domain_id, "");
	add_variant(&count, origin);
	if (origin->stream)
		figure_add(&count, FIGURE_OF_STREAM, NULL, store_stream_name(origin->stream));
	if (origin->has_broadcast)
		figure_add(&count, FIGURE_OF_BROADCAST, &origin->broadcast_id, "");
	if (origin->step_id)
		figure_add(&count, FIGURE_OF_NODE, &origin->workflow_id, origin->step_id);
	for (const char *end = tag + size; tag < end; tag += strlen(tag) + 1)
		figure_add(&count, FIGURE_OF_TAG, NULL, tag);
}

void
store_figure_count_run(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, enum store_figure_run figure, gint64 time, gint more)
{
	const struct count count = {
	    db_before_commit(db, &kind), workspace, time / DAY_MS, (enum store_figure)figure, more};

	figure_add(&count, FIGURE_OF_EXECUTION, workflow, "");
}

void
store_figure_count_step(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const char *step, enum store_figure_step figure, gint64 time)
{
	const struct count count = {
	    db_before_commit(db, &kind), workspace, time / DAY_MS, (enum store_figure)figure, 1};

	figure_add(&count, FIGURE_OF_STEP, workflow, step);
}

void
store_figure_count_event(struct db *db, const struct store_event *event)
{
	static const gint8 figures[] = {[EVENT_NONE] = -1,
	    [EVENT_SENT] = FIGURE_SENT,
	    [EVENT_DELIVERED] = FIGURE_DELIVERED,
	    [EVENT_DELAYED] = -1,
	    [EVENT_COMPLAINED] = FIGURE_COMPLAINED,
	    [EVENT_OPENED] = FIGURE_OPENED,
	    [EVENT_CLICKED] = FIGURE_CLICKED,
	    [EVENT_UNSUBSCRIBED] = FIGURE_UNSUBSCRIBED,
	    [EVENT_SUPPRESSED] = -1,
	    [EVENT_BOUNCED] = FIGURE_BOUNCED,
	    [EVENT_FAILED] = -1,
	    [EVENT_REPLIED] = -1};
	int figure = figures[event->status];

	if (!event->origin || figure < 0)
		return;
	if (event->automated)
		figure =
		    event->status == EVENT_OPENED ? FIGURE_OPENED_MACHINE : FIGURE_CLICKED_MACHINE;
	store_figure_count(db, &event->workspace_id, event->origin, event->address,
	    &(struct store_figure_change){(enum store_figure)figure, event->timestamp, 1});
	if (event->status == EVENT_CLICKED)
		store_figure_count_link(db, &event->workspace_id, event->origin, event->link,
		    &(struct store_figure_change){(enum store_figure)figure, event->timestamp, 1});
}

DB_COLUMNS_READER(figure_read_origin, struct store_figure_origin, FIGURE_ORIGIN_COLUMNS)

void
store_figure_origin_read(
    const struct db_rows *rows, guint from, struct store_figure_origin *origin_r)
{
	gsize size;
	const guint8 *broadcast =
	    db_rows_bytes(rows, from + DB_COLUMNS_END(FIGURE_ORIGIN_COLUMNS), &size);

	*origin_r = (struct store_figure_origin){.has_broadcast = size > sizeof(struct base_id)};
	figure_read_origin(rows, from, origin_r);
	if (origin_r->has_broadcast) {
		memcpy(&origin_r->broadcast_id, broadcast, sizeof(struct base_id));
		origin_r->variant = broadcast[sizeof(struct base_id)];
	}
}

void
store_figure_origin_clear(struct store_figure_origin *origin)
{
	g_clear_pointer(&origin->template_id, g_free);
	g_clear_pointer(&origin->step_id, g_free);
	g_clear_pointer(&origin->counted_tags, g_bytes_unref);
}
