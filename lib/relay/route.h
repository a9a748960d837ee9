/* SPDX-License-Identifier: MIT */
/* The relays of routes (store/outbox/route.h), as their tenants may see them: the events of their
   emails tell the same names and sentences. */
#ifndef RELAY_ROUTE_H
#define RELAY_ROUTE_H

#include <glib.h>

struct config_settings;

struct relay_route_relay {
	char *name;
	gint64 rests_until; /* epoch ms; 0: it takes mail */
	char *reason;	    /* why it takes none; NULL: it does */
};

/* The relays of routes, each once, as this machine knows them, in the order of the settings; those
   that the settings do not have follow. routes: of char *. An array of struct relay_route_relay,
   which the caller owns. */
GPtrArray *relay_route_relays(const struct config_settings *settings, const GPtrArray *routes);

#endif
