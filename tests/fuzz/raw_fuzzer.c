/* SPDX-License-Identifier: MIT */
/* Messages that other programs give to sendmail: mail/raw.h and mail/wire.h of any bytes. */
#include "mail/encoding.h"
#include "mail/raw.h"
#include "mail/wire.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"

#define ADDED "X-Added: 1\r\n"

static void
raw_fuzzer_check_line(const char *line)
{
	g_assert(g_utf8_validate(line, -1, NULL));
	for (const char *p = line; *p; p++)
		g_assert(!g_ascii_iscntrl(*p));
}

static void
raw_fuzzer_check_body(const char *body)
{
	g_assert(!body || (g_utf8_validate(body, -1, NULL) && !strchr(body, '\r')));
}

static guint
count_fields(const struct mail_raw *raw, const char *name)
{
	static const char *const left_out[] = {
	    "Bcc", "Resent-Bcc", "Return-Path", "DKIM-Signature", NULL};

	return mail_raw_has(raw, name) && !g_strv_contains(left_out, name);
}

/* All lines end in CRLF, and the message reads back with the same fields. */
static void
check_composed(const struct mail_raw *raw, bool from_is_added)
{
	static const char *const names[] = {"Bcc", "Resent-Bcc", "Return-Path", "DKIM-Signature",
	    "To", "Cc", "Subject", "Date", "Message-ID"};
	g_autoptr(GBytes) bytes = mail_raw_compose(raw, ADDED, from_is_added);
	GError *error = NULL;
	gsize size;
	const char *text = g_bytes_get_data(bytes, &size);

	for (gsize i = 0; i < size; i++)
		g_assert(text[i] == '\n'
			     ? i > 0 && text[i - 1] == '\r'
			     : text[i] != '\r' || (i + 1 < size && text[i + 1] == '\n'));
	AUTO(mail_raw) again = mail_raw_read(text, size, &error);
	g_assert_no_error(error);
	g_assert(mail_raw_has(again, "X-Added"));
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		g_assert_cmpuint(mail_raw_has(again, names[i]), ==, count_fields(raw, names[i]));
	g_assert(!from_is_added || !mail_raw_has(again, "From"));
}

/* No line is too long, only the body is 8 bit, and what fits is left as it is. */
static void
check_fitted(GBytes *message, bool eight_bit)
{
	GError *error = NULL;
	g_autoptr(GBytes) fitted = mail_wire_fit(message, eight_bit, &error);
	gsize size, line = 0;

	if (!fitted) {
		fuzz_check_error(error);
		return;
	}
	const char *text = g_bytes_get_data(fitted, &size);
	for (gsize i = 0; i < size; i++) {
		line = text[i] == '\n' ? 0 : line + 1;
		g_assert_cmpuint(line, <=, 999);
		g_assert(eight_bit || !(text[i] & 0x80));
	}
	const char *body = g_strstr_len(text, (gssize)size, "\r\n\r\n");
	g_assert(body && mail_encoding_is_7bit(text, (gsize)(body - text)));
	g_autoptr(GBytes) again = mail_wire_fit(fitted, eight_bit, NULL);
	g_assert(again && g_bytes_equal(again, fitted));
}

static void
check_lists(const struct mail_raw *raw)
{
	static const char *const names[] = {"From", "To", "Cc", "Bcc", "Reply-To"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *list = mail_raw_list(raw, names[i]);

		g_assert(!list == !mail_raw_has(raw, names[i]));
		if (list)
			raw_fuzzer_check_line(list);
	}
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	GError *error = NULL;
	AUTO(mail_raw) raw = mail_raw_read(data, size, &error);
	char *html, *text;

	if (!raw) {
		fuzz_check_error(error);
		return 0;
	}
	g_autofree char *subject = mail_raw_subject(raw);
	raw_fuzzer_check_line(subject);
	check_lists(raw);
	mail_raw_bodies(raw, &html, &text);
	raw_fuzzer_check_body(html);
	raw_fuzzer_check_body(text);
	g_free(html);
	g_free(text);
	g_autoptr(GBytes) composed = mail_raw_compose(raw, ADDED, false);
	check_fitted(composed, true);
	check_fitted(composed, false);
	check_composed(raw, false);
	check_composed(raw, true);
	return 0;
}
