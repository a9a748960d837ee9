/* SPDX-License-Identifier: MIT */
/* DELETE /v1/emails/{id}: what is scheduled is taken back, and nothing else. */
#include <criterion/criterion.h>

#include "json/value.h"
#include "tests/http/email.h"

TENANT_SUITE(email_cancel, 120);

static void
expect(const char *name, const char *id, guint status, const char *body)
{
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchange = {name, "DELETE", path, NULL, status, body};

	answer_free(exchange_expect(tenant, &exchange));
}

static char *
schedule(void)
{
	g_autofree char *later =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);

	return email_send(tenant, later);
}

/* When it was taken back, as GET says; 0 for null. */
static gint64
cancelled(const char *id)
{
	AUTO(answer) answer = email_get(tenant, id);
	const struct json *value = answer_at(answer, "cancelled");

	return json_kind(value) == JSON_NULL ? 0 : json_integer(value);
}

Test(email_cancel, takes_back_what_is_scheduled)
{
	g_autofree char *id = schedule(), *other = schedule();
	gint64 before = g_get_real_time() / 1000;

	cr_expect_eq(cancelled(id), 0);
	expect("scheduled", id, 200, "{'message':'Email cancelled'}");
	gint64 time = cancelled(id);
	cr_expect(time >= before && time <= g_get_real_time() / 1000, "got %d ms after",
	    (int)(time - before));
	expect("twice", id, 409, "{'message':'Email is cancelled already'}");
	cr_expect_eq(cancelled(id), time);
	expect("another", other, 200, "{'message':'Email cancelled'}");
}

Test(email_cancel, refuses_all_else)
{
	g_autofree char *sent = email_send(tenant, NULL);
	g_autofree char *overdue = email_send(tenant, "'scheduled_at':1000");

	expect("sent", sent, 409, "{'message':'Email is not scheduled'}");
	expect("overdue", overdue, 409, "{'message':'Email is not scheduled'}");
	expect("unknown", "01890a5d-ac96-774b-bcce-b302099a8057", 404,
	    "{'message':'Email not found'}");
	expect("no id", "x", 404, "{'message':'Email not found'}");
}
