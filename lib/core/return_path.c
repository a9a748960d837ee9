/* By what an email is known again when it comes back. */
#include "core/return_path.h"

#include <string.h>

#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "store/email.h"

#define PATH "return-path"
#define ENVID "envid"
#define ID_SIZE sizeof(struct id)
#define TAG_SIZE 8
#define TOKEN_SIZE (ID_SIZE + TAG_SIZE)

G_STATIC_ASSERT(2 * TOKEN_SIZE + 1 == RETURN_PATH_ENVID_SIZE);

static void
write_token(const struct core *core, const char *purpose, const struct id *email,
    char text_r[RETURN_PATH_ENVID_SIZE])
{
	guint8 bytes[TOKEN_SIZE];

	memcpy(bytes, email->bytes, ID_SIZE);
	base_secret_sign(base_settings_secret(core->settings), purpose, bytes, ID_SIZE,
	    bytes + ID_SIZE, TAG_SIZE);
	for (gsize i = 0; i < TOKEN_SIZE; i++)
		g_snprintf(text_r + 2 * i, 3, "%02x", bytes[i]);
}

/* A token in front of text, and no further digit behind it. */
static bool
read_token(const struct core *core, const char *purpose, const char *text, struct id *email_r)
{
	guint8 bytes[TOKEN_SIZE];

	for (gsize i = 0; i < TOKEN_SIZE; i++) {
		int high = g_ascii_xdigit_value(text[2 * i]);
		int low = high < 0 ? -1 : g_ascii_xdigit_value(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (guint8)(high << 4 | low);
	}
	if (g_ascii_isalnum(text[2 * TOKEN_SIZE]) ||
	    !base_secret_verify(base_settings_secret(core->settings), purpose, bytes, ID_SIZE,
		bytes + ID_SIZE, TAG_SIZE))
		return false;
	memcpy(email_r->bytes, bytes, ID_SIZE);
	return true;
}

char *
core_return_path(const struct core *core, const struct email *email)
{
	const char *fixed = base_settings_text(core->settings, SETTING_SMTP_RETURN_PATH);
	char token[RETURN_PATH_ENVID_SIZE];

	if (*fixed)
		return g_strdup(fixed);
	write_token(core, PATH, &email->id, token);
	return g_strdup_printf("b+%s@send.%s", token, email->domain);
}

void
core_return_path_envid(
    const struct core *core, const struct id *email, char envid_r[RETURN_PATH_ENVID_SIZE])
{
	write_token(core, ENVID, email, envid_r);
}

bool
core_return_path_read(const struct core *core, const char *text, struct id *email_r)
{
	for (const char *p = text; (p = strchr(p, '+')); p++)
		if (p > text && (p[-1] == 'b' || p[-1] == 'B') &&
		    (p - 1 == text || !g_ascii_isalnum(p[-2])) &&
		    read_token(core, PATH, p + 1, email_r))
			return true;
	return false;
}

bool
core_return_path_read_envid(const struct core *core, const char *text, struct id *email_r)
{
	return strlen(text) == RETURN_PATH_ENVID_SIZE - 1 && read_token(core, ENVID, text, email_r);
}
