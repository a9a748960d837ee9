/* SPDX-License-Identifier: MIT */
/* Mail that comes in: received/message.h as in its confined child, the results of authentication
   (received/authentication.h) and DKIM signatures (mail/dkim_verify.h) of any bytes. */
#include "received/message.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/limits/received.h"
#include "base/limits/report.h"
#include "json/strict.h"
#include "mail/dkim_verify.h"
#include "mail/incoming.h"
#include "received/authentication.h"
#include "received/door.h"
#include "service/service.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/settings.h"

#define FIELD "Authentication-Results: mx.example.net;"

/* A record of a domain with a key for Ed25519, and one that cannot be used. */
static const char *const received_fuzzer_records[] = {
    "v=DKIM1; k=rsa; s=other; p=MIIB",
    "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
};

/* It believes the server mx.example.net in front. The files that it came from are gone. */
static const struct service *
received_fuzzer_service(void)
{
	static const char *const names[] = {"fuzz.conf", "fuzz.secret", "fuzz.spool", ""};
	static struct service service;

	if (service.settings)
		return &service;
	g_autofree char *dir = g_dir_make_tmp("posthouse-fuzz-XXXXXX", NULL);
	service.settings =
	    test_settings_load(dir, "fuzz", "[receiving]\nauthserv_id = mx.example.net\n");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(dir, names[i], NULL);

		g_remove(path);
	}
	return &service;
}

static void
received_fuzzer_check_line(const char *line)
{
	for (const char *p = line; p && *p; p++)
		g_assert(!g_ascii_iscntrl(*p));
}

static void
received_fuzzer_check_lines(const struct json *message, const char *name)
{
	const struct json *list = json_member_get(message, name);

	for (gsize i = 0; i < json_array_length(list); i++)
		received_fuzzer_check_line(json_string(json_array_at(list, i), NULL));
}

/* A part stands within the message, behind those before it, and has the size that it says. */
static gsize
received_fuzzer_check_part(const struct json *part, const guint8 *data, gsize size, gsize behind)
{
	gsize begin = (gsize)json_integer(json_member_get(part, "begin"));
	gsize end = (gsize)json_integer(json_member_get(part, "end"));

	g_assert(behind <= begin && begin <= end && end <= size);
	g_autoptr(GBytes) encoded = g_bytes_new(data + begin, end - begin);
	g_autoptr(GBytes) content =
	    mail_incoming_decode(encoded, received_message_text(part, "encoding"));
	g_assert_cmpint(
	    (gint64)g_bytes_get_size(content), ==, json_integer(json_member_get(part, "size")));
	received_fuzzer_check_line(received_message_text(part, "filename"));
	received_fuzzer_check_line(received_message_text(part, "content_type"));
	return end;
}

static void
received_fuzzer_check_message(const struct json *message, const guint8 *data, gsize size)
{
	static const char *const lines[] = {"from", "from_address", "subject"};
	const struct json *parts = json_member_get(message, "parts");
	const struct json *headers = json_member_get(message, "headers");
	const char *text = received_message_text(message, "text");
	const char *html = received_message_text(message, "html");
	const char *reply = received_message_text(message, "reply_text");
	gsize behind = 0;

	for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
		received_fuzzer_check_line(received_message_text(message, lines[i]));
	received_fuzzer_check_lines(message, "to");
	received_fuzzer_check_lines(message, "cc");
	received_fuzzer_check_lines(message, "reply_to");
	g_assert_cmpuint(json_array_length(headers), <=, LIMIT_RECEIVED_HEADERS);
	g_assert_cmpuint(json_array_length(parts), <=, LIMIT_PARTS + 1);
	for (gsize i = 0; i < json_array_length(parts); i++)
		behind = received_fuzzer_check_part(json_array_at(parts, i), data, size, behind);
	g_assert(!text || strlen(text) <= LIMIT_RECEIVED_TEXT_BYTES);
	g_assert(!html || strlen(html) <= LIMIT_RECEIVED_TEXT_BYTES);
	g_assert(!text == !reply || html);
	g_assert(!text || strlen(reply) <= strlen(text));
	g_assert(!received_message_text(message, "error") || (!text && !html && behind == 0));
}

/* The child's result is read in the process that gave it the message. */
static void
received_fuzzer_try_message(const guint8 *data, gsize size, const char *sender)
{
	g_autoptr(GBytes) bytes = received_message_parse(data, size, sender);
	GError *error = NULL;
	AUTO(json)
	message = json_parse(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), &error);

	g_assert_no_error(error);
	received_fuzzer_check_message(message, data, size);
}

static void
received_fuzzer_check_word(const char *word)
{
	for (const char *p = word; p && *p; p++)
		g_assert(g_ascii_islower(*p));
}

/* The bytes follow a field of the server in front, so that no question goes to DNS; one that comes
   from elsewhere is taken out. */
static void
received_fuzzer_try_results(const guint8 *data, gsize size)
{
	const struct service *service = received_fuzzer_service();
	const struct received_session session = {.is_pipe = true};
	g_autoptr(GString) whole = g_string_new(FIELD);
	struct received_authentication result;

	g_string_append_len(whole, (const char *)data, (gssize)size);
	received_authentication_read(service, &session, whole->str, whole->len, NULL, &result);
	g_assert_cmpstr(result.by, ==, "mx.example.net");
	received_fuzzer_check_word(result.spf);
	received_fuzzer_check_word(result.dkim);
	received_fuzzer_check_word(result.dmarc);
	received_authentication_clear(&result);
	g_autoptr(GBytes) stripped = received_authentication_strip(service, whole->str, whole->len);
	g_autoptr(GBytes) again = received_authentication_strip(
	    service, g_bytes_get_data(stripped, NULL), g_bytes_get_size(stripped));
	g_assert(g_bytes_get_size(stripped) < whole->len);
	g_assert(g_bytes_equal(stripped, again));
}

static void
received_fuzzer_try_signatures(const guint8 *data, gsize size)
{
	g_autoptr(GPtrArray) signatures =
	    mail_dkim_signatures(data, size, LIMIT_RECEIVED_SIGNATURES);

	g_assert_cmpuint(signatures->len, <=, LIMIT_RECEIVED_SIGNATURES);
	for (guint i = 0; i < signatures->len; i++) {
		struct mail_dkim_signature *signature = signatures->pdata[i];

		mail_dkim_signature_verify(signature, received_fuzzer_records,
		    G_N_ELEMENTS(received_fuzzer_records), true, 0);
		g_assert(mail_dkim_result_name(signature->result));
	}
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	received_fuzzer_try_message(data, size, size % 2 ? "joe@example.net" : "");
	received_fuzzer_try_results(data, size);
	received_fuzzer_try_signatures(data, size);
	return 0;
}
