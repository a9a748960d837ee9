/* SPDX-License-Identifier: MIT */
/* Whether the settings can be read, and make sense. */
#include <string.h>

#include "base/hostname.h"
#include "base/settings.h"
#include "base/startup.h"
#include "cli/check.h"
#include "core/tracking.h"
#include "core/zone.h"

void
cli_check_settings(struct cli_examination *examination)
{
	const char *path = base_settings_path(examination->config);
	g_autoptr(GError) error = NULL;

	examination->settings = base_startup_read(examination->config, &error);
	if (!examination->settings) {
		cli_check_bad(examination, "settings", STATE_FAIL,
		    "posthouse.conf(5) tells of all settings.", "%s", error->message);
		return;
	}
	cli_check_ok(examination, "settings", "%s", path);
	/* They have been read, and are nobody else's to read, or the settings were refused. */
	cli_check_ok(examination, "secrets", "%s",
	    base_settings_text(examination->settings, SETTING_SERVICE_SECRET_FILE));
}

static bool
is_local(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       g_str_has_prefix(host, "127.");
}

void
cli_check_url(struct cli_examination *examination)
{
	if (!examination->settings)
		return;
	const char *url = base_settings_text(examination->settings, SETTING_SERVICE_URL);
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;
	bool encrypted = uri && strcmp(g_uri_get_scheme(uri), "https") == 0;

	if (!core_tracking_base(examination->settings))
		cli_check_bad(examination, "url", STATE_WARN,
		    "Set url in section [service] to the address that the public sees.",
		    "it is not set, so opens and clicks are not tracked, and there is no page to "
		    "unsubscribe");
	else if (!host || is_local(host))
		cli_check_bad(examination, "url", STATE_WARN,
		    "Set url in section [service] to the address that the public sees.",
		    "links in mail lead to %s, which is each reader's own machine", url);
	else if (!encrypted)
		cli_check_bad(examination, "url", STATE_WARN,
		    "Serve https, and set url in section [service].",
		    "%s is not encrypted, nor are the API keys that pass there", url);
	else
		cli_check_ok(examination, "url", "%s", url);
}

/* The MX that every domain is told to publish. */
void
cli_check_mx(struct cli_examination *examination)
{
	if (!examination->settings)
		return;
	g_autofree char *mx = core_zone_mx(examination->settings);
	g_autofree char *name = base_hostname_ascii(mx);

	if (name)
		cli_check_ok(examination, "mx", "delivery reports come back to %s", mx);
	else
		cli_check_bad(examination, "mx", STATE_WARN,
		    "Set mail_from_mx in section [service] to the name that DNS has of the server "
		    "which takes delivery reports.",
		    "domains are to publish the MX \"%s\", which is no name in DNS, so no delivery "
		    "report finds its way back",
		    mx);
}
