/* SPDX-License-Identifier: MIT */
/* Finds the relays of routes, and tells their state. */
#include "relay/route.h"

#include <stdbool.h>

#include "config/settings.h"
#include "relay/relay.h"

#define UNKNOWN "the settings do not have it"

static void
route_free_relay(void *data)
{
	struct relay_route_relay *relay = data;

	g_free(relay->name);
	g_free(relay->reason);
	g_free(relay);
}

static void
route_add(GPtrArray *relays, const char *name, gint64 rests_until, const char *reason)
{
	struct relay_route_relay *relay = g_new0(struct relay_route_relay, 1);

	relay->name = g_strdup(name);
	relay->rests_until = rests_until;
	relay->reason = g_strdup(reason);
	g_ptr_array_add(relays, relay);
}

/* Adds the names of routes, each once. *has_default_r: there is a route that is none. */
static GPtrArray *
read_names(const GPtrArray *routes, bool *has_default_r)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	*has_default_r = false;
	for (guint i = 0; i < routes->len; i++) {
		g_auto(GStrv) route = g_strsplit(routes->pdata[i] ? routes->pdata[i] : "", " ", -1);

		*has_default_r = *has_default_r || !routes->pdata[i];
		for (char **name = route; *name; name++)
			if (!g_ptr_array_find_with_equal_func(names, *name, g_str_equal, NULL))
				g_ptr_array_add(names, g_strdup(*name));
	}
	return names;
}

GPtrArray *
relay_route_relays(const struct config_settings *settings, const GPtrArray *routes)
{
	GPtrArray *relays = g_ptr_array_new_with_free_func(route_free_relay);
	struct relay_report report;
	bool has_default;
	g_autoptr(GPtrArray) names = read_names(routes, &has_default);

	for (guint i = 0; relay_slot_report(settings, i, &report); i++) {
		const struct config_relay *relay = report.relay;

		if ((has_default && relay->is_default) ||
		    g_ptr_array_find_with_equal_func(names, relay->name, g_str_equal, NULL))
			route_add(relays, relay->name, report.rests_until,
			    *report.refusal.text ? report.refusal.text : NULL);
	}
	for (guint i = 0; i < names->len; i++)
		if (relay_find(settings, names->pdata[i]) == RELAY_NONE)
			route_add(relays, names->pdata[i], 0, UNKNOWN);
	return relays;
}
