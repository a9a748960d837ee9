/* SPDX-License-Identifier: MIT */
/* Fetches links one after the other. */
#include "link/link_check.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/fetch.h"
#include "config/settings.h"
#include "fetch/fetch.h"
#include "service/fetching.h"
#include "service/service.h"

#define ANSWER_BYTES (64 * 1024) /* more is an answer, too */

/* Asks for one URL. *why_r: why it does not answer; NULL: it does. */
static bool
link_check_ask(
    const struct fetch_rules *rules, const char *url, gint64 end, char **why_r, GError **error)
{
	gint64 now = base_clock_boot();
	g_autoptr(GError) failure = NULL;
	g_autoptr(GBytes) body =
	    now < end ? fetch_get(url, rules, ANSWER_BYTES, MIN(end, now + LIMIT_LINK_MS), &failure)
		      : NULL;

	if (body || g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE))
		return true;
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	*why_r = g_strdup(failure ? failure->message : "no time was left for it");
	return true;
}

GPtrArray *
link_check(
    struct service *service, const struct base_id *workspace, const GPtrArray *urls, GError **error)
{
	const struct fetch_rules rules = {
	    config_settings_list(service->settings, SETTING_FETCH_ALLOW),
	    config_settings_list(service->settings, SETTING_FETCH_PORTS)};
	g_autoptr(GPtrArray) faults = g_ptr_array_new_with_free_func(g_free);
	gint64 end = base_clock_boot() + LIMIT_FETCH_MS;
	bool done = true;
	int slot;

	if (!service_fetching_begin(service, workspace, &slot, error))
		return NULL;
	for (guint i = 0; done && i < urls->len; i++) {
		char *why = NULL;

		done = link_check_ask(&rules, urls->pdata[i], end, &why, error);
		g_ptr_array_add(faults, why);
	}
	service_fetching_end(slot);
	return done ? g_steal_pointer(&faults) : NULL;
}
