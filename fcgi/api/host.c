/* SPDX-License-Identifier: MIT */
/* Keeps everything but links away from the tracking hosts of domains. */
#include "fcgi/api/host.h"

#include <string.h>

#include "domain/tracking.h"
#include "fcgi/http/request.h"
#include "service/service.h"

char *
fcgi_host_of(const struct fcgi_request *request)
{
	const char *header = fcgi_request_header(request, "HTTP_HOST");

	if (!header)
		return NULL;
	/* An IPv6 address stands in brackets. */
	const char *colon = strrchr(header, ':');
	gsize size = colon && !strchr(colon, ']') ? (gsize)(colon - header) : strlen(header);
	if (size > 0 && header[size - 1] == '.')
		size--;
	return g_ascii_strdown(header, (gssize)size);
}

/* Whether a path is below one that tracking hosts have. */
static bool
host_has_path(const char *path)
{
	static const char *const begins[] = {"/t/", "/f/", "/avatar/"};

	for (guint i = 0; i < G_N_ELEMENTS(begins); i++)
		if (g_str_has_prefix(path, begins[i]))
			return true;
	return strcmp(path, "/health") == 0;
}

bool
fcgi_host_serves(
    struct service *service, const struct fcgi_request *request, bool *serves_r, GError **error)
{
	bool tracks = false;

	*serves_r = true;
	if (request->path && host_has_path(request->path))
		return true;
	g_autofree char *host = fcgi_host_of(request);
	if (!host || !domain_tracking_may_be_host(service->settings, host))
		return true;
	if (!service_ensure(service, error) ||
	    !domain_tracking_is_host(service, host, &tracks, error))
		return false;
	*serves_r = !tracks;
	return true;
}
