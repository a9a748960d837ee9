/* SPDX-License-Identifier: MIT */
/* Other settings, and the spool on demand, for tests that have the instance to themselves. */
#include "tests/http/alone.h"

#include <criterion/criterion.h>

#include "tests/http/email.h"

void
alone_set(const struct fixture *fixture, const char *const *settings)
{
	static const char *const usual[] = {"service.mode=", "smtp.port=", "smtp.final=",
	    "smtp.timeout=", "smtp.data_timeout=", "smtp.connect_timeout=", "limits.request_bytes=",
	    "limits.count_ms=", "limits.count_wait_ms=", "fetch.allow=", "resend.logs=", "log.to=",
	    "log.format=", "log.level=info", "log.addresses=", "log.socket=",
	    "service.mail_from_mx=", "service.spf=", "service.unknown_members=", "service.url=",
	    "service.trust_proxy=", "service.tracking_host=", "session.link=", "session.idle=",
	    "session.longest=", "session.attempts=", "retention.audit=", "mailings.pause_after=",
	    "mailings.pause_bounces=", "mailings.pause_complaints=", "mailings.rspamd=",
	    "mailings.spamc=", "spool.batch=", "spool.jobs=", "dns.servers=" TEST_NOBODY_TO_ASK};
	g_autoptr(GPtrArray) options = g_ptr_array_new();

	for (gsize i = 0; i < G_N_ELEMENTS(usual); i++) {
		g_ptr_array_add(options, (char *)"--set");
		g_ptr_array_add(options, (char *)usual[i]);
	}
	for (; *settings; settings++) {
		g_ptr_array_add(options, (char *)"--set");
		g_ptr_array_add(options, (char *)*settings);
	}
	g_ptr_array_add(options, NULL);
	test_instance_restart(fixture->instance, (const char *const *)options->pdata);
}

void
alone_use_relay(const struct fixture *fixture, guint port, const char *more)
{
	g_autofree char *setting = g_strdup_printf("smtp.port=%u", port);

	ALONE_SET(fixture, setting, "smtp.timeout=60", "smtp.final=no", more);
}

void
alone_spool(const struct fixture *fixture, gint64 later_ms)
{
	g_autofree char *now =
	    g_strdup_printf("%" G_GINT64_FORMAT, g_get_real_time() / 1000 + later_ms);

	g_free(TEST_RUN(fixture->instance, "posthouse-spool", "--once", "--now", now));
}

static void
alone_append(GString *text, const struct json *value)
{
	if (json_string(value, NULL))
		g_string_append_printf(text, " %s", json_string(value, NULL));
}

char *
alone_events(const struct fixture *fixture, const char *id, guint recipient)
{
	AUTO(answer) answer = email_get(fixture, id);
	g_autofree char *place = g_strdup_printf("recipient_statuses[%u].events", recipient);
	const struct json *events = answer_at(answer, place);
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(events); i++) {
		const struct json *event = json_array_at(events, i);
		g_string_append_printf(text, "%s%s", i > 0 ? "," : "",
		    json_string(json_member_get(event, "status"), NULL));
		alone_append(text, json_member_get(event, "smtp_response"));
		alone_append(text, json_member_get(event, "enhanced_code"));
		alone_append(text, json_member_get(event, "type"));
	}
	return g_string_free(text, FALSE);
}

void
alone_expect_events(const struct fixture *fixture, const char *name, const char *id,
    guint recipient, const char *want)
{
	g_autofree char *got = alone_events(fixture, id, recipient);

	cr_expect_str_eq(
	    got, want, "%s, recipient %u: got %s, want %s", name, recipient, got, want);
}
