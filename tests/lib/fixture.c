/* SPDX-License-Identifier: MIT */
/* An installation for one test. */
#include "tests/lib/fixture.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/settings.h"
#include "domain/domain.h"
#include "store/common/schema.h"
#include "store/email/event.h"
#include "store/workspace/user.h"
#include "store/workspace/workspace.h"
#include "tests/support/db.h"
#include "tests/support/figures.h"
#include "tests/support/settings.h"

static const char *
dir(void)
{
	return test_mariadb_dir(NULL);
}

static char *
proxy_path(void)
{
	return g_strdup_printf("%s/p%d", dir(), (int)getpid());
}

static void
read_settings(struct fixture *fixture, const char *more)
{
	g_autofree char *name = g_strdup_printf("core_%d", (int)getpid());
	g_autofree char *socket_path = fixture->proxy ? proxy_path() : test_mariadb_socket(NULL);
	guint port = fixture->relay ? smtp_server_port(fixture->relay) : 1;
	bool has_relays = more && strstr(more, "[relay ");
	g_autofree char *own = g_strdup_printf("port = %u\ntls = none\n", port);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
						"[smtp]\n%stimeout = 60\nconnect_timeout = 60\n%s",
	    socket_path, config_settings_text(fixture->database, SETTING_DATABASE_NAME),
	    has_relays ? "" : own, more ? more : "");

	fixture->settings = test_settings_load(dir(), name, text);
}

static void
populate(struct fixture *fixture)
{
	struct store_user user = {.email = "ann@example.com", .first_name = "Ann"};
	const guint8 hash[SHA256_SIZE] = {1};
	g_autoptr(GError) error = NULL;
	struct service *service = fixture->service;

	fixture->key.scope = KEY_FULL;
	bool done =
	    store_schema_migrate(fixture->db, NULL, NULL, &error) &&
	    service_ensure(service, &error) &&
	    store_workspace_create(service->db, "acme", NULL, &fixture->key.workspace_id, &error) &&
	    store_user_add(service->db, &fixture->key.workspace_id, &user, NULL, &error);
	fixture->key.user_id = user.id;
	done = done && store_key_create(service->db, &fixture->key, hash, "a key", 0, &error);
	cr_assert(done, "%s", error ? error->message : "");
	fixture->domain = domain_register(
	    service, &fixture->key.workspace_id, &user.id, "example.com", true, &error);
	cr_assert(fixture->domain, "%s", error ? error->message : "");
}

static void
close_core(struct fixture *fixture)
{
	g_clear_pointer(&fixture->service, service_close);
	g_clear_pointer(&fixture->relay, smtp_server_free);
	g_clear_pointer(&fixture->settings, config_settings_free);
}

static void
open_core(struct fixture *fixture, const struct smtp_script *script, const char *more)
{
	g_autoptr(GError) error = NULL;

	if (script)
		fixture->relay = smtp_server_start(script);
	read_settings(fixture, more);
	fixture->service = service_open(fixture->settings);
	cr_assert(service_ensure(fixture->service, &error), "%s", error ? error->message : "");
}

struct fixture *
fixture_open(const struct smtp_script *script, const char *more)
{
	struct fixture *fixture = g_new0(struct fixture, 1);
	g_autoptr(GError) error = NULL;

	fixture->database = test_mariadb_database(NULL, NULL);
	fixture->db = test_db_open(fixture->database);
	cr_assert(store_schema_migrate(fixture->db, NULL, NULL, &error), "%s",
	    error ? error->message : "");
	open_core(fixture, script, more);
	populate(fixture);
	return fixture;
}

void
fixture_renew(struct fixture *fixture, const struct smtp_script *script, const char *more)
{
	close_core(fixture);
	open_core(fixture, script, more);
}

void
fixture_use_proxy(struct fixture *fixture)
{
	g_autofree char *path = proxy_path();
	g_autofree char *target = test_mariadb_socket(NULL);

	fixture->proxy = test_proxy_start(path, target);
}

void
fixture_close(struct fixture *fixture)
{
	close_core(fixture);
	g_autofree char *differences =
	    fixture->is_altered ? NULL : test_figures_differ(fixture->db);
	/* An assertion that fails in the end of a suite does not fail the test. */
	if (differences)
		g_error("figures: %s", differences);
	g_clear_pointer(&fixture->proxy, test_proxy_stop);
	db_close(fixture->db);
	store_domain_free(fixture->domain);
	config_settings_free(fixture->database);
	g_free(fixture);
}

struct email_submission
fixture_submission(void)
{
	static const char *to[] = {"b@x.org", NULL};

	return (struct email_submission){
	    .from = "a@example.com", .to = to, .subject = "Hello", .html = "<p>Hello</p>"};
}

GArray *
fixture_attachments(const struct email_submission_attachment *attachments, guint count)
{
	GArray *array = g_array_new(FALSE, FALSE, sizeof(*attachments));

	return g_array_append_vals(array, attachments, count);
}

static void
fixture_add_event(const struct store_event *event, GString *lines)
{
	g_string_append_printf(lines, "%u %s", event->recipient, store_event_name(event->status));
	if (event->bounce_type != BOUNCE_NONE)
		g_string_append(
		    lines, event->bounce_type == BOUNCE_PERMANENT ? " Permanent" : " Transient");
	if (event->enhanced_code)
		g_string_append_printf(lines, " %s", event->enhanced_code);
	if (event->smtp_response)
		g_string_append_printf(lines, ": %s", event->smtp_response);
	g_string_append_c(lines, '\n');
}

char *
fixture_events(struct fixture *fixture, const struct base_id *email)
{
	GString *lines = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	g_autoptr(GPtrArray) events =
	    store_event_page(fixture->db, email, NULL, NULL, 10000, &error);
	cr_assert(events, "%s", error ? error->message : "");
	for (guint i = events->len; i > 0; i--)
		fixture_add_event(events->pdata[i - 1], lines);
	return g_string_free(lines, FALSE);
}

/* The step of the retry schedule that at is about, from now on. */
static char *
fixture_due(gint64 at)
{
	static const gint64 minutes[] = {1, 5, 15, 30, 60, 120, 240, 480};
	gint64 wait = at - base_clock_now();

	for (gsize i = 0; i < G_N_ELEMENTS(minutes); i++)
		if (ABS(wait - minutes[i] * 60000) <= minutes[i] * 6000 + 5000)
			return g_strdup_printf("in %" G_GINT64_FORMAT " min", minutes[i]);
	return wait <= 0 ? g_strdup("now") : g_strdup_printf("in %" G_GINT64_FORMAT " ms", wait);
}

static void
fixture_add_copy(GString *lines, struct db_rows *rows)
{
	gsize size;
	const guint8 *numbers = db_rows_bytes(rows, 0, &size);
	g_autofree char *when = !db_rows_is_null(rows, 3)  ? g_strdup("claimed")
				: db_rows_is_null(rows, 2) ? g_strdup("held")
							   : fixture_due(db_rows_int(rows, 2));

	for (gsize i = 0; i + 1 < size; i += 2)
		g_string_append_printf(
		    lines, "%s%d", i > 0 ? " " : "", numbers[i] << 8 | numbers[i + 1]);
	g_string_append_printf(
	    lines, ": %" G_GINT64_FORMAT " attempts, %s\n", db_rows_int(rows, 1), when);
}

char *
fixture_outbox(struct fixture *fixture)
{
	GString *lines = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	AUTO(db_rows) rows = db_select(fixture->db,
	    "SELECT recipients, attempts, ready_at, owner FROM outbox ORDER BY id", NULL, 0,
	    &error);

	cr_assert(rows, "%s", error ? error->message : "");
	while (db_rows_next(rows))
		fixture_add_copy(lines, rows);
	return g_string_free(lines, FALSE);
}

struct store_email *
fixture_email(struct fixture *fixture, const struct base_id *id)
{
	g_autoptr(GError) error = NULL;
	struct store_email *email =
	    store_email_get(fixture->db, &fixture->key.workspace_id, id, PART_ATTACHMENT, &error);

	cr_assert(email, "%s", error ? error->message : "");
	return email;
}
