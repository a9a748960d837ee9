/* SPDX-License-Identifier: MIT */
/* Reads what the figures of a broadcast are counted for. */
#include "store/broadcast/origin.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"

static const char models_sql[] = "SELECT m.variant, e.domain_id, e.template_id, e.workflow_id, "
				 "e.step_id, e.counted_tags, NULL, NULL"
				 " FROM broadcast_model m JOIN email e ON e.id = m.email_id"
				 " AND e.workspace_id = m.workspace_id"
				 " WHERE m.broadcast_id = ? AND m.workspace_id = ?";

/* The columns of models_sql. The others are those of STORE_FIGURE_ORIGIN. */
enum {
	MODEL_VARIANT,
	MODEL_ORIGIN,
	MODEL_TEMPLATE,
	MODEL_WORKFLOW,
	MODEL_STEP,
	MODEL_TAGS,
	MODEL_STREAM,
	MODEL_BROADCAST
};

static void
origin_set_broadcast(
    struct store_figure_origin *origin, const struct store_broadcast *broadcast, int variant)
{
	origin->has_broadcast = true;
	origin->stream = STREAM_BROADCAST;
	origin->broadcast_id = broadcast->id;
	origin->variant = variant;
}

bool
store_broadcast_origins_read(struct db *db, const struct store_broadcast *broadcast,
    struct store_broadcast_origins *origins_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, models_sql,
	    DB_VALUES(db_id(&broadcast->id), db_id(&broadcast->workspace_id)), error);
	struct store_figure_origin *rest = &origins_r->of[BROADCAST_REST];

	memset(origins_r, 0, sizeof(*origins_r));
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		gint64 variant = db_rows_int(rows, MODEL_VARIANT);

		store_figure_origin_clear(&origins_r->of[variant]);
		store_figure_origin_read(rows, MODEL_ORIGIN, &origins_r->of[variant]);
	}
	for (int i = 0; i < BROADCAST_REST; i++)
		origin_set_broadcast(&origins_r->of[i], broadcast, i);
	rest->domain_id = origins_r->of[0].domain_id;
	if (origins_r->of[0].counted_tags)
		rest->counted_tags = g_bytes_ref(origins_r->of[0].counted_tags);
	origin_set_broadcast(rest, broadcast, FIGURE_NO_VARIANT);
	return true;
}

void
store_broadcast_origins_clear(struct store_broadcast_origins *origins)
{
	for (guint i = 0; i < G_N_ELEMENTS(origins->of); i++)
		store_figure_origin_clear(&origins->of[i]);
}

bool
store_broadcast_count_rest(struct db *db, const struct store_broadcast *broadcast, int variant,
    guint count, GError **error)
{
	struct store_broadcast_origins origins;
	bool done = store_broadcast_origins_read(db, broadcast, &origins, error);

	if (done)
		store_figure_count_variant(db, &broadcast->workspace_id, &origins.of[variant],
		    &(struct store_figure_change){
			FIGURE_ACCEPTED, broadcast->started_at, (gint)count});
	store_broadcast_origins_clear(&origins);
	return done;
}
