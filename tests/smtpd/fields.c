/* SPDX-License-Identifier: MIT */
/* Tests the header fields that steer, and what stays of the message. */
#include "smtpd/fields.h"

#include <criterion/criterion.h>
#include <string.h>

#include "json/value.h"
#include "json/writer.h"

static const struct {
	const char *name, *given, *stays, *tags;
} cases[] = {
    {"none", "A: b\r\n\r\nX-PM-Tag: x\r\n", "A: b\r\n\r\nX-PM-Tag: x\r\n", NULL},
    {"first and last", "X-PM-Tag: a\r\nA: b\r\nx-pm-tag:b\r\n\r\nx", "A: b\r\n\r\nx",
	"{\"tag\":\"a\",\"tag2\":\"b\"}"},
    {"LF alone", "X-PM-Tag: a\nA: b\n c\n\nx", "A: b\n c\n\nx", "{\"tag\":\"a\"}"},
    {"CR alone", "X-PM-Tag: a\rA: b\r\rx", "A: b\r\rx", "{\"tag\":\"a\"}"},
    {"folded", "A: b\r\nX-PM-Tag:\r\n\ta\r\n b\r\nC: d\r\n\r\n", "A: b\r\nC: d\r\n\r\n",
	"{\"tag\":\"a b\"}"},
    {"a blank before the colon", "X-PM-Tag : a\r\n\r\nx", "\r\nx", "{\"tag\":\"a\"}"},
    {"no field ends the header", "A: b\r\nbody\r\nX-PM-Tag: a\r\n",
	"A: b\r\nbody\r\nX-PM-Tag: a\r\n", NULL},
    {"mbox", "From x\r\nX-PM-Tag: a\r\n\r\n", "From x\r\n\r\n", "{\"tag\":\"a\"}"},
    {"no end", "X-PM-Tag: a", "", "{\"tag\":\"a\"}"},
    {"encoded words",
	"X-PM-Tag: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nX-SMTPAPI: =?utf-8?b?eyJ1bmlxdWVfYXJncyI6?=\r\n"
	" =?utf-8?b?eyJhIjoiw6QifX0=?=\r\nX-Mailgun-Tag: a=?b\r\n\r\n",
	"\r\n", "{\"tag\":\"Grüße\",\"a\":\"ä\",\"tag2\":\"a=?b\"}"},
    {"a name twice", "X-Posthouse-Tag: a=1\r\nX-Posthouse-Tag: a=2\r\n", "", "{\"a\":\"1\"}"},
    {"a taken name", "X-Posthouse-Tag: tag=1\r\nX-PM-Tag: 2\r\nX-PM-Tag: 3\r\n", "",
	"{\"tag\":\"1\",\"tag2\":\"2\",\"tag3\":\"3\"}"},
    {"ten count", "X-SES-MESSAGE-TAGS: a=1,b=2,c=3,d=4,e=5,f=6,g=7,h=8,i=9,j=10,k=11\r\n", "",
	"{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\",\"d\":\"4\",\"e\":\"5\",\"f\":\"6\",\"g\":\"7\","
	"\"h\":\"8\",\"i\":\"9\",\"j\":\"10\"}"},
};

Test(fields, are_read_and_taken_out)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtpd_fields fields;
		g_autoptr(GError) error = NULL;

		cr_assert(
		    smtpd_fields_read(cases[i].given, strlen(cases[i].given), &fields, &error),
		    "%s", cases[i].name);
		g_autofree char *tags = fields.tags ? json_print(fields.tags) : NULL;
		g_autofree char *stays =
		    g_strndup((const char *)fields.message->data, fields.message->len);
		cr_expect_str_eq(stays, cases[i].stays, "%s: got %s", cases[i].name, stays);
		cr_expect_eq(g_strcmp0(tags, cases[i].tags), 0, "%s: got %s", cases[i].name, tags);
		smtpd_fields_clear(&fields);
	}
}

Test(fields, name_a_time_and_keys)
{
	static const char given[] = "X-Mailgun-Deliver-By: Fri, 14 Oct 2033 23:10:10 +0200\r\n"
				    "Message-ID: <a@b>\r\nIdempotency-Key: k\r\n\r\n";
	struct smtpd_fields fields;

	cr_assert(smtpd_fields_read(given, strlen(given), &fields, NULL));
	cr_expect_eq(
	    fields.scheduled_at, 2012937010000, "got %" G_GINT64_FORMAT, fields.scheduled_at);
	cr_expect_str_eq(fields.message_id, "<a@b>");
	cr_expect_str_eq(fields.key, "k");
	smtpd_fields_clear(&fields);
}

Test(fields, name_a_time_in_seconds)
{
	static const struct {
		const char *value;
		gint64 want; /* -1: refused */
	} times[] = {
	    {"1797000000", 1797000000000},
	    {"\"1797000000\"", 1797000000000},
	    {"null", 0},
	    {"-5", 1},
	    {"9223372036854775807", G_MAXINT64 / 1000 * 1000},
	    {"\"tomorrow\"", -1},
	    {"\"\"", -1},
	    {"1.5", -1},
	    {"true", -1},
	    {"{}", -1},
	    {"[1797000000]", -1},
	};

	for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
		g_autofree char *given =
		    g_strdup_printf("X-SMTPAPI: {\"send_at\":%s}\r\n\r\n", times[i].value);
		struct smtpd_fields fields;
		g_autoptr(GError) error = NULL;
		bool ok = smtpd_fields_read(given, strlen(given), &fields, &error);

		cr_expect_eq(ok, times[i].want >= 0, "%s", times[i].value);
		cr_expect(!ok || fields.scheduled_at == times[i].want, "%s: got %" G_GINT64_FORMAT,
		    times[i].value, fields.scheduled_at);
		cr_expect(ok || strcmp(error->message,
				    "send_at of X-SMTPAPI must be a time in seconds") == 0,
		    "%s: got %s", times[i].value, ok ? "" : error->message);
		smtpd_fields_clear(&fields);
	}
}
