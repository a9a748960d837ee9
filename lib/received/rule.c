/* SPDX-License-Identifier: MIT */
/* Checks routes of receiving domains, and finds the one that fits an address. */
#include "received/rule.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/received.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/view.h"
#include "json/writer.h"
#include "mail/address.h"
#include "store/received/route.h"

static struct json_view_value
rule_read_action(const void *row)
{
	const struct store_receiving_route *route = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_receiving_action_name(route->action)};
}

static struct json_view_value
rule_read_addresses(const void *row)
{
	const struct store_receiving_route *route = row;

	return (struct json_view_value){
	    .type = VIEW_JSON, .text = route->forward_to ? route->forward_to : "[]"};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_receiving_route, id),
    JSON_VIEW_MEMBER("match", VIEW_TEXT, struct store_receiving_route, pattern),
    {"action", VIEW_MADE, .read = rule_read_action},
    {"forward_to", VIEW_MADE, .read = rule_read_addresses},
    JSON_VIEW_MEMBER("reason", VIEW_TEXT, struct store_receiving_route, reason),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_receiving_route, created),
};
const struct json_view received_rule_view = JSON_VIEW(members);

/* Whether a text is a local part without quotes, or, with is_start, the start of one. */
static bool
rule_is_local(const char *text, gsize size, bool is_start)
{
	if (size == 0 || size > LIMIT_RECEIVED_MATCH || *text == '.' ||
	    (!is_start && text[size - 1] == '.'))
		return false;
	for (gsize i = 0; i < size; i++) {
		bool dots = text[i] == '.' && i + 1 < size && text[i + 1] == '.';

		if (dots || text[i] == '*' || (text[i] != '.' && !mail_addr_spec_is_atext(text[i])))
			return false;
	}
	return true;
}

static bool
rule_set_match(struct store_receiving_route *route, const char *match, GError **error)
{
	gsize size = strlen(match);
	bool is_start = size > 1 && match[size - 1] == '*';

	if (strcmp(match, "*") != 0 && !rule_is_local(match, size - is_start, is_start))
		return base_invalid(
		    error, "match must be a local part, the start of one with *, or *");
	g_free(route->pattern);
	route->pattern = g_ascii_strdown(match, -1);
	return true;
}

static bool
rule_set_action(struct store_receiving_route *route, const char *name, GError **error)
{
	enum store_receiving_action action = store_receiving_action(name);

	if (action == 0)
		return base_invalid(error, "action must be one of store, forward, drop, refuse");
	route->action = action;
	return true;
}

static bool
rule_is_within(const char *domain, const char *address)
{
	const char *at = strrchr(address, '@');

	return at && g_ascii_strcasecmp(at + 1, domain) == 0;
}

static bool
rule_set_addresses(struct store_receiving_route *route, const char *domain,
    const char *const *given, GError **error)
{
	g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; given[i]; i++) {
		char *address = mail_address_normal(given[i], MAIL_LOCAL_SENDABLE, error);

		if (!address) {
			g_prefix_error(error, "forward_to[%u] ", i);
			return false;
		}
		g_ptr_array_add(addresses, address);
		if (rule_is_within(domain, address))
			return base_invalid(error, "forward_to must not lead back to %s", domain);
	}
	if (addresses->len > LIMIT_RECEIVED_FORWARDS)
		return base_invalid(
		    error, "forward_to must have at most %d elements", LIMIT_RECEIVED_FORWARDS);
	g_ptr_array_add(addresses, NULL);
	g_free(route->forward_to);
	route->forward_to =
	    addresses->len > 1 ? received_rule_print((const char *const *)addresses->pdata) : NULL;
	return true;
}

static bool
rule_set_reason(struct store_receiving_route *route, const char *reason, GError **error)
{
	gsize size = strlen(reason);

	for (gsize i = 0; i < size; i++)
		if (!g_ascii_isprint(reason[i]))
			return base_invalid(error, "reason must be printable ASCII");
	if (size < 1 || size > LIMIT_RECEIVED_REASON)
		return base_invalid(
		    error, "reason must be 1 to %d characters", LIMIT_RECEIVED_REASON);
	g_free(route->reason);
	route->reason = g_strdup(reason);
	return true;
}

bool
received_rule_set(struct store_receiving_route *route, const char *domain,
    const struct received_rule_wish *wish, GError **error)
{
	if (!wish->match && !route->pattern)
		return base_invalid(error, "match is required");
	if (wish->clears_reason)
		g_clear_pointer(&route->reason, g_free);
	if (route->action == 0)
		route->action = RECEIVING_STORE;
	if ((wish->match && !rule_set_match(route, wish->match, error)) ||
	    (wish->action && !rule_set_action(route, wish->action, error)) ||
	    (wish->forward_to && !rule_set_addresses(route, domain, wish->forward_to, error)) ||
	    (wish->reason && !rule_set_reason(route, wish->reason, error)))
		return false;
	if (route->action != RECEIVING_FORWARD)
		g_clear_pointer(&route->forward_to, g_free);
	else if (!route->forward_to)
		return base_invalid(error, "forward_to is required");
	if (route->action != RECEIVING_REFUSE)
		g_clear_pointer(&route->reason, g_free);
	return true;
}

static const struct store_receiving_route *
rule_find_whole(const GPtrArray *routes, const char *local)
{
	for (guint i = 0; i < routes->len; i++) {
		const struct store_receiving_route *route = routes->pdata[i];

		if (strcmp(route->pattern, local) == 0)
			return route;
	}
	return NULL;
}

/* The route with the longest start of the local part; that of * is empty. */
static const struct store_receiving_route *
rule_find_start(const GPtrArray *routes, const char *local)
{
	const struct store_receiving_route *best = NULL;
	gsize longest = 0;

	for (guint i = 0; i < routes->len; i++) {
		const struct store_receiving_route *route = routes->pdata[i];
		gsize size = strlen(route->pattern);

		if (size == 0 || route->pattern[size - 1] != '*' ||
		    strncmp(route->pattern, local, size - 1) != 0)
			continue;
		if (!best || size > longest) {
			best = route;
			longest = size;
		}
	}
	return best;
}

const struct store_receiving_route *
received_rule_find(const GPtrArray *routes, const char *local)
{
	g_autofree char *key = g_ascii_strdown(local, -1);
	const struct store_receiving_route *route = rule_find_whole(routes, key);
	const char *plus = strchr(key, '+');

	if (!route && plus && plus > key) {
		g_autofree char *base = g_strndup(key, (gsize)(plus - key));
		route = rule_find_whole(routes, base);
	}
	return route ? route : rule_find_start(routes, key);
}

char **
received_rule_addresses(const char *json)
{
	AUTO(json) list = json ? json_parse_any(json, strlen(json), NULL) : NULL;
	GPtrArray *addresses = g_ptr_array_new();

	for (gsize i = 0; i < json_array_length(list); i++)
		g_ptr_array_add(addresses, g_strdup(json_string(json_array_at(list, i), NULL)));
	g_ptr_array_add(addresses, NULL);
	return (char **)g_ptr_array_free(addresses, FALSE);
}

char *
received_rule_print(const char *const *texts)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	for (; *texts; texts++)
		json_writer_string(writer, NULL, *texts);
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}
