/* SPDX-License-Identifier: MIT */
/* The addresses by which readers of a message are known. */
#include "core/tracking.h"

#include <string.h>

#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/token.h"
#include "store/email.h"

const char *
core_tracking_base(const struct base_settings *settings)
{
	const char *url = base_settings_text(settings, SETTING_SERVICE_URL);

	return strcmp(url, base_settings_describe(SETTING_SERVICE_URL)->fallback) == 0 ? NULL : url;
}

char *
core_tracking_url(const struct core *core, const struct core_token *token, const char *destination)
{
	static const char *const places[] = {
	    [TOKEN_OPEN] = "o", [TOKEN_CLICK] = "c", [TOKEN_UNSUBSCRIBE] = "u"};
	const char *base = core_tracking_base(core->settings);
	char text[TOKEN_TEXT_SIZE];

	if (!base)
		return NULL;
	core_token_write(base_settings_secret(core->settings), token, destination, text);
	g_autofree char *link =
	    destination ? base_secret_base64url(destination, strlen(destination)) : NULL;
	return g_strconcat(
	    base, "/t/", places[token->kind], "/", text, link ? "?d=" : NULL, link, NULL);
}

char *
core_tracking_unsubscribe_url(const struct core *core, const struct base_id *email, guint number)
{
	const struct core_token token = {TOKEN_UNSUBSCRIBE, *email, number, 0};

	return core_tracking_url(core, &token, NULL);
}

char *
core_tracking_shown_url(const struct core *core, const struct store_email *email)
{
	return email->recipients->len == 1 ? core_tracking_unsubscribe_url(core, &email->id, 0)
					   : g_strdup("{{unsubscribe_url}}");
}

char *
core_tracking_unsubscribe_address(
    const struct core *core, const struct store_email *email, guint number)
{
	const struct core_token token = {TOKEN_UNSUBSCRIBE, email->id, number, 0};
	char text[TOKEN_HEX_SIZE];

	if (*base_settings_text(core->settings, SETTING_SMTP_RETURN_PATH))
		return NULL;
	core_token_write_hex(base_settings_secret(core->settings), &token, text);
	return g_strdup_printf("u+%s@send.%s", text, email->domain);
}
