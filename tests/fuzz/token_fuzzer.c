/* SPDX-License-Identifier: MIT */
/* Texts that stand for something of ours and come back from outside: tokens, cursors, ids, base64.
   Each has one spelling, but for hexadecimal digits in upper case. */
#include "link/token.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/secret.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/v1/handlers.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/email/email.h"
#include "tests/fcgi/fake_io.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/settings.h"

#define DESTINATION "https://example.com/?a=1"

/* With a secret, and the files that it came from gone. */
static const struct service *
core_of_tests(void)
{
	static const char *const names[] = {"fuzz.conf", "fuzz.secret", "fuzz.spool", ""};
	static struct service service;

	if (service.settings)
		return &service;
	g_autofree char *dir = g_dir_make_tmp("posthouse-fuzz-XXXXXX", NULL);
	service.settings = test_settings_load(dir, "fuzz", "");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(dir, names[i], NULL);

		g_remove(path);
	}
	return &service;
}

static const struct base_secret *
secret_of_tests(void)
{
	return config_settings_secret(core_of_tests()->settings);
}

static void
try_read(enum link_token_kind kind, const char *text)
{
	const struct base_secret *secret = secret_of_tests();
	const char *destination = kind == TOKEN_CLICK ? DESTINATION : NULL;
	char written[TOKEN_TEXT_SIZE], hex[TOKEN_HEX_SIZE];
	struct link_token token;

	if (link_token_read(secret, kind, text, destination, &token)) {
		link_token_write(secret, &token, destination, written);
		g_assert_cmpstr(written, ==, text);
	}
	if (link_token_read_hex(secret, kind, text, &token)) {
		link_token_write_hex(secret, &token, hex);
		g_assert(g_ascii_strcasecmp(hex, text) == 0);
	}
}

static bool
token_fuzzer_is_same(const struct link_token *one, const struct link_token *other)
{
	return one->kind == other->kind && base_id_equal(&one->email, &other->email) &&
	       one->recipient == other->recipient && one->links == other->links;
}

/* A token of these bytes is read back, for its own kind alone, and not once it is changed. */
static void
try_write(const guint8 *data, gsize size)
{
	const struct base_secret *secret = secret_of_tests();
	char text[TOKEN_TEXT_SIZE], hex[TOKEN_HEX_SIZE];
	struct link_token token, read;

	if (size < sizeof(token.email) + 4)
		return;
	memcpy(&token.email, data, sizeof(token.email));
	data += sizeof(token.email);
	token.kind = (enum link_token_kind)(data[0] % (TOKEN_ENVID + 1));
	token.recipient = data[1];
	token.links = data[2];
	link_token_write(secret, &token, NULL, text);
	link_token_write_hex(secret, &token, hex);
	g_assert(link_token_read(secret, token.kind, text, NULL, &read) &&
		 token_fuzzer_is_same(&read, &token));
	g_assert(link_token_read_hex(secret, token.kind, hex, &read) &&
		 token_fuzzer_is_same(&read, &token));
	for (guint kind = TOKEN_OPEN; kind <= TOKEN_ENVID; kind++)
		g_assert(kind == token.kind ||
			 !link_token_read(secret, (enum link_token_kind)kind, text, NULL, &read));
	text[data[3] % (TOKEN_TEXT_SIZE - 1)] ^= 1;
	g_assert(!link_token_read(secret, token.kind, text, NULL, &read));
}

static bool
is_same_copy(const struct link_return_path *one, const struct link_return_path *other)
{
	return base_id_equal(&one->email, &other->email) && one->recipient == other->recipient;
}

/* Whatever is taken for a token of ours holds one that we write. */
static void
try_return_path(const char *text)
{
	const struct service *service = core_of_tests();
	g_autofree char *lower = g_ascii_strdown(text, -1);
	char envid[RETURN_PATH_ENVID_SIZE];
	struct link_return_path copy, again;

	if (link_return_path_read(service, text, &copy)) {
		const struct store_email email = {.id = copy.email, .domain = (char *)"a.example"};
		g_autofree char *path = link_return_path(service, &email, copy.recipient);

		g_assert(
		    link_return_path_read(service, path, &again) && is_same_copy(&copy, &again));
		*strchr(path, '@') = '\0';
		g_assert(strstr(lower, path));
	}
	if (link_return_path_read_envid(service, text, &copy)) {
		link_return_path_envid(service, &copy, envid);
		g_assert_cmpstr(lower, ==, envid);
	}
}

static void
try_base64(const guint8 *data, gsize size, const char *text)
{
	g_autoptr(GBytes) url = base_secret_base64url_decode(text);
	g_autoptr(GBytes) plain = base_secret_base64_decode((const char *)data, size);
	g_autofree char *written = base_secret_base64url(data, size);
	g_autoptr(GBytes) again = base_secret_base64url_decode(written);

	g_assert(again && g_bytes_get_size(again) == size);
	g_assert(size == 0 || memcmp(g_bytes_get_data(again, NULL), data, size) == 0);
	if (url) {
		gsize length;
		const void *bytes = g_bytes_get_data(url, &length);
		g_autofree char *same = base_secret_base64url(bytes, length);
		g_assert_cmpstr(same, ==, text);
	}
	if (plain) {
		gsize length;
		const void *bytes = g_bytes_get_data(plain, &length);
		g_autofree char *same = g_base64_encode(bytes, length);
		g_assert(strlen(same) == size && memcmp(same, data, size) == 0);
	}
}

static void
try_id(const char *text)
{
	char written[ID_TEXT_SIZE];
	struct base_id id;

	if (base_id_parse(text, &id))
		g_assert(g_ascii_strcasecmp(base_id_format(&id, written), text) == 0);
}

static void
check_cursor(const struct base_id *id, const char *cursor, bool opaque)
{
	char text[ID_TEXT_SIZE];
	const char *written = base_id_format(id, text);
	gsize size;
	g_autofree guchar *decoded = opaque ? g_base64_decode(cursor, &size) : NULL;

	g_assert(opaque ? size == strlen(written) : strlen(cursor) == strlen(written));
	g_assert(g_ascii_strncasecmp(
		     opaque ? (const char *)decoded : cursor, written, strlen(written)) == 0);
}

/* A query string. */
static void
try_query(const char *text)
{
	g_autofree char *parameter = g_strconcat("QUERY_STRING=", text, NULL);
	const char *const params[] = {parameter, NULL};
	struct fcgi_io *io = fake_io_new(params, "", 0, 0);
	struct fcgi_request request = {.io = io};
	struct fcgi_call call = {.request = &request};
	const char *cursor = NULL;
	bool given;
	struct base_id id;

	for (guint opaque = 0; opaque <= 1; opaque++) {
		GError *error = NULL;

		if (!fcgi_page_cursor(&call, opaque, &id, &given, &error))
			fuzz_check_error(error);
		else if (given && fcgi_request_query(&request, "cursor", &cursor, NULL))
			check_cursor(&id, cursor, opaque);
	}
	fcgi_request_clear(&request);
	fake_io_free(io);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	g_autofree char *text = g_strndup((const char *)data, size);

	for (guint kind = TOKEN_OPEN; kind <= TOKEN_ENVID; kind++)
		try_read((enum link_token_kind)kind, text);
	try_return_path(text);
	try_write(data, size);
	try_base64(data, size, text);
	try_id(text);
	try_query(text);
	return 0;
}
