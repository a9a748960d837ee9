/* SPDX-License-Identifier: MIT */
/* The relays, as the settings name them. */
#include "core/relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

static void
free_relay(void *data)
{
	struct smtp_relay *relay = data;

	g_free((char *)relay->host);
	g_free(relay);
}

GPtrArray *
core_relay_list(const struct base_settings *settings)
{
	GPtrArray *relays = g_ptr_array_new_with_free_func(free_relay);

	for (const char *const *host = base_settings_list(settings, SETTING_SMTP_HOST); *host;
	     host++) {
		const char *colon = strchr(*host, ':');
		struct smtp_relay *relay = g_new0(struct smtp_relay, 1);

		relay->host = g_strndup(*host, colon ? (gsize)(colon - *host) : strlen(*host));
		relay->port = colon ? (guint)atoi(colon + 1)
				    : (guint)base_settings_number(settings, SETTING_SMTP_PORT);
		relay->tls =
		    (enum base_setting_tls)base_settings_choice(settings, SETTING_SMTP_TLS);
		relay->tls_ca = base_settings_text(settings, SETTING_SMTP_TLS_CA);
		relay->unverified = !base_settings_switch(settings, SETTING_SMTP_TLS_VERIFY);
		relay->user = base_settings_text(settings, SETTING_SMTP_USER);
		relay->password = base_settings_text(settings, SETTING_SMTP_PASSWORD);
		relay->helo = base_settings_text(settings, SETTING_SMTP_HELO);
		relay->connect_timeout_s =
		    (guint)base_settings_number(settings, SETTING_SMTP_CONNECT_TIMEOUT);
		relay->timeout_s = (guint)base_settings_number(settings, SETTING_SMTP_TIMEOUT);
		relay->dot_timeout_s =
		    (guint)base_settings_number(settings, SETTING_SMTP_DATA_TIMEOUT);
		relay->dsn = base_settings_switch(settings, SETTING_SMTP_DSN);
		g_ptr_array_add(relays, relay);
	}
	return relays;
}
