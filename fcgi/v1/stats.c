/* SPDX-License-Identifier: MIT */
/* Figures: how often something happened to emails and executions (/v1/stats). */
#include <string.h>

#include "base/limits/list.h"
#include "base/secret.h"
#include "email/figures.h"
#include "fcgi/api/context.h"
#include "fcgi/v1/handlers.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/figure/figure.h"

static void
stats_write_row(
    struct json_writer *writer, enum store_figure_group group, const struct store_figure_row *row)
{
	g_autofree char *day = row->day < 0 ? NULL : email_figures_date(row->day);
	guint count;
	const char *const *names = store_figure_names_of(group, &count);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "key", *row->key ? row->key : NULL);
	json_writer_string(writer, "day", day);
	for (guint f = 0; f < count; f++)
		json_writer_integer(writer, names[f], row->figures[f]);
	json_writer_end_object(writer);
}

/* The cursor behind a row: its day and its key. */
static char *
write_cursor(const struct store_figure_row *row)
{
	g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT " %s", row->day, row->key);

	return base_secret_base64url(text, strlen(text));
}

/* Reads the cursor into the query. The caller frees *key_r, from which the query borrows. */
static bool
stats_read_cursor(
    struct fcgi_call *call, struct store_figure_query *query, char **key_r, GError **error)
{
	const char *text;
	gsize size = 0;
	char *end;

	if (!fcgi_page_text(call, "cursor", &text, error))
		return false;
	if (!text)
		return true;
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	g_autofree char *place = g_strndup(data ? data : "", size);
	query->after_day = g_ascii_strtoll(place, &end, 10);
	if (end == place || *end != ' ' || strlen(place) != size)
		return fcgi_page_malformed(error);
	query->after = *key_r = g_strdup(end + 1);
	return true;
}

bool
fcgi_stats_list(struct fcgi_call *call, GError **error)
{
	struct email_figures_wish wish;
	struct store_figure_query query;
	g_autofree char *key = NULL;

	if (!fcgi_page_text(call, "group_by", &wish.group_by, error) ||
	    !fcgi_page_text(call, "from", &wish.from, error) ||
	    !fcgi_page_text(call, "to", &wish.to, error) ||
	    !fcgi_page_text(call, "broadcast_id", &wish.broadcast_id, error) ||
	    !fcgi_page_text(call, "workflow_id", &wish.workflow_id, error) ||
	    !email_figures_read(&wish, &query, error) ||
	    !stats_read_cursor(call, &query, &key, error))
		return false;
	g_autoptr(GPtrArray) rows = store_figure_list(
	    call->service->db, &call->key.workspace_id, &query, LIMIT_PAGE_FIGURES + 1, error);
	if (!rows)
		return false;
	AUTO(json_writer) writer = json_writer_new();
	guint count = MIN(rows->len, LIMIT_PAGE_FIGURES);
	g_autofree char *cursor = rows->len > count ? write_cursor(rows->pdata[count - 1]) : NULL;
	fcgi_page_begin(writer, "stats");
	for (guint i = 0; i < count; i++)
		stats_write_row(writer, query.group, rows->pdata[i]);
	fcgi_page_end_text(call, writer, count, cursor);
	return true;
}
