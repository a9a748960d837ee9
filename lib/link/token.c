/* SPDX-License-Identifier: MIT */
/* Writes and reads the tokens in links, pixels and addresses. */
#include "link/token.h"

#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "store/outbox/outbox.h"

#define ID_SIZE sizeof(struct base_id)
#define NAMED_SIZE (ID_SIZE + 2) /* the email, the recipient, the number of links */
#define TAG_SIZE 9
#define TOKEN_SIZE (NAMED_SIZE + TAG_SIZE)

G_STATIC_ASSERT(OUTBOX_ENTRY_RECIPIENTS <= G_MAXUINT8);
G_STATIC_ASSERT(TOKEN_SIZE % 3 == 0 && TOKEN_SIZE / 3 * 4 + 1 == TOKEN_TEXT_SIZE);
G_STATIC_ASSERT(TOKEN_SIZE * 2 + 1 == TOKEN_HEX_SIZE);

static const char *const purposes[] = {
    [TOKEN_OPEN] = "open",
    [TOKEN_CLICK] = "click",
    [TOKEN_UNSUBSCRIBE] = "unsubscribe",
    [TOKEN_RETURN_PATH] = "return path of a recipient",
    [TOKEN_ENVID] = "envelope id of a recipient",
    [TOKEN_CONFIRM] = "confirmation",
    [TOKEN_ATTACHMENT] = "attachment",
    [TOKEN_REPLY] = "reply",
    [TOKEN_COMPLAINT] = "complaint",
    [TOKEN_DOMAIN] = "reports about a domain",
    [TOKEN_RECEIVED] = "received",
};

/* The bytes that the tag authenticates: email, recipient and links, then the destination. The
   caller owns them. */
static GByteArray *
authenticated(const guint8 *named, const char *destination)
{
	GByteArray *data = g_byte_array_new();

	g_byte_array_append(data, named, NAMED_SIZE);
	if (destination)
		g_byte_array_append(data, (const guint8 *)destination, (guint)strlen(destination));
	return data;
}

static void
pack(const struct base_secret *secret, const struct link_token *token, const char *destination,
    guint8 bytes_r[TOKEN_SIZE])
{
	memcpy(bytes_r, token->email.bytes, ID_SIZE);
	bytes_r[ID_SIZE] = (guint8)token->recipient;
	bytes_r[ID_SIZE + 1] = (guint8)MIN(token->links, TOKEN_LINKS_MAX);
	g_autoptr(GByteArray) data = authenticated(bytes_r, destination);
	base_secret_sign(
	    secret, purposes[token->kind], data->data, data->len, bytes_r + NAMED_SIZE, TAG_SIZE);
}

static bool
token_unpack(const struct base_secret *secret, enum link_token_kind kind,
    const guint8 bytes[TOKEN_SIZE], const char *destination, struct link_token *token_r)
{
	g_autoptr(GByteArray) data = authenticated(bytes, destination);

	if (!base_secret_verify(
		secret, purposes[kind], data->data, data->len, bytes + NAMED_SIZE, TAG_SIZE))
		return false;
	token_r->kind = kind;
	memcpy(token_r->email.bytes, bytes, ID_SIZE);
	token_r->recipient = bytes[ID_SIZE];
	token_r->links = bytes[ID_SIZE + 1];
	return true;
}

void
link_token_write(const struct base_secret *secret, const struct link_token *token,
    const char *destination, char text_r[TOKEN_TEXT_SIZE])
{
	guint8 bytes[TOKEN_SIZE];

	pack(secret, token, destination, bytes);
	g_autofree char *text = base_secret_base64url(bytes, TOKEN_SIZE);
	g_strlcpy(text_r, text, TOKEN_TEXT_SIZE);
}

bool
link_token_read(const struct base_secret *secret, enum link_token_kind kind, const char *text,
    const char *destination, struct link_token *token_r)
{
	if (strlen(text) != TOKEN_TEXT_SIZE - 1)
		return false;
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	return bytes && g_bytes_get_size(bytes) == TOKEN_SIZE &&
	       token_unpack(secret, kind, g_bytes_get_data(bytes, NULL), destination, token_r);
}

void
link_token_write_hex(
    const struct base_secret *secret, const struct link_token *token, char text_r[TOKEN_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	guint8 bytes[TOKEN_SIZE];

	pack(secret, token, NULL, bytes);
	for (gsize i = 0; i < TOKEN_SIZE; i++) {
		*text_r++ = digits[bytes[i] >> 4];
		*text_r++ = digits[bytes[i] & 15];
	}
	*text_r = '\0';
}

bool
link_token_read_hex(const struct base_secret *secret, enum link_token_kind kind, const char *text,
    struct link_token *token_r)
{
	guint8 bytes[TOKEN_SIZE];

	if (strlen(text) != TOKEN_HEX_SIZE - 1)
		return false;
	for (gsize i = 0; i < TOKEN_SIZE; i++) {
		int high = g_ascii_xdigit_value(text[2 * i]);
		int low = g_ascii_xdigit_value(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (guint8)(high << 4 | low);
	}
	return token_unpack(secret, kind, bytes, NULL, token_r);
}

char *
link_token_file_url(const struct config_settings *settings, char letter,
    const struct link_token *token, gint64 expires)
{
	g_autofree char *until = g_strdup_printf("%" G_GINT64_FORMAT, expires);
	char text[TOKEN_TEXT_SIZE];

	link_token_write(config_settings_secret(settings), token, until, text);
	return g_strdup_printf("%s/t/%c/%s?e=%s",
	    config_settings_text(settings, SETTING_SERVICE_URL), letter, text, until);
}
