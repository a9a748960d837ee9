/* SPDX-License-Identifier: MIT */
/* Where a request comes from. */
#include "fcgi/client.h"

#include <string.h>

#include "base/settings.h"
#include "fcgi/request.h"

static bool
is_port(const char *text)
{
	return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT16, NULL, NULL);
}

/* 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1], [2001:db8::1]:80. Changes text. */
static bool
parse(char *text, struct base_network_address *address_r)
{
	if (base_network_address(text, address_r))
		return true;
	char *bracket = *text == '[' ? strchr(text, ']') : NULL;
	char *rest = bracket ? bracket + 1 : strrchr(text, ':');
	if (!rest || (*rest && (*rest != ':' || !is_port(rest + 1))))
		return false;
	*(bracket ? bracket : rest) = '\0';
	return base_network_address(bracket ? text + 1 : text, address_r);
}

/* Goes back over those that handed the request on, while they can be trusted. */
static void
trace(const char *header, const char *const *trusted, struct base_network_address *address)
{
	g_auto(GStrv) entries = g_strsplit(header, ",", -1);

	for (guint i = g_strv_length(entries); i-- > 0;) {
		struct base_network_address entry;

		if (!parse(g_strstrip(entries[i]), &entry))
			continue;
		*address = entry;
		if (!base_network_holds(trusted, &entry))
			return;
	}
}

bool
fcgi_client_address(const struct fcgi_request *request, const struct base_settings *settings,
    char text_r[ADDRESS_TEXT_SIZE])
{
	const char *const *trusted = base_settings_list(settings, SETTING_SERVICE_TRUST_PROXY);
	const char *peer = fcgi_request_header(request, "REMOTE_ADDR");
	const char *header = fcgi_request_header(request, "HTTP_X_FORWARDED_FOR");
	struct base_network_address address;

	if (!peer || !base_network_address(peer, &address))
		return false;
	if (header && base_network_holds(trusted, &address))
		trace(header, trusted, &address);
	return base_network_format(&address, text_r);
}
