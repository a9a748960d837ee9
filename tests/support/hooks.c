/* SPDX-License-Identifier: MIT */
/* Reads what webhooks are told. */
#include "tests/support/hooks.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "webhook/payload.h"

static void
hooks_run(struct db *db, const char *sql, const struct db_value *values, gsize count)
{
	g_autoptr(GError) error = NULL;

	cr_assert(db_run(db, sql, values, count, NULL, &error), "%s", error ? error->message : "");
}

struct base_id
test_hooks_add(struct db *db, const struct base_id *workspace, guint64 events, bool enabled)
{
	struct base_id id = base_id_new();

	hooks_run(db,
	    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, description,"
	    " created, secret) VALUES (?, ?, 'https://hooks.example', ?, ?, 0, '', 0, '')",
	    DB_VALUES(db_id(&id), db_id(workspace), db_int((gint64)events), db_int(enabled)));
	return id;
}

/* Replaces the match by the number of its first appearance. */
static gboolean
hooks_number(const GMatchInfo *match, GString *text, void *context)
{
	GPtrArray *seen = context;
	char *id = g_match_info_fetch(match, 0);
	guint place;

	if (g_ptr_array_find_with_equal_func(seen, id, g_str_equal, &place)) {
		g_free(id);
	} else {
		place = seen->len;
		g_ptr_array_add(seen, id);
	}
	g_string_append_printf(text, "#%u", place + 1);
	return FALSE;
}

static char *
hooks_mask(const char *text, GPtrArray *seen)
{
	g_autoptr(GRegex) id = g_regex_new("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", 0, 0, NULL);
	g_autoptr(GRegex) time = g_regex_new("\\b1[0-9]{12}\\b", 0, 0, NULL);
	g_autofree char *numbered =
	    g_regex_replace_eval(id, text, -1, 0, 0, hooks_number, seen, NULL);

	return g_regex_replace(time, numbered, -1, 0, "T", 0, NULL);
}

static void
hooks_print(const struct webhook_event *event, GPtrArray *seen, GString *text)
{
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];
	const char *type = store_webhook_name(event->type);

	if (!event->payload) {
		g_string_append_printf(text, "%s gone\n", type);
		return;
	}
	AUTO(json) payload = json_parse(event->payload, strlen(event->payload), NULL);
	cr_assert(payload, "%s", event->payload);
	const struct json *data = json_member_get(payload, "data");
	g_autofree char *told = json_print(data);
	g_autofree char *want = g_strdup_printf(
	    "{\"id\":\"%s\",\"type\":\"%s\",\"timestamp\":\"%s\",\"data\":%s}",
	    base_id_format(&event->id, id), type, base_clock_format(event->created, time), told);
	g_autofree char *got = json_print(payload);
	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	g_autofree char *masked = hooks_mask(told, seen);
	g_string_append_printf(text, "%s %s\n", type, masked);
}

char *
test_hooks_told(struct service *service, const struct base_id *webhook)
{
	g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(struct webhook_event));
	g_autoptr(GPtrArray) seen = g_ptr_array_new_with_free_func(g_free);
	GString *text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(service->db,
	    "SELECT event_id, workspace_id, type, email_id, created, COALESCE(recipient, -1)"
	    " FROM webhook_delivery"
	    " WHERE webhook_id = ? ORDER BY id",
	    DB_VALUES(db_id(webhook)), &error);

	cr_assert(rows, "%s", error ? error->message : "");
	while (db_rows_next(rows)) {
		struct webhook_event event = {
		    .type = (enum store_webhook_type)db_rows_int(rows, 2),
		    .created = db_rows_int(rows, 4),
		};

		db_rows_id(rows, 0, &event.id);
		db_rows_id(rows, 1, &event.workspace_id);
		event.has_email = db_rows_id(rows, 3, &event.email_id);
		event.recipient = (int)db_rows_int(rows, 5);
		g_array_append_val(events, event);
	}
	struct webhook_event *told = (struct webhook_event *)(void *)events->data;
	cr_assert(webhook_payloads(service, told, events->len, &error), "%s",
	    error ? error->message : "");
	for (guint i = 0; i < events->len; i++) {
		hooks_print(&told[i], seen, text);
		g_free(told[i].payload);
	}
	return g_string_free(text, FALSE);
}

void
test_hooks_expect(
    struct service *service, const struct base_id *webhook, const char *name, const char *want)
{
	g_autofree char *got = test_hooks_told(service, webhook);

	cr_expect_str_eq(got, want, "%s: got\n%swant\n%s", name, got, want);
	hooks_run(service->db, "DELETE FROM webhook_delivery WHERE webhook_id = ?",
	    DB_VALUES(db_id(webhook)));
}
