/* SPDX-License-Identifier: MIT */
/* Makes people and broadcasts to them, and tells what became of these. */
#include "tests/spool/mailing.h"

#include <criterion/criterion.h>
#include <string.h>

#include "db/connection.h"
#include "json/strict.h"
#include "segment/segment.h"
#include "service/service.h"
#include "store/consent/agreement.h"
#include "tests/support/db.h"

#define HTML                                                                                       \
	"<p>Hello {{first_name|you}} of {{city|nowhere}}<a href='{{unsubscribe_url}}'>-</a>"       \
	"<a href='https://shop.example/?who={{first_name}}'>shop</a>"

void
mailing_sql(struct depot *depot, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *sql = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	cr_assert(db_ensure(depot->house->db, NULL));
	test_db_plain(depot->house->db, sql);
}

gint64
mailing_number(struct depot *depot, const char *sql)
{
	cr_assert(db_ensure(depot->house->db, NULL));
	return test_db_number(depot->house->db, sql);
}

void
mailing_audience(struct depot *depot, const char *id)
{
	mailing_sql(depot,
	    "INSERT INTO audience (id, workspace_id, name, created, updated)"
	    " SELECT UNHEX(REPLACE('%s', '-', '')), id, 'A', 1, 1 FROM workspace LIMIT 1",
	    id);
}

void
mailing_people(struct depot *depot, const char *audience, guint from, guint to)
{
	mailing_sql(depot,
	    "INSERT IGNORE INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated, agreed, "
	    "first_name,"
	    " last_name) SELECT UNHEX(LPAD(HEX(seq + 256), 32, '0')), " WORKSPACE
	    ", CONCAT('U', seq, '@example.net'), CONCAT('u', seq, '@example.net'),"
	    " CONCAT('{\"city\":\"C', seq, '\"}'), 0, 0, '', 0, 0, 0, 1, 1, %d, CONCAT('F', seq),"
	    " 'Last' FROM seq_%u_to_%u",
	    audience ? AGREEMENT_JOINED : AGREEMENT_SAID, from, to);
	if (!audience)
		return;
	mailing_sql(depot,
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated) SELECT UNHEX(REPLACE('%s', '-', '')),"
	    " CONCAT('u', seq, '@example.net'), RANDOM_BYTES(16), " WORKSPACE
	    ", '', 1, 1, 1 FROM seq_%u_to_%u",
	    audience, from, to);
}

struct base_id
mailing_segment(struct depot *depot, const char *rule)
{
	g_autofree char *rules = g_strdup_printf("{\"match\":\"all\",\"rules\":[%s]}", rule);
	g_autoptr(GError) error = NULL;

	cr_assert(service_ensure(depot->house->service, &error));
	AUTO(store_segment)
	segment =
	    segment_create(depot->house->service, &depot->house->workspace, "S", rules, &error);
	cr_assert(segment, "%s", error ? error->message : "");
	return segment->id;
}

struct base_id
mailing_send(struct depot *depot, const char *audiences, const char *more)
{
	const struct broadcast_time now = {.scheduled_at = 0};

	return mailing_send_at(depot, audiences, more, &now);
}

struct base_id
mailing_send_at(
    struct depot *depot, const char *audiences, const char *more, const struct broadcast_time *time)
{
	struct service *service = depot->house->service;
	g_autoptr(GError) error = NULL;
	g_autofree char *text = g_strdup_printf(
	    "{\"from\":\"Ann <a@example.org>\",\"subject\":\"To {{contact.first_name}}\"%s,"
	    "\"audiences\":[%s]%s}",
	    g_str_has_prefix(more, ",\"html\"") ? "" : ",\"html\":\"" HTML "\"", audiences, more);
	AUTO(json) body = json_parse(text, strlen(text), &error);
	struct base_id id;

	cr_assert(
	    body && service_ensure(service, &error) &&
		broadcast_create(service, &depot->house->workspace, body, NULL, &id, &error) &&
		broadcast_send(service, &depot->house->workspace, &id, time, &error),
	    "%s", error ? error->message : "");
	return id;
}

char *
mailing_state(struct depot *depot, const struct base_id *id)
{
	cr_assert(service_ensure(depot->house->service, NULL));
	AUTO(store_broadcast)
	b = store_broadcast_get(depot->house->db, &depot->house->workspace, id, NULL);
	cr_assert(b);
	return g_strdup_printf("%s %d: %d excluded, %d sent, %d skipped, %d failed, %d cancelled",
	    store_broadcast_status_name(b->status), (int)b->counts.recipients,
	    (int)b->counts.excluded, (int)b->counts.sent, (int)b->counts.skipped,
	    (int)b->counts.failed, (int)b->counts.cancelled);
}

void
mailing_expect(struct depot *depot, const struct base_id *id, const char *want)
{
	g_autofree char *got = mailing_state(depot, id);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

guint
mailing_count(struct depot *depot, const char *text)
{
	guint found = 0;

	for (guint i = 0; i < smtp_server_count(depot->relay); i++)
		found += strstr(smtp_server_mail(depot->relay, i)->bytes->str, text) != NULL;
	return found;
}
