/* SPDX-License-Identifier: MIT */
/* GET /v1/emails/{id}/message: the message that arrives, for those who may see it. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "store/email/email.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(email_message, 900);

static struct answer *
email_message_read_message(const char *id, const char *query)
{
	return audience_ask(fixture, "GET", NULL, "/v1/emails/%s/message%s", id, query);
}

static char *
without_returns(const char *text, gsize size)
{
	GString *lines = g_string_new_len(text, (gssize)size);

	g_string_replace(lines, "\r\n", "\n", 0);
	return g_string_free(lines, FALSE);
}

/* Whether the message that arrived ends in this one: only fields in front were added. */
static void
expect_arrived(const struct arrival *arrival, const struct answer *answer)
{
	gsize size;
	const char *bytes = g_bytes_get_data(arrival->bytes, &size);
	const char *text = answer_text(answer, "message");
	g_autofree char *came = without_returns(bytes, size);
	g_autofree char *shown = without_returns(text, strlen(text));

	cr_expect(g_str_has_suffix(came, shown), "arrived:\n%s\nshown:\n%s", came, shown);
	cr_expect(strstr(came, "DKIM-Signature:"));
	cr_expect_not(strstr(shown, "DKIM-Signature:"));
	cr_expect_eq(json_integer(answer_at(answer, "size")), (gint64)strlen(text));
}

Test(email_message, is_the_one_that_arrives)
{
	g_autofree char *id = email_send(fixture,
	    "'from':'Ann <a@example.com>','to':['b@example.net','c@example.net'],"
	    "'bcc':'secret@example.net','subject':'Gr\u00fc\u00dfe','html':'<p>{{x}}</p>',"
	    "'variables':{'x':'you'},'headers':{'X-Campaign':'spring'}");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	AUTO(answer) answer = email_message_read_message(id, "");
	const char *text = answer_text(answer, "message");

	cr_assert_eq(answer->status, 200u, "got %s", answer->body);
	cr_expect_null(answer_at(answer, "recipient"));
	cr_expect_not(json_boolean(answer_at(answer, "truncated")));
	cr_expect(strstr(text, "From: Ann <a@example.com>\r\n"), "got %s", text);
	cr_expect(strstr(text, "X-Campaign: spring\r\n"), "got %s", text);
	cr_expect_not(strstr(text, "secret"));
	expect_arrived(arrival, answer);
	AUTO(answer) second = email_message_read_message(id, "?recipient=C@example.net");
	cr_expect_str_eq(second->body, answer->body);
}

Test(email_message, of_tracked_emails_is_each_recipients_own)
{
	tracking_enable(fixture, true, true);
	g_autofree char *id = email_send(fixture,
	    "'to':['b@example.net','c@example.net'],"
	    "'html':'<p><a href=\\u0022https://x.example.org/\\u0022>x</a></p>'");
	AUTO(arrival) first = arrival_wait_for(fixture, id, "b@example.net");
	AUTO(arrival) second = arrival_wait_for(fixture, id, "c@example.net");
	AUTO(answer) one = email_message_read_message(id, "");
	AUTO(answer) two = email_message_read_message(id, "?recipient=c@example.net");

	cr_expect_str_eq(answer_text(one, "recipient"), "b@example.net");
	cr_expect_str_eq(answer_text(two, "recipient"), "c@example.net");
	expect_arrived(first, one);
	expect_arrived(second, two);
	cr_expect_str_neq(answer_text(one, "message"), answer_text(two, "message"));
}

static void
expect_gone(const char *id, const char *change, const char *column)
{
	g_autofree char *sql = g_strdup_printf(
	    "%s WHERE workspace_id = @workspace AND %s = UNHEX(REPLACE('%s', '-', ''))", change,
	    column, id);
	AUTO(answer) before = email_message_read_message(id, "");

	cr_expect_eq(before->status, 200u, "got %s", before->body);
	test_db_plain(fixture->db, sql);
	AUTO(answer) answer = email_message_read_message(id, "");
	cr_expect_eq(answer->status, 404u, "got %s", answer->body);
	cr_expect_str_eq(answer_text(answer, "message"), "Message not found");
}

Test(email_message, is_not_shown_to_all)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *secret = email_send(fixture, "'subject':'secret'"),
			*old = email_send(fixture, "'subject':'old'");
	g_autofree char *path = g_strconcat("/v1/emails/", old, "/message", NULL);
	g_autofree char *nobody = g_strconcat(path, "?recipient=nobody@example.net", NULL);
	g_autofree char *key = fixture_new_key(fixture, "send", NULL);
	g_autofree char *sender = g_strconcat("Authorization: Bearer ", key, NULL);
	const struct exchange exchanges[] = {
	    {"unknown", "GET", "/v1/emails/" UNKNOWN "/message", NULL, 404,
		"{'message':'Email not found'}"},
	    {"no id", "GET", "/v1/emails/x/message", NULL, 404, "{'message':'Email not found'}"},
	    {"nobody", "GET", nobody, NULL, 404, "{'message':'Recipient not found'}"},
	    {"scope", "GET", path, NULL, 403, .headers = {sender}},
	    {"method", "POST", path, "{}", 405},
	};
	EXPECT_ALL(fixture, exchanges);
	EXPECT_ALL(other, ((const struct exchange[]){{"of another", "GET", path, NULL, 404,
			      "{'message':'Email not found'}"}}));
	cr_assert_eq(TRACK_SECRET, 8);
	expect_gone(secret, "UPDATE email SET tracking = 8", "id");
	expect_gone(old, "DELETE FROM email_content", "email_id");
}

/* Reads the message of a new email with an attachment of so many bytes, and two headers that are
   so much longer. The caller owns the answer. */
static struct answer *
read_large(gsize attachment, gsize padding)
{
	g_autofree char *bytes = g_strnfill(attachment, 'x');
	g_autofree char *content = g_base64_encode((const guchar *)bytes, attachment);
	g_autofree char *one = g_strnfill(1 + padding / 2, '1');
	g_autofree char *two = g_strnfill(1 + (padding + 1) / 2, '2');
	g_autofree char *change = g_strdup_printf(
	    "'attachments':[{'filename':'a','content':'%s'}],'headers':{'X-A':'%s','X-B':'%s'}",
	    content, one, two);
	g_autofree char *id = email_send(fixture, change);

	return email_message_read_message(id, "");
}

static gint64
email_message_size_of(const struct answer *answer)
{
	return json_integer(answer_at(answer, "size"));
}

/* A line of base64 has 57 bytes in 78. */
Test(email_message, is_cut)
{
	const gsize base = 57 * 13000;
	AUTO(answer) small = read_large(base, 0);
	gint64 left = LIMIT_MESSAGE_SHOWN - email_message_size_of(small);

	cr_assert(left > 0, "got %" G_GINT64_FORMAT, left);
	gsize more = base + 57 * (gsize)(left / 78), padding = (gsize)(left % 78);
	AUTO(answer) fits = read_large(more, padding);
	AUTO(answer) past = read_large(more, padding + 1);
	cr_expect_eq(email_message_size_of(fits), LIMIT_MESSAGE_SHOWN, "got %" G_GINT64_FORMAT,
	    email_message_size_of(fits));
	cr_expect_not(json_boolean(answer_at(fits, "truncated")));
	cr_expect_eq(email_message_size_of(past), LIMIT_MESSAGE_SHOWN + 1);
	cr_expect(json_boolean(answer_at(past, "truncated")));
	cr_expect_eq(strlen(answer_text(fits, "message")), (gsize)LIMIT_MESSAGE_SHOWN);
	cr_expect_eq(strlen(answer_text(past, "message")), (gsize)LIMIT_MESSAGE_SHOWN);
}

Test(email_message, stays_when_the_domain_is_gone)
{
	g_autofree char *id = email_send(fixture, "'html':'<p>{{unsubscribe_url}}</p>'");
	AUTO(answer) before = email_message_read_message(id, "");

	cr_expect(strstr(answer_text(before, "message"), "\r\nList-Unsubscribe: "));
	test_db_plain(fixture->db, "DELETE FROM domain WHERE workspace_id = @workspace");
	AUTO(answer) after = email_message_read_message(id, "");
	cr_expect_eq(after->status, 200u, "got %s", after->body);
	cr_expect_not(strstr(answer_text(after, "message"), "(null)"));
}
