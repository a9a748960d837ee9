/* SPDX-License-Identifier: MIT */
/* The rules by which a receiving domain treats mail: checks one, and finds that of an address. */
#ifndef RECEIVED_RULE_H
#define RECEIVED_RULE_H

#include <glib.h>
#include <stdbool.h>

struct json_view;
struct store_receiving_route;

/* The members of a route, a struct store_receiving_route, in answers. */
extern const struct json_view received_rule_view;

/* The members to set; one that is NULL stays as it is. */
struct received_rule_wish {
	const char *match, *action;
	const char *const *forward_to; /* NULL-terminated */
	const char *reason;
	bool clears_reason;
};

/* Sets the members of a route of this domain, and takes away those that mean nothing with its
   action. The match is required where the route has none yet. INVALID, with the sentences of
   posthouse-api(7). */
bool received_rule_set(struct store_receiving_route *route, const char *domain,
    const struct received_rule_wish *wish, GError **error);

/* The first of routes that fits a local part, whatever its case: the whole local part; what stands
   before its first +; the longest start; *. NULL: none. Borrowed. */
const struct store_receiving_route *received_rule_find(const GPtrArray *routes, const char *local);

/* The addresses to which a route forwards, NULL-terminated. The caller owns them. */
char **received_rule_addresses(const char *json);

/* A JSON array of texts. The caller owns it. */
char *received_rule_print(const char *const *texts);

#endif
