/* SPDX-License-Identifier: MIT */
/* Composes random messages, which GMime must read back. */
#include <criterion/criterion.h>
#include <gmime/gmime.h>
#include <string.h>

#include "mail/address.h"
#include "mail/message.h"
#include "tests/mail/parsed.h"
#include "tests/support/steps.h"

#define ROUNDS 400
#define ATTACHMENTS_MAX 3

/* A message of random values, which it owns. */
struct draft {
	GPtrArray *owned;
	struct mail_address from;
	GPtrArray *lists[3]; /* to, cc, reply_to */
	struct mail_header headers[2];
	struct mail_attachment attachments[ATTACHMENTS_MAX];
	struct mail_message message;
};

/* Words for random text: all that has a meaning somewhere in a message. */
static const char *const words[] = {"a", "Hello", " ", " ", "  ", "\303\274", "\342\202\254",
    "\360\237\230\200", "\346\227\245\346\234\254\350\252\236", "=?utf-8?q?x?=", "=?", "?=", "=",
    "_", "\"", "\\", "(", ")", "<", ">", ",", ";", ":", "@", ".", "'", "%41", "{{x}}", "\302\240",
    "supercalifragilisticexpialidocious", "e\314\201", "--", "&amp;"};
static const char *const breaks[] = {
    "\n", "\r\n", "\r", "\n\n", " \n", "\t\r\n", "\n.\n", "\nFrom ", "\n--=_", "=\n"};

static char *
random_text(GRand *rand, struct draft *draft, int longest, bool with_breaks)
{
	GString *text = g_string_new(NULL);
	int count = g_rand_int_range(rand, 0, longest);

	for (int i = 0; i < count; i++) {
		if (with_breaks && g_rand_int_range(rand, 0, 8) == 0)
			g_string_append(
			    text, breaks[g_rand_int_range(rand, 0, G_N_ELEMENTS(breaks))]);
		else
			g_string_append(
			    text, words[g_rand_int_range(rand, 0, G_N_ELEMENTS(words))]);
	}
	g_ptr_array_add(draft->owned, text->str);
	return g_string_free(text, FALSE);
}

/* Plain ASCII in one of three cases, as in most mail. */
static char *
random_line(GRand *rand, struct draft *draft, int longest)
{
	char *text = random_text(rand, draft, longest, false);

	if (g_rand_int_range(rand, 0, 3) == 0)
		for (char *p = text; *p; p++)
			*p = *p & 0x80 ? 'x' : *p;
	return text;
}

static guchar *
mail_random_random_bytes(GRand *rand, struct draft *draft, gsize *size_r)
{
	gsize size = (gsize)g_rand_int_range(rand, 0, 20000);
	guchar *bytes = g_malloc(size + 1);

	for (gsize i = 0; i < size; i++)
		bytes[i] = (guchar)g_rand_int(rand);
	g_ptr_array_add(draft->owned, bytes);
	*size_r = size;
	return bytes;
}

static struct mail_address *
random_address(GRand *rand, struct draft *draft)
{
	static const char *const addresses[] = {
	    "a@example.org", "a.!b@example.org", "first.last+tag@xn--bcher-kva.example"};
	struct mail_address *address = g_new(struct mail_address, 1);

	g_ptr_array_add(draft->owned, address);
	address->name = g_strstrip(random_line(rand, draft, 20));
	address->address = (char *)addresses[g_rand_int_range(rand, 0, 3)];
	return address;
}

static void
random_attachment(GRand *rand, struct draft *draft, struct mail_attachment *attachment)
{
	static const char *const types[] = {
	    NULL, "text/plain", "image/png", "text/csv; header=present"};

	attachment->filename = random_line(rand, draft, 7);
	attachment->content_type = types[g_rand_int_range(rand, 0, G_N_ELEMENTS(types))];
	attachment->content_id = g_rand_boolean(rand) ? "logo@example.com" : NULL;
	attachment->data = mail_random_random_bytes(rand, draft, &attachment->size);
}

static void
random_draft(GRand *rand, struct draft *draft)
{
	struct mail_message *message = &draft->message;

	memset(draft, 0, sizeof(*draft));
	draft->owned = g_ptr_array_new_with_free_func(g_free);
	draft->from = *random_address(rand, draft);
	for (gsize i = 0; i < G_N_ELEMENTS(draft->lists); i++) {
		draft->lists[i] = g_ptr_array_new();
		for (int j = g_rand_int_range(rand, 0, 8); j > 0; j--)
			g_ptr_array_add(draft->lists[i], random_address(rand, draft));
	}
	draft->headers[0] = (struct mail_header){"X-Text", random_line(rand, draft, 30)};
	draft->headers[1] = (struct mail_header){"X-Note", random_line(rand, draft, 30)};
	message->from = &draft->from;
	message->to = draft->lists[0];
	message->cc = draft->lists[1];
	message->reply_to = draft->lists[2];
	message->subject = random_line(rand, draft, 60);
	message->text = random_text(rand, draft, 300, true);
	message->text_size = strlen(message->text);
	char *html = g_strconcat(
	    "<img src=cid:logo@example.com>", random_text(rand, draft, 3000, true), NULL);
	g_ptr_array_add(draft->owned, html);
	message->html = html;
	message->html_size = strlen(message->html);
	message->headers = draft->headers;
	message->header_count = G_N_ELEMENTS(draft->headers);
	message->attachments = draft->attachments;
	message->attachment_count = (guint)g_rand_int_range(rand, 0, ATTACHMENTS_MAX + 1);
	for (guint i = 0; i < message->attachment_count; i++)
		random_attachment(rand, draft, &draft->attachments[i]);
	message->date = g_rand_int_range(rand, 0, G_MAXINT32) * 1000LL;
	message->message_id = "<0190a5b0-7c3e-7d00-8000-0123456789ab@example.com>";
}

static void
draft_clear(struct draft *draft)
{
	for (gsize i = 0; i < G_N_ELEMENTS(draft->lists); i++)
		g_ptr_array_unref(draft->lists[i]);
	g_ptr_array_unref(draft->owned);
}

/* CRLF for each CR, LF and CRLF. */
static char *
random_canonical(const char *text)
{
	g_autoptr(GRegex) line_break = g_regex_new("\r\n|\r|\n", G_REGEX_RAW, 0, NULL);

	return g_regex_replace_literal(line_break, text, -1, 0, "\r\n", 0, NULL);
}

static void
random_expect_text(int round, const char *name, const char *got, const char *want)
{
	cr_expect(
	    g_strcmp0(got, want) == 0, "round %d, %s\n got: %s\nwant: %s", round, name, got, want);
}

static void
random_expect_address(int round, InternetAddress *got, const struct mail_address *want)
{
	const char *name = internet_address_get_name(got);

	random_expect_text(round, "name", name ? name : "", want->name);
	random_expect_text(round, "address",
	    internet_address_mailbox_get_idn_addr(INTERNET_ADDRESS_MAILBOX(got)), want->address);
}

static void
expect_addresses(int round, InternetAddressList *got, const GPtrArray *want)
{
	cr_assert_eq(internet_address_list_length(got), (int)want->len, "round %d: got %d, want %u",
	    round, internet_address_list_length(got), want->len);
	for (guint i = 0; i < want->len; i++)
		random_expect_address(
		    round, internet_address_list_get_address(got, (int)i), want->pdata[i]);
}

static void
expect_part_text(int round, GMimeObject *part, const char *text)
{
	g_autofree char *got = parsed_content(part, NULL);
	g_autofree char *want = random_canonical(text);
	const char *charset = g_mime_object_get_content_type_parameter(part, "charset");

	random_expect_text(round, "text", got, want);
	random_expect_text(round, "charset", charset, "utf-8");
}

static void
random_expect_attachment(int round, GMimeObject *part, const struct mail_attachment *want)
{
	gsize size;
	g_autofree char *got = parsed_content(part, &size);
	const char *filename = g_mime_part_get_filename(GMIME_PART(part));

	random_expect_text(round, "filename", filename ? filename : "", want->filename);
	random_expect_text(
	    round, "content id", g_mime_object_get_content_id(part), want->content_id);
	cr_expect(size == want->size && memcmp(got, want->data, size) == 0,
	    "round %d: attachment of %zu came back as %zu, or others", round, want->size, size);
}

static void
random_expect_header(int round, GMimeMessage *got, const struct mail_header *want)
{
	g_autofree char *value = g_strstrip(g_strdup(want->value));
	const char *raw = g_mime_object_get_header(GMIME_OBJECT(got), want->name);

	/* An ASCII value is unchanged, and may have encoded words. */
	if (!g_str_is_ascii(value))
		random_expect_text(round, want->name, raw, want->value);
}

static void
expect_message(int round, GBytes *bytes, const struct draft *draft)
{
	const struct mail_message *want = &draft->message;
	GMimeMessage *got = parsed_message(bytes);
	g_autoptr(GPtrArray) leaves = parsed_leaves(got);
	guint next = 2;

	random_expect_address(
	    round, internet_address_list_get_address(g_mime_message_get_from(got), 0), want->from);
	expect_addresses(round, g_mime_message_get_to(got), want->to);
	expect_addresses(round, g_mime_message_get_cc(got), want->cc);
	expect_addresses(round, g_mime_message_get_reply_to(got), want->reply_to);
	random_expect_text(round, "subject", g_mime_message_get_subject(got), want->subject);
	cr_expect_eq(g_date_time_to_unix(g_mime_message_get_date(got)) * 1000, want->date);
	for (guint i = 0; i < want->header_count; i++)
		random_expect_header(round, got, &want->headers[i]);
	cr_assert_eq(
	    leaves->len, 2 + want->attachment_count, "round %d: got %u leaves", round, leaves->len);
	expect_part_text(round, leaves->pdata[0], want->text);
	expect_part_text(round, leaves->pdata[1], want->html);
	for (int in_line = 1; in_line >= 0; in_line--)
		for (guint i = 0; i < want->attachment_count; i++)
			if ((want->attachments[i].content_id != NULL) == in_line)
				random_expect_attachment(
				    round, leaves->pdata[next++], &want->attachments[i]);
	g_object_unref(got);
}

static void
random_expect_lines(int round, GBytes *bytes)
{
	gsize size;
	const char *text = g_bytes_get_data(bytes, &size);
	const char *end = text + size;

	cr_expect_eq(memchr(text, '\0', size), NULL, "round %d: a NUL", round);
	while (text < end) {
		const char *lf = memchr(text, '\n', (gsize)(end - text));
		cr_assert(lf && lf > text && lf[-1] == '\r', "round %d: a bare LF, or no last CRLF",
		    round);
		cr_assert(lf - 1 - text <= 998, "round %d: a line of %zd", round, lf - 1 - text);
		cr_assert_eq(
		    memchr(text, '\r', (gsize)(lf - 1 - text)), NULL, "round %d: a bare CR", round);
		text = lf + 1;
	}
}

Test(random, comes_back_as_what_it_was, .init = g_mime_init)
{
	GRand *rand = g_rand_new_with_seed(5322);

	for (guint round = 0, rounds = test_steps(ROUNDS); round < rounds; round++) {
		struct draft draft;
		g_autoptr(GError) error = NULL;
		random_draft(rand, &draft);
		g_autoptr(GBytes) bytes = mail_message_compose(&draft.message, &error);
		cr_assert_not_null(bytes, "round %d: %s", round, error ? error->message : "");
		g_autoptr(GBytes) again = mail_message_compose(&draft.message, NULL);
		cr_expect(
		    g_bytes_equal(bytes, again), "round %d: other bytes the second time", round);
		random_expect_lines(round, bytes);
		expect_message(round, bytes, &draft);
		draft_clear(&draft);
	}
	g_rand_free(rand);
}
