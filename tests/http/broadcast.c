/* SPDX-License-Identifier: MIT */
#include "tests/http/broadcast.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <string.h>

#include "tests/http/audience.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"

char *
broadcast_ask(const struct fixture *fixture, const char *method, const char *path, const char *body,
    guint status, const char *place)
{
	const struct exchange exchange = {path, method, path, body, status};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return place ? g_strdup(answer_text(answer, place)) : NULL;
}

char *
broadcast_new(const struct fixture *fixture, const char *members)
{
	g_autofree char *body =
	    g_strdup_printf("{'from':'Ann <a@" FIXTURE_DOMAIN ">',%s}", members);
	g_autofree char *id = broadcast_ask(fixture, "POST", "/v1/broadcasts", body, 200, "id");
	g_autofree char *path = g_strconcat("/v1/broadcasts/", id, NULL);
	g_autofree char *send = g_strconcat(path, "/send", NULL);

	g_free(broadcast_ask(fixture, "POST", send, "{}", 200, NULL));
	return g_steal_pointer(&path);
}

const char *
broadcast_id(const char *path)
{
	return strrchr(path, '/') + 1;
}

struct arrival *
broadcast_message(const struct fixture *fixture, const char *path, const char *address)
{
	static const char sql[] = "SELECT r.email_id FROM broadcast_recipient r JOIN person p"
				  " ON p.id = r.person_id WHERE r.broadcast_id = ?"
				  " AND p.address = ?";
	struct base_id id, email;
	char part[ID_TEXT_SIZE];

	cr_assert(base_id_parse(broadcast_id(path), &id));
	AUTO(db_rows) rows =
	    db_select(fixture->db, sql, DB_VALUES(db_id(&id), db_text(address)), NULL);
	cr_assert(
	    rows && db_rows_next(rows) && db_rows_id(rows, DB_ROWS_ONLY, &email), "%s", address);
	base_id_format(&email, part);
	return arrival_wait_for(fixture, part, address);
}

void
broadcast_expect_header(const struct arrival *arrival, const char *name, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_autofree char *want = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	cr_expect_str_eq(arrival_header(arrival, name), want, "%s: got %s, want %s", name,
	    arrival_header(arrival, name), want);
}

char *
broadcast_audience(const struct fixture *fixture, const char *name, const char *contact)
{
	char *audience = audience_new(fixture, name);

	g_free(audience_add(fixture, audience, contact));
	return audience;
}
