/* SPDX-License-Identifier: MIT */
#include "tests/spool/telling.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "store/webhook/claim.h"
#include "tests/support/db.h"

#define SETTINGS "[smtp]\ntls = none\n[fetch]\nallow = 127.0.0.0/8\n[dns]\nservers = 127.0.0.1:9\n"

struct test_house *
telling_house(void)
{
	return test_house_open(NULL, SETTINGS);
}

GBytes *
telling_seal(const struct test_house *house, const struct base_id *id, const char *key)
{
	g_autoptr(GBytes) plain = g_bytes_new_static(key, 32);

	return base_secret_encrypt(config_settings_secret(house->settings), plain, id, sizeof(*id));
}

void
telling_must(bool done, const GError *error)
{
	cr_assert(done, "%s", error ? error->message : "");
}

static struct base_id
add_webhook_at(struct test_house *house, const char *url, bool batch)
{
	static const char sql[] =
	    "INSERT INTO webhook (id, workspace_id, url, events, enabled, batch, description,"
	    " created, secret) VALUES (?, ?, ?, 0, 1, ?, '', ?, ?)";
	struct base_id id = base_id_new();
	g_autoptr(GBytes) secret = telling_seal(house, &id, KEY);
	g_autoptr(GError) error = NULL;
	gsize size;
	const void *bytes = g_bytes_get_data(secret, &size);

	telling_must(db_run(house->db, sql,
			 DB_VALUES(db_id(&id), db_id(&house->workspace), db_text(url),
			     db_int(batch), db_int(NOW), db_bytes(bytes, size)),
			 NULL, &error),
	    error);
	return id;
}

struct base_id
telling_webhook(struct test_house *house, struct receiver *receiver, bool batch)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%u/hook?a=1", receiver_port(receiver));

	return add_webhook_at(house, url, batch);
}

struct base_id
telling_event(struct test_house *house, const struct base_id *webhook, const struct base_id *email,
    gint64 at, guint number)
{
	static const char event[] =
	    "INSERT INTO webhook_event (id, workspace_id, created, type, data)"
	    " VALUES (?, ?, ?, 13, ?)";
	static const char delivery[] =
	    "INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type, email_id,"
	    " created, status, attempts, next_attempt) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0, ?)";
	static guint made;
	struct base_id id = base_id_at(at), told;
	g_autofree char *data = g_strdup_printf("{\"number\":%u}", number);
	g_autoptr(GError) error = NULL;

	/* If two events have the same time, the later one has the greater id. */
	made++;
	id.bytes[6] = (guint8)(0x70 | (made >> 8 & 15));
	id.bytes[7] = (guint8)made;
	/* As WEBHOOK_DELIVERY_ID has it. */
	told = id;
	memcpy(told.bytes + 14, webhook->bytes + 14, 2);
	telling_must(
	    db_run(house->db, event,
		DB_VALUES(db_id(&id), db_id(&house->workspace), db_int(at), db_text(data)), NULL,
		&error) &&
		db_run(house->db, delivery,
		    DB_VALUES(db_id(webhook), db_id(&told), db_id(&house->workspace), db_id(&id),
			db_int(WEBHOOK_CONTACT_CREATED), db_id(email), db_int(at), db_int(at)),
		    NULL, &error),
	    error);
	return id;
}

void
telling_events(struct test_house *house, const struct base_id *webhook, gint64 at, guint count)
{
	for (guint i = 0; i < count; i++)
		telling_event(house, webhook, NULL, at, i);
}

struct test_program *
telling_start(struct test_house *house, gint64 now, const char *jobs)
{
	g_autofree char *time = g_strdup_printf("--now=%" G_GINT64_FORMAT, now);
	const char *const argv[] = {
	    "posthouse-spool", "--config", house->config, "--once", "--jobs", jobs, time, NULL};

	return test_program_start(argv, NULL, -1, -1);
}

void
telling_run(struct test_house *house, gint64 now)
{
	AUTO(test_program) program = telling_start(house, now, "1");
	int status = test_program_wait(program, END_MS);
	g_autofree char *log = test_program_log(program);

	cr_assert_eq(status, 0, "%d: %s", status, log);
}

void
telling_expect(struct test_house *house, const char *name, const char *sql, gint64 want)
{
	gint64 got = test_db_number(house->db, sql);

	cr_expect_eq(got, want, "%s: %s: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, name,
	    sql, got, want);
}

char *
telling_say_in_turn(guint number, const struct receiver_request *request, void *data)
{
	const guint *statuses = data;
	guint i = 0;

	while (i < number && statuses[i + 1] != 0)
		i++;
	return receiver_say(statuses[i], "said");
}
