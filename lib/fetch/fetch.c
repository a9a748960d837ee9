/* Fetching a file: one transfer after another, as the redirects lead. */
#include "fetch/fetch.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "fetch/guard.h"
#include "fetch/transfer.h"
#include "fetch/url.h"

bool
fetch_url_valid(const char *url)
{
	g_autofree char *parsed = fetch_url_parse(url);

	return parsed != NULL;
}

static bool
check_networks(const char *const *allow, GError **error)
{
	for (; allow && *allow; allow++) {
		if (fetch_guard_network_valid(*allow))
			continue;
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
		    "\"%s\" among the allowed networks is not a network", *allow);
		return false;
	}
	return true;
}

/* Replaces *url by where the redirect leads. */
static bool
follow(char **url, const char *location, int redirects, GError **error)
{
	g_autofree char *next = NULL;
	g_autofree char *shown = NULL;

	if (redirects == LIMIT_FETCH_REDIRECTS) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "too many redirects, more than %d",
		    LIMIT_FETCH_REDIRECTS);
		return false;
	}
	next = fetch_url_resolve(*url, location);
	if (!next) {
		shown = fetch_url_show(location);
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "the server redirects to \"%s\", which is not a plain http or https URL",
		    shown);
		return false;
	}
	g_free(*url);
	*url = g_steal_pointer(&next);
	return true;
}

GBytes *
fetch_get(
    const char *url, const char *const *allow, gsize max_bytes, gint64 deadline, GError **error)
{
	struct bounds bounds = {allow, max_bytes, base_clock_boot(), deadline, NULL};
	g_autofree char *current = fetch_url_parse(url);

	if (!check_networks(allow, error))
		return NULL;
	if (!current) {
		g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID,
		    "it is not an absolute http or https URL without credentials");
		return NULL;
	}
	for (int redirects = 0;; redirects++) {
		GBytes *body;
		g_autofree char *location = NULL;

		if (!fetch_transfer_run(current, &bounds, &body, &location, error))
			return NULL;
		if (body)
			return body;
		if (!follow(&current, location, redirects, error))
			return NULL;
	}
}
