/* SPDX-License-Identifier: MIT */
/* Fills an outbox, and runs posthouse-spool. */
#include "tests/spool/depot.h"

#include <criterion/criterion.h>

#include "email/submission.h"
#include "submit/submit.h"
#include "tests/support/db.h"

#define END_MS 240000

struct depot *
depot_open(const struct test_mariadb *server, const struct smtp_script *script, guint batch)
{
	struct depot *depot = g_new0(struct depot, 1);

	depot->relay = smtp_server_start(script);
	g_autofree char *more =
	    g_strdup_printf("[smtp]\nport = %u\ntls = none\ntimeout = 600\n[spool]\nbatch = %u\n"
			    "[service]\nmode = spool\nurl = https://mail.example.org\n",
		smtp_server_port(depot->relay), batch);
	depot->house = test_house_open(server, more);
	test_house_domain(depot->house, "example.org");
	return depot;
}

void
depot_close(struct depot *depot)
{
	test_house_close(depot->house);
	smtp_server_free(depot->relay);
	g_free(depot);
}

static void
spool_depot_submit(struct depot *depot, const char *address, guint count, gint64 at)
{
	const char *to[] = {address, NULL};
	const struct email_submission submission = {
	    .from = "a@example.org", .to = to, .subject = "S", .html = "<p>Hi", .scheduled_at = at};

	for (guint i = 0; i < count; i++) {
		g_autoptr(GError) error = NULL;
		struct service *service = depot->house->service;
		struct submit_sending *sending = submit_send_check(
		    service, &depot->house->workspace, &submission, NULL, false, &error);
		AUTO(service_once) request = sending ? &sending->request : NULL;

		cr_assert(request && service_once_store_one(service, request, &error), "%s",
		    error ? error->message : "");
	}
}

void
depot_submit(struct depot *depot, guint count, gint64 at)
{
	spool_depot_submit(depot, "b@example.net", count, at);
}

void
depot_submit_to(struct depot *depot, const char *address, guint count)
{
	spool_depot_submit(depot, address, count, 0);
}

static gint64
depot_count_of(struct depot *depot, const char *sql)
{
	g_autoptr(GError) error = NULL;

	cr_assert(db_ensure(depot->house->db, &error), "%s", error ? error->message : "");
	return test_db_number(depot->house->db, sql);
}

gint64
depot_left(struct depot *depot)
{
	return depot_count_of(depot, "SELECT COUNT(*) FROM outbox");
}

gint64
depot_claimed(struct depot *depot)
{
	return depot_count_of(depot, "SELECT COUNT(*) FROM outbox WHERE owner IS NOT NULL");
}

static void
depot_wait_for(struct depot *depot, gint64 (*count_now)(struct depot *depot), gint64 want)
{
	gint64 end = g_get_monotonic_time() + 240 * G_USEC_PER_SEC;

	while (count_now(depot) != want) {
		cr_assert(g_get_monotonic_time() < end, "there are %d, want %d",
		    (int)count_now(depot), (int)want);
		g_usleep(2000);
	}
}

static gint64
decided(struct depot *depot)
{
	return depot_count_of(
	    depot, "SELECT COUNT(*) FROM outbox WHERE reason IS NOT NULL OR attempts > 0");
}

void
depot_wait_decided(struct depot *depot, gint64 count)
{
	depot_wait_for(depot, decided, count);
}

void
depot_wait_left(struct depot *depot, gint64 count)
{
	depot_wait_for(depot, depot_left, count);
}

void
depot_wait_claimed(struct depot *depot, gint64 count)
{
	depot_wait_for(depot, depot_claimed, count);
}

struct test_program *
depot_start(struct depot *depot, const char *const *arguments)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *config = g_strconcat("POSTHOUSE_CONFIG=", depot->house->config, NULL);
	const char *environment[] = {config, NULL};

	g_ptr_array_add(argv, (char *)"posthouse-spool");
	for (; *arguments; arguments++)
		g_ptr_array_add(argv, (char *)*arguments);
	g_ptr_array_add(argv, NULL);
	return test_program_start((const char *const *)argv->pdata, environment, -1, -1);
}

int
depot_run(struct depot *depot, const char *const *arguments)
{
	AUTO(test_program) program = depot_start(depot, arguments);

	return test_program_wait(program, END_MS);
}
