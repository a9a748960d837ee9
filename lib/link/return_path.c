/* SPDX-License-Identifier: MIT */
/* Writes and reads return paths, envelope ids and tokens for complaints. */
#include "link/return_path.h"

#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/email/email.h"

#define ID_SIZE sizeof(struct base_id)
#define TAG_SIZE 8
#define SHARED_SIZE (ID_SIZE + TAG_SIZE)
#define SHARED_HEX (2 * SHARED_SIZE)
#define OWN_HEX (TOKEN_HEX_SIZE - 1)

G_STATIC_ASSERT(SHARED_HEX < OWN_HEX);

/* The purpose for which a token without recipient is signed. */
static const char *
shared_purpose(enum link_token_kind kind)
{
	return kind == TOKEN_ENVID	 ? "envid"
	       : kind == TOKEN_COMPLAINT ? "complaint-path"
					 : "return-path";
}

static void
write_shared(const struct base_secret *secret, enum link_token_kind kind,
    const struct base_id *email, char text_r[TOKEN_HEX_SIZE])
{
	guint8 bytes[SHARED_SIZE];

	memcpy(bytes, email->bytes, ID_SIZE);
	base_secret_sign(secret, shared_purpose(kind), bytes, ID_SIZE, bytes + ID_SIZE, TAG_SIZE);
	for (gsize i = 0; i < SHARED_SIZE; i++)
		g_snprintf(text_r + 2 * i, 3, "%02x", bytes[i]);
}

static void
return_path_write_token(const struct service *service, enum link_token_kind kind,
    const struct link_return_path *path, char text_r[TOKEN_HEX_SIZE])
{
	const struct base_secret *secret = config_settings_secret(service->settings);
	const struct link_token token = {kind, path->email, path->recipient, 0};

	if (path->recipient == RETURN_PATH_SHARED)
		write_shared(secret, kind, &path->email, text_r);
	else
		link_token_write_hex(secret, &token, text_r);
}

static bool
return_path_read_shared(const struct base_secret *secret, enum link_token_kind kind,
    const char *text, struct link_return_path *path_r)
{
	guint8 bytes[SHARED_SIZE];

	for (gsize i = 0; i < SHARED_SIZE; i++)
		bytes[i] = (guint8)(g_ascii_xdigit_value(text[2 * i]) << 4 |
				    g_ascii_xdigit_value(text[2 * i + 1]));
	if (!base_secret_verify(
		secret, shared_purpose(kind), bytes, ID_SIZE, bytes + ID_SIZE, TAG_SIZE))
		return false;
	memcpy(path_r->email.bytes, bytes, ID_SIZE);
	path_r->recipient = RETURN_PATH_SHARED;
	return true;
}

/* Reads a token at the beginning of text, which no letter or digit follows. */
static bool
return_path_read_token(const struct service *service, enum link_token_kind kind, const char *text,
    struct link_return_path *path_r)
{
	const struct base_secret *secret = config_settings_secret(service->settings);
	gsize size = strspn(text, "0123456789abcdefABCDEF");
	struct link_token token;

	if ((size != SHARED_HEX && size != OWN_HEX) || g_ascii_isalnum(text[size]))
		return false;
	if (size == SHARED_HEX)
		return return_path_read_shared(secret, kind, text, path_r);
	g_autofree char *own = g_strndup(text, size);
	/* A return path has no links, so that a recipient of an email has one token only. */
	if (!link_token_read_hex(secret, kind, own, &token) || token.links != 0)
		return false;
	*path_r = (struct link_return_path){token.email, token.recipient};
	return true;
}

/* The bare address of the sender. The caller owns it. */
static char *
return_path_sender_of(const struct store_email *email)
{
	const char *open = strrchr(email->sender, '<');

	return open ? g_strndup(open + 1, strlen(open) - 2) : g_strdup(email->sender);
}

char *
link_return_path_host(const char *label, const char *domain)
{
	return g_strconcat(label ? label : STORE_DOMAIN_RETURN_PATH, ".", domain, NULL);
}

char *
link_return_path(const struct service *service, const struct store_email *email, guint recipient)
{
	const char *fixed = config_settings_text(service->settings, SETTING_SMTP_RETURN_PATH);
	const struct link_return_path path = {email->id, recipient};
	char token[TOKEN_HEX_SIZE];

	if (*fixed)
		return g_strdup(fixed);
	if (!store_email_has_domain(email))
		return return_path_sender_of(email);
	return_path_write_token(service, TOKEN_RETURN_PATH, &path, token);
	g_autofree char *host = link_return_path_host(email->return_path, email->domain);
	return g_strdup_printf("b+%s@%s", token, host);
}

void
link_return_path_envid(const struct service *service, const struct link_return_path *path,
    char envid_r[RETURN_PATH_ENVID_SIZE])
{
	return_path_write_token(service, TOKEN_ENVID, path, envid_r);
}

void
link_return_path_complaint(const struct service *service, const struct link_return_path *path,
    char token_r[RETURN_PATH_ENVID_SIZE])
{
	return_path_write_token(service, TOKEN_COMPLAINT, path, token_r);
}

/* Finds the first address of ours that begins with this letter. */
static bool
return_path_find(const struct service *service, enum link_token_kind kind, char letter,
    const char *text, struct link_return_path *path_r)
{
	for (const char *p = text; (p = strchr(p, '+')); p++)
		if (p > text && g_ascii_tolower(p[-1]) == letter &&
		    (p - 1 == text || !g_ascii_isalnum(p[-2])) &&
		    return_path_read_token(service, kind, p + 1, path_r))
			return true;
	return false;
}

bool
link_return_path_read(
    const struct service *service, const char *text, struct link_return_path *path_r)
{
	return return_path_find(service, TOKEN_RETURN_PATH, 'b', text, path_r);
}

bool
link_return_path_find_complaint(
    const struct service *service, const char *text, struct link_return_path *path_r)
{
	return return_path_find(service, TOKEN_COMPLAINT, 'c', text, path_r);
}

/* Reads a token that is the whole text. */
static bool
return_path_read_whole(const struct service *service, enum link_token_kind kind, const char *text,
    struct link_return_path *path_r)
{
	gsize size = strlen(text);

	return (size == SHARED_HEX || size == OWN_HEX) &&
	       return_path_read_token(service, kind, text, path_r);
}

bool
link_return_path_read_complaint(
    const struct service *service, const char *text, struct link_return_path *path_r)
{
	return return_path_read_whole(service, TOKEN_COMPLAINT, text, path_r);
}

bool
link_return_path_read_envid(
    const struct service *service, const char *text, struct link_return_path *path_r)
{
	return return_path_read_whole(service, TOKEN_ENVID, text, path_r);
}
