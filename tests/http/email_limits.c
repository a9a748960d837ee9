/* SPDX-License-Identifier: MIT */
/* Each limit of an email: accepted at the limit, refused one past it. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/template.h"
#include "tests/http/email.h"

FIXTURE_SUITE(email_limits, 900);

/* piece repeated count times with commas between; {} becomes the number, from 0. */
static char *
email_limits_repeat(const char *piece, guint count)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		g_autoptr(GString) one = g_string_new(piece);
		g_autofree char *number = g_strdup_printf("%u", i);
		g_string_replace(one, "{}", number, 0);
		g_string_append_printf(text, "%s%s", i > 0 ? "," : "", one->str);
	}
	return g_string_free(text, FALSE);
}

/* Count times the letter. */
static char *
stretch(const char *letter, gsize count)
{
	GString *text = g_string_sized_new(strlen(letter) * count);

	for (gsize i = 0; i < count; i++)
		g_string_append(text, letter);
	return g_string_free(text, FALSE);
}

static char *
email_limits_put(const char *format, const char *text)
{
	g_auto(GStrv) parts = g_strsplit(format, "%", 2);

	return g_strconcat(parts[0], text, parts[1], NULL);
}

/* The first must be accepted, the second refused with want. Takes both. */
static void
email_limits_expect(const char *name, char *fits, char *over, const char *want)
{
	const struct refusal refusal = {name, over, want};
	AUTO(answer) answer = email_post(fixture, fits, NULL);

	cr_expect_eq(answer->status, 201, "%s, at the limit: got %u: %.300s", name, answer->status,
	    answer->body);
	email_refuse_all(fixture, &refusal, 1);
	g_free(fits);
	g_free(over);
}

/* letters of text in the place of % */
static const struct {
	const char *name, *format, *letter;
	gsize most; /* of them */
	const char *want;
} lengths[] = {
    {"from", "'from':'% <a@example.com>'", "n", LIMIT_FROM_LENGTH - 16,
	"from must be at most 100 characters"},
    {"from, multi-byte", "'from':'% <a@example.com>'", "\u5c71", LIMIT_FROM_LENGTH - 16,
	"from must be at most 100 characters"},
    {"subject", "'subject':'%'", "s", LIMIT_SUBJECT_LENGTH,
	"subject must be at most 100 characters"},
    {"subject, two bytes", "'subject':'%'", "\u00e9", LIMIT_SUBJECT_LENGTH,
	"subject must be at most 100 characters"},
    {"subject, four bytes", "'subject':'%'", "\U0001f600", LIMIT_SUBJECT_LENGTH,
	"subject must be at most 100 characters"},
    {"subject, escaped", "'subject':'%'", "\\ud83d\\ude00", LIMIT_SUBJECT_LENGTH,
	"subject must be at most 100 characters"},
    {"to", "'to':'b@example.net%'", " ", LIMIT_ADDRESS_LIST_BYTES - 13,
	"to must be at most 65536 bytes"},
    {"cc, joined", "'cc':['b@example.net','c@example.net%']", " ", LIMIT_ADDRESS_LIST_BYTES - 28,
	"cc must be at most 65536 bytes"},
    {"bcc", "'bcc':'b@example.net%'", " ", LIMIT_ADDRESS_LIST_BYTES - 13,
	"bcc must be at most 65536 bytes"},
    {"reply_to", "'reply_to':'b@example.net%'", " ", LIMIT_ADDRESS_LIST_BYTES - 13,
	"reply_to must be at most 65536 bytes"},
    {"filename", "'attachments':[{'filename':'%','content':''}]", "\u00e9", LIMIT_FILENAME_LENGTH,
	"attachments[0].filename must be at most 255 characters"},
    {"content_type", "'attachments':[{'filename':'a','content':'','content_type':'text/%'}]", "x",
	LIMIT_CONTENT_TYPE_LENGTH - 5,
	"attachments[0].content_type must be at most 127 characters"},
    {"content_id", "'attachments':[{'filename':'a','content':'','content_id':'%'}]", "x",
	LIMIT_CONTENT_ID_LENGTH, "attachments[0].content_id must be 1 to 128 characters"},
    {"header name", "'headers':{'%':'x'}", "X", LIMIT_HEADER_NAME_LENGTH,
	"headers.XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX must "
	"have "
	"a name of 1 to 76 printable ASCII characters without a colon"},
    {"header value", "'headers':{'X-A':'%'}", "\u00e9", LIMIT_HEADER_VALUE_LENGTH,
	"headers.X-A must be at most 998 characters"},
    {"tag", "'tags':{'a':'%'}", "\u00e9", LIMIT_TAG_LENGTH,
	"tags.a must be at most 256 characters, in name and value"},
    {"local part", "'to':'%@example.net'", "b", LIMIT_LOCAL_PART_BYTES,
	"to must be a valid email address: "
	"\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb@example.net\" has a "
	"local "
	"part (before the @) of more than 64 bytes"},
    {"name of an address", "'to':'% <b@example.net>'", "\u5c71", LIMIT_ADDRESS_NAME_LENGTH,
	"to must not have a name of more than 256 characters"},
};

Test(email_limits, of_lengths)
{
	for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
		g_autofree char *most = stretch(lengths[i].letter, lengths[i].most);
		g_autofree char *more = stretch(lengths[i].letter, lengths[i].most + 1);
		email_limits_expect(lengths[i].name, email_limits_put(lengths[i].format, most),
		    email_limits_put(lengths[i].format, more), lengths[i].want);
	}
}

static const struct {
	const char *name, *format, *piece;
	guint most;
	const char *want;
} counts[] = {
    {"to", "'to':[%]", "'b{}@example.net'", LIMIT_RECIPIENTS, "to must have at most 50 addresses"},
    {"to, one list", "'to':'%'", "b{}@example.net", LIMIT_RECIPIENTS,
	"to must have at most 50 addresses"},
    {"to, lists in an array", "'to':[%]", "'b{}@example.net,c{}@example.net'", LIMIT_RECIPIENTS / 2,
	"to must have at most 50 addresses"},
    {"to, all the same", "'to':[%]", "'b@example.net'", LIMIT_RECIPIENTS,
	"to must have at most 50 addresses"},
    {"cc", "'cc':[%]", "'b{}@example.net'", LIMIT_RECIPIENTS, "cc must have at most 50 addresses"},
    {"bcc", "'bcc':'%'", "b{}@example.net", LIMIT_RECIPIENTS, "bcc must have at most 50 addresses"},
    {"reply_to", "'reply_to':[%]", "'b{}@example.net'", LIMIT_RECIPIENTS,
	"reply_to must have at most 50 addresses"},
    {"variables", "'variables':{%}", "'v{}':{}", LIMIT_VARIABLES,
	"variables must have at most 100 properties"},
    {"attachments", "'attachments':[%]", "{'filename':'a{}','content':'YQ=='}", LIMIT_ATTACHMENTS,
	"Too many attachments: 11. Max is 10"},
    {"headers", "'headers':{%}", "'X-{}':'x'", LIMIT_HEADERS,
	"headers must have at most 25 properties"},
    {"tags", "'tags':{%}", "'t{}':'x'", LIMIT_TAGS, "tags must have at most 10 properties"},
};

Test(email_limits, of_counts)
{
	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autofree char *most = email_limits_repeat(counts[i].piece, counts[i].most);
		g_autofree char *more = email_limits_repeat(counts[i].piece, counts[i].most + 1);
		email_limits_expect(counts[i].name, email_limits_put(counts[i].format, most),
		    email_limits_put(counts[i].format, more), counts[i].want);
	}
}

/* Each list may be full. */
Test(email_limits, of_recipients_stand_alone)
{
	g_autofree char *to = email_limits_repeat("'b{}@example.net'", LIMIT_RECIPIENTS);
	g_autofree char *cc = email_limits_repeat("'c{}@example.net'", LIMIT_RECIPIENTS);
	g_autofree char *bcc = email_limits_repeat("'d{}@example.net'", LIMIT_RECIPIENTS);
	g_autofree char *change = g_strdup_printf("'to':[%s],'cc':[%s],'bcc':[%s]", to, cc, bcc);
	g_autofree char *id = email_send(fixture, change);
	AUTO(answer) answer = email_get(fixture, id);

	cr_expect_eq(json_array_length(answer_at(answer, "recipient_statuses")),
	    3 * LIMIT_RECIPIENTS, "got %s", answer->body);
}

/* The count is right far past the limit, too. */
Test(email_limits, name_the_number_of_attachments)
{
	g_autofree char *many = email_limits_repeat("{}", 1000);
	g_autofree char *change = g_strdup_printf("'attachments':[%s]", many);
	const struct refusal refusals[] = {
	    {"a thousand", change, "Too many attachments: 1000. Max is 10"}};

	REFUSE_ALL(fixture, refusals);
}

Test(email_limits, of_bodies)
{
	g_autofree char *html = stretch("x", LIMIT_HTML_BYTES);
	g_autofree char *text = stretch("y", LIMIT_TEXT_BYTES);
	g_autofree char *wide = stretch("\u00e9", LIMIT_TEXT_BYTES / 2);

	email_limits_expect("html", email_limits_put("'html':'%'", html),
	    email_limits_put("'html':'%x'", html), "html must be at most 40MB");
	email_limits_expect("text", email_limits_put("'text':'%'", text),
	    email_limits_put("'text':'%y'", text), "text must be at most 10MB");
	email_limits_expect("text, bytes count", email_limits_put("'text':'%'", wide),
	    email_limits_put("'text':'%y'", wide), "text must be at most 10MB");
}

/* Ten files whose contents are all together of this size. */
static char *
attachments_of(gsize size)
{
	GString *text = g_string_new("'attachments':[");

	for (guint i = 0; i < LIMIT_ATTACHMENTS; i++) {
		gsize part = i < LIMIT_ATTACHMENTS - 1 ? size / LIMIT_ATTACHMENTS
						       : size - size / LIMIT_ATTACHMENTS * i;
		g_autofree char *bytes = g_strnfill(part, (char)('a' + i));
		g_autofree char *encoded = g_base64_encode((const guchar *)bytes, part);
		g_string_append_printf(
		    text, "%s{'filename':'f%u','content':'%s'}", i > 0 ? "," : "", i, encoded);
	}
	g_string_append_c(text, ']');
	return g_string_free(text, FALSE);
}

Test(email_limits, of_attachments)
{
	email_limits_expect("attachments", attachments_of(LIMIT_ATTACHMENTS_BYTES),
	    attachments_of(LIMIT_ATTACHMENTS_BYTES + 1),
	    "Total attachments size exceeds maximum of 40MB");
}

/* The size of all variables, and of a body and a subject with their values. */
Test(email_limits, of_variables)
{
	g_autofree char *room = stretch("v", LIMIT_VARIABLES_BYTES - strlen("{\"a\":\"\"}"));
	g_autofree char *line = stretch("v", LIMIT_RENDERED_SUBJECT_BYTES);
	g_autofree char *value = stretch("v", LIMIT_RENDERED_BYTES / 64);
	g_autofree char *swollen = stretch("{{a}}", 64);

	email_limits_expect("variables", email_limits_put("'variables':{'a':'%'}", room),
	    email_limits_put("'variables':{'a':'%v'}", room), "variables must be at most 8MB");
	email_limits_expect("subject",
	    email_limits_put("'subject':'{{a}}','variables':{'a':'%'}", line),
	    email_limits_put("'subject':'{{a}}','variables':{'a':'%v'}", line),
	    "subject must be at most 65536 bytes with its variables filled in");
	g_autofree char *html =
	    g_strdup_printf("'html':'%s','variables':{'a':'%s'}", swollen, value);
	g_autofree char *more =
	    g_strdup_printf("'html':'%sx','variables':{'a':'%s'}", swollen, value);
	g_autofree char *text =
	    g_strdup_printf("'text':'%sx','variables':{'a':'%s'}", swollen, value);
	const struct refusal refusals[] = {
	    {"html", more, "html: with its variables filled in it is larger than 64 MB", 413},
	    {"text", text, "text: with its variables filled in it is larger than 64 MB", 413},
	};
	g_free(email_send(fixture, html));
	REFUSE_ALL(fixture, refusals);
}

Test(email_limits, of_the_schedule)
{
	gint64 limit = g_get_real_time() / 1000 + LIMIT_SCHEDULE_MS;

	email_limits_expect("scheduled_at",
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, limit - 5000),
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, limit + 60000),
	    "scheduled_at must be at most 30 days ahead");
}
