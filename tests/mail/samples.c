/* SPDX-License-Identifier: MIT */
/* Messages for readers other than ours. */
#include "tests/mail/samples.h"

#include <string.h>

#include "mail/address.h"

#define NIHONGO "\346\227\245\346\234\254\350\252\236"
#define NIHONGOS NIHONGO NIHONGO NIHONGO NIHONGO NIHONGO NIHONGO NIHONGO NIHONGO NIHONGO NIHONGO
#define LONG_WORD "longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong"
#define ATTACHMENT(name, type, id, bytes)                                                          \
	{                                                                                          \
		.filename = name, .content_type = type, .content_id = id, .data = bytes,           \
		.size = sizeof(bytes) - 1                                                          \
	}

const struct sample samples[] = {
    {"composed-plain", "Ann", "Hello", "Hello, Bob.\r\n\r\nBye.\r\n", NULL, {{0}}, 0},
    {"composed-alternative", "Lee, \"Ann\"",
	"Gr\303\274\303\237e aus K\303\266ln, \342\202\254 5 = 5?",
	"Sch\303\266n  \r\n.\r\nFrom here\r\n--=_x\r\n", "<p>Sch\303\266n = gut</p>\r\n", {{0}}, 0},
    {"composed-base64", "\345\261\261\347\224\260", NIHONGOS NIHONGOS, NIHONGOS "\r\n" NIHONGOS,
	"<p>" NIHONGOS NIHONGOS "</p>", {{0}}, 0},
    {"composed-all", "J\303\274rgen \360\237\230\200", "=?utf-8?q?literally?= " LONG_WORD LONG_WORD,
	"a", "<img src=\"cid:logo@example.com\">",
	{
	    ATTACHMENT("logo.png", "image/png", "logo@example.com", "\211PNG\r\n\032\n\0x"),
	    ATTACHMENT("r\303\251sum\303\251, \"final\" and with quite a long name \303\244\303\266"
		       "\303\274 " NIHONGOS ".pdf",
		"application/pdf", NULL, "%PDF-1.4\n\377\n"),
	    ATTACHMENT("table.csv", "text/csv; charset=iso-8859-1", NULL, "a;b\n\344;\366\r\n"),
	    ATTACHMENT("message.eml", "message/rfc822", NULL, "Subject: x\r\n\r\nHello\r\n"),
	},
	4},
};
const gsize sample_count = G_N_ELEMENTS(samples);

GBytes *
sample_compose(const struct sample *sample)
{
	static const struct mail_header headers[] = {
	    {"X-Campaign", "spring"}, {"X-Note", "Fr\303\274hling " NIHONGOS}};
	static const struct mail_header extra[] = {
	    {"List-Unsubscribe", "<https://example.com/t/u/" LONG_WORD LONG_WORD ">"},
	    {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}};
	struct mail_address from = {(char *)sample->from_name, (char *)"ann@example.com"};
	struct mail_address to[] = {{(char *)"Bob B.", (char *)"bob@example.org"},
	    {(char *)"", (char *)"e.v.e@example.org"}};
	gpointer recipients[] = {&to[0], &to[1]};
	GPtrArray all = {.pdata = recipients, .len = 2};
	struct mail_message message = {.from = &from,
	    .to = &all,
	    .reply_to = &all,
	    .subject = sample->subject,
	    .text = sample->text,
	    .html = sample->html,
	    .attachments = sample->attachments,
	    .attachment_count = sample->attachment_count,
	    .headers = headers,
	    .header_count = G_N_ELEMENTS(headers),
	    .extra = extra,
	    .extra_count = G_N_ELEMENTS(extra),
	    .date = 1700000000123,
	    .message_id = "<0190a5b0-7c3e-7d00-8000-0123456789ab@example.com>"};
	g_autoptr(GError) error = NULL;
	GBytes *composed;

	message.text_size = sample->text ? strlen(sample->text) : 0;
	message.html_size = sample->html ? strlen(sample->html) : 0;
	composed = mail_message_compose(&message, &error);
	if (!composed)
		g_error("%s: %s", sample->name, error->message);
	return composed;
}
