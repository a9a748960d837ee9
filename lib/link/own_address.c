/* SPDX-License-Identifier: MIT */
/* Tells the addresses of ours apart, and writes those for replies. */
#include "link/own_address.h"

#include <string.h>

#include "config/settings.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/email/email.h"

static const struct {
	char letter;
	enum link_own_kind kind;
	enum link_token_kind token;
} own_kinds[] = {
    {'u', LINK_OWN_UNSUBSCRIBE, TOKEN_UNSUBSCRIBE},
    {'d', LINK_OWN_REPORTS, TOKEN_DOMAIN},
    {'r', LINK_OWN_REPLY, TOKEN_REPLY},
};

/* Reads a return path or an address for complaints, which a message to several has without a
   recipient. */
static enum link_own_kind
own_path(
    const struct service *service, const char *local, bool complains, struct link_token *token_r)
{
	struct link_return_path path;

	if (!(complains ? link_return_path_find_complaint : link_return_path_read)(
		service, local, &path))
		return LINK_OWN_NONE;
	*token_r = (struct link_token){
	    complains ? TOKEN_COMPLAINT : TOKEN_RETURN_PATH, path.email, path.recipient, 0};
	return complains ? LINK_OWN_COMPLAINT : LINK_OWN_RETURN_PATH;
}

enum link_own_kind
link_own_address(const struct service *service, const char *address, struct link_token *token_r)
{
	const struct base_secret *secret = config_settings_secret(service->settings);
	const char *at = strrchr(address, '@');
	g_autofree char *local = at ? g_strndup(address, (gsize)(at - address)) : NULL;
	const char *text = local ? local : address;
	struct link_token own;

	if (!token_r)
		token_r = &own;
	if (!*text || text[1] != '+')
		return LINK_OWN_NONE;
	char letter = g_ascii_tolower(*text);
	if (letter == 'b' || letter == 'c')
		return own_path(service, text, letter == 'c', token_r);
	for (guint i = 0; i < G_N_ELEMENTS(own_kinds); i++)
		if (letter == own_kinds[i].letter &&
		    link_token_read_hex(secret, own_kinds[i].token, text + 2, token_r))
			return own_kinds[i].kind;
	return LINK_OWN_NONE;
}

bool
link_own_address_is_fixed(const struct service *service, const char *address)
{
	const struct config_settings *settings = service->settings;
	const char *fixed = config_settings_text(settings, SETTING_SMTP_RETURN_PATH);
	guint count = config_settings_relay_count(settings);

	for (guint i = 0; i <= count; i++) {
		if (fixed && *fixed && g_ascii_strcasecmp(fixed, address) == 0)
			return true;
		fixed = i < count ? config_settings_relay(settings, i)->return_path : NULL;
	}
	return false;
}

char *
link_own_address_reply(
    const struct service *service, const struct store_email *email, guint recipient)
{
	const struct link_token token = {TOKEN_REPLY, email->id, recipient, 0};
	g_autofree char *host = link_return_path_host(email->return_path, email->domain);
	char hex[TOKEN_HEX_SIZE];

	link_token_write_hex(config_settings_secret(service->settings), &token, hex);
	return g_strdup_printf("r+%s@%s", hex, host);
}
