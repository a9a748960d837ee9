/* SPDX-License-Identifier: MIT */
/* Decides about recipients of incoming mail. */
#include "received/route.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "link/own_address.h"
#include "mail/address.h"
#include "received/door.h"
#include "received/rule.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/domain/domain.h"
#include "store/domain/settings.h"
#include "store/feedback/report.h"
#include "store/received/received.h"
#include "store/workspace/limit.h"
#include "store/workspace/quota.h"
#include "store/workspace/workspace.h"

#define NO_ADDRESS "550 5.1.1 No such address here"
#define DAY_MS ((gint64)24 * 60 * 60 * 1000)

static void
route_target_free(void *data)
{
	struct received_target *target = data;

	g_free(target->domain_name);
	g_free(target->forward_to);
	g_free(target->sender);
	g_free(target);
}

void
received_route_free(struct received_route *route)
{
	g_free(route->address);
	g_free(route->key);
	g_ptr_array_unref(route->targets);
	g_free(route);
}

bool
received_route_drops(const struct received_route *route)
{
	for (guint i = 0; i < route->targets->len; i++)
		if (((struct received_target *)route->targets->pdata[i])->action != RECEIVING_DROP)
			return false;
	return true;
}

static struct received_route *
route_new(const char *address)
{
	struct received_route *route = g_new0(struct received_route, 1);

	route->address = g_strdup(address);
	route->key = mail_address_key(address);
	route->targets = g_ptr_array_new_with_free_func(route_target_free);
	return route;
}

static enum received_decision
route_refuse(char **reply_r, char *reply)
{
	g_free(*reply_r);
	*reply_r = reply;
	return RECEIVED_REFUSED;
}

/* Whether a workspace has room for another mail. *full_r: the reply where it has none. */
static bool
route_has_room(struct service *service, const struct base_id *workspace,
    const struct store_receiving_quota *quota, char **full_r, GError **error)
{
	const gint64 messages = quota->messages, bytes = quota->bytes;
	struct db *db = service->db;
	gint64 used = 0;

	if (messages > 0 && !store_received_count(db, workspace,
				store_quota_start(QUOTA_DAY, base_clock_now()), &used, error))
		return false;
	if (messages > 0 && used >= messages) {
		route_refuse(
		    full_r, g_strdup_printf("452 4.2.2 Quota reached: at most %" G_GINT64_FORMAT
					    " messages per day",
				messages));
		return true;
	}
	if (bytes > 0 && !store_received_bytes(db, workspace, &used, error))
		return false;
	if (bytes > 0 && used >= bytes)
		route_refuse(full_r,
		    g_strdup_printf(
			"452 4.2.2 Quota reached: at most %" G_GINT64_FORMAT " bytes", bytes));
	return true;
}

/* Whether an email can have had an address for replies at a host, LABEL.DOMAIN: its From is at
   DOMAIN, or below it. */
static bool
route_may_have(const struct store_reported *email, const char *host)
{
	AUTO(mail_address) sender = mail_address_reread(email->sender, NULL);
	const char *domain = strchr(host, '.');

	if (!sender || !domain)
		return false;
	g_autofree char *from = g_strconcat(".", mail_address_domain(sender), NULL);
	gsize size = strlen(from), end = strlen(domain);
	return size >= end && g_ascii_strcasecmp(from + size - end, domain) == 0;
}

/* Decides about an address for replies, whose token is authentic. */
static enum received_decision
route_reply(struct service *service, const char *address, const struct link_token *token,
    struct received_route **route_r, char **reply_r, GError **error)
{
	const char *host = strrchr(address, '@') + 1;
	gint64 days = config_settings_number(service->settings, SETTING_MAILINGS_REPLY_DAYS);
	g_autoptr(GError) failure = NULL;
	struct store_limits limits;

	if (base_id_time(&token->email) + days * DAY_MS < base_clock_now())
		return route_refuse(reply_r, g_strdup(NO_ADDRESS));
	AUTO(store_reported) email = store_report_find(service->db, &token->email, &failure);
	if (!email && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return RECEIVED_FAILED;
	}
	if (!email || token->recipient >= email->recipients->len || !route_may_have(email, host))
		return route_refuse(reply_r, g_strdup(NO_ADDRESS));
	if (!store_limit_read(service->db, &email->workspace_id, &limits, error))
		return RECEIVED_FAILED;
	const struct store_receiving_quota quota = {
	    store_limit_value(&limits, SETTING_LIMITS_RECEIVED_PER_DAY),
	    store_limit_value(&limits, SETTING_LIMITS_RECEIVED_BYTES)};
	if (!route_has_room(service, &email->workspace_id, &quota, reply_r, error))
		return RECEIVED_FAILED;
	if (*reply_r)
		return RECEIVED_REFUSED;
	struct received_route *route = route_new(address);
	struct received_target *target = g_new0(struct received_target, 1);
	target->workspace = email->workspace_id;
	target->action = RECEIVING_STORE;
	target->is_reply = true;
	target->email = token->email;
	target->recipient = token->recipient;
	g_ptr_array_add(route->targets, target);
	*route_r = route;
	return RECEIVED_ROUTE;
}

/* Whether mail for this local part goes to the postmaster of the settings. */
static bool
route_is_postmaster(const struct service *service, const char *local)
{
	return *config_settings_text(service->settings, SETTING_SMTPD_POSTMASTER) &&
	       (g_ascii_strcasecmp(local, "postmaster") == 0 ||
		   g_ascii_strcasecmp(local, "abuse") == 0);
}

/* Adds the postmaster, to whom the workspace forwards what it stores. The target is the route's. */
static struct received_target *
route_add_postmaster(const struct service *service, const struct base_id *workspace,
    const char *host, struct received_route *route)
{
	struct received_target *target = g_new0(struct received_target, 1);

	target->workspace = *workspace;
	target->domain_name = g_strdup(host);
	target->action = RECEIVING_FORWARD;
	/* The setting has no character that JSON escapes. */
	target->forward_to = g_strdup_printf(
	    "[\"%s\"]", config_settings_text(service->settings, SETTING_SMTPD_POSTMASTER));
	g_ptr_array_add(route->targets, target);
	return target;
}

/* Asks one of the domains. *reply_r is set where it does not take the address; else a target is
   added. A reply of 4xx stays before others. */
static bool
route_ask_domain(struct service *service, const struct store_receiving_domain *domain,
    const char *local, struct received_route *route, char **reply_r, GError **error)
{
	const struct store_receiving_route *rule = received_rule_find(domain->routes, local);
	g_autofree char *full = NULL;

	if (!rule && route_is_postmaster(service, local)) {
		route_add_postmaster(service, &domain->workspace_id, domain->name, route);
		return true;
	}
	if (!rule || rule->action == RECEIVING_REFUSE) {
		if (!*reply_r || **reply_r != '4')
			route_refuse(reply_r, rule && rule->reason
						  ? g_strconcat("550 5.7.1 ", rule->reason, NULL)
						  : g_strdup(NO_ADDRESS));
		return true;
	}
	if (!domain->verified) {
		route_refuse(
		    reply_r, g_strdup_printf("450 4.7.1 Domain %s is not verified", domain->name));
		return true;
	}
	if (rule->action != RECEIVING_DROP &&
	    !route_has_room(service, &domain->workspace_id, &domain->quota, &full, error))
		return false;
	if (full) {
		route_refuse(reply_r, g_steal_pointer(&full));
		return true;
	}
	struct received_target *target = g_new0(struct received_target, 1);
	target->workspace = domain->workspace_id;
	target->has_domain = true;
	target->domain = domain->id;
	target->domain_name = g_strdup(domain->name);
	target->route = rule->id;
	target->action = rule->action;
	target->forward_to = g_strdup(rule->forward_to);
	g_ptr_array_add(route->targets, target);
	return true;
}

/* Whether a host is the server itself, or that of return paths of a domain of ours. */
static bool
route_is_own_host(struct service *service, const char *host, bool *own_r, GError **error)
{
	const char *name = config_settings_text(service->settings, SETTING_SMTPD_HOSTNAME);

	*own_r = g_ascii_strcasecmp(host, *name ? name : g_get_host_name()) == 0;
	return *own_r || store_domain_host_returns(service->db, host, own_r, error);
}

/* The workspace that has the nearest domain to a host; NULL with or without an error. The caller
   frees it. */
static struct store_workspace *
route_workspace_near(struct service *service, const char *host, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct store_workspace *workspace = store_workspace_of_domain(service->db, host, &failure);

	store_found(g_steal_pointer(&failure), NULL, error);
	return workspace;
}

/* The workspace to which no host leads, but that can forward to the postmaster: that of the
   postmaster's own domain, else the only one. NULL with or without an error. The caller frees it.
 */
static struct store_workspace *
route_workspace_of_postmaster(struct service *service, GError **error)
{
	const char *address = config_settings_text(service->settings, SETTING_SMTPD_POSTMASTER);
	g_autofree char *host = g_ascii_strdown(strrchr(address, '@') + 1, -1);
	g_autoptr(GError) failure = NULL;
	struct store_workspace *workspace = route_workspace_near(service, host, &failure);

	if (!workspace && !failure)
		workspace = store_workspace_find(service->db, NULL, &failure);
	/* INVALID: there are several. */
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID))
		store_found(g_steal_pointer(&failure), NULL, error);
	return workspace;
}

/* Adds the postmaster for a host of ours, by the workspace that has its nearest domain, so that its
   mail can be forwarded. No workspace may send from a host that is below none of the domains: then
   the mail is forwarded from the workspace's default sender. */
static bool
route_ask_postmaster(
    struct service *service, const char *host, struct received_route *route, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_workspace) near = route_workspace_near(service, host, &failure);
	AUTO(store_workspace)
	other = near || failure ? NULL : route_workspace_of_postmaster(service, &failure);

	if (failure) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	if (near)
		route_add_postmaster(service, &near->id, host, route);
	if (!other)
		return true;
	struct received_target *target = route_add_postmaster(service, &other->id, host, route);
	AUTO(mail_address)
	sender = other->default_sender ? mail_address_parse(other->default_sender, NULL) : NULL;
	target->sender = sender ? g_strdup(sender->address) : NULL;
	return true;
}

/* Decides about an address of which no domain receives: those at our hosts are known, all others
   are strange. */
static enum received_decision
route_unknown(struct service *service, const char *host, const char *local,
    struct received_route **route_r, char **reply_r, GError **error)
{
	AUTO(received_route) route = *route_r;
	bool own;

	*route_r = NULL;
	if (!route_is_own_host(service, host, &own, error) ||
	    (own && route_is_postmaster(service, local) &&
		!route_ask_postmaster(service, host, route, error)))
		return RECEIVED_FAILED;
	if (route->targets->len > 0) {
		*route_r = g_steal_pointer(&route);
		return RECEIVED_ROUTE;
	}
	return own ? route_refuse(reply_r, g_strdup(NO_ADDRESS)) : RECEIVED_STRANGE;
}

enum received_decision
received_route_find(struct service *service, const char *address, struct received_route **route_r,
    char **reply_r, GError **error)
{
	const char *at = strrchr(address, '@');
	struct link_token token;

	*route_r = NULL;
	*reply_r = NULL;
	if (!at || at == address)
		return RECEIVED_STRANGE;
	g_autofree char *host = g_ascii_strdown(at + 1, -1);
	bool is_own = false;
	if (link_own_address(service, address, &token) == LINK_OWN_REPLY) {
		is_own = g_str_has_prefix(host, STORE_DOMAIN_RETURN_PATH ".");
		if (!is_own && !store_domain_host_returns(service->db, host, &is_own, error))
			return RECEIVED_FAILED;
	}
	if (is_own)
		return route_reply(service, address, &token, route_r, reply_r, error);
	g_autofree char *local = g_strndup(address, (gsize)(at - address));
	g_autoptr(GPtrArray) domains = store_receiving_domain_find(service->db, host, error);
	AUTO(received_route) route = route_new(address);

	if (!domains)
		return RECEIVED_FAILED;
	if (domains->len == 0) {
		*route_r = g_steal_pointer(&route);
		return route_unknown(service, host, local, route_r, reply_r, error);
	}
	for (guint i = 0; i < domains->len; i++)
		if (!route_ask_domain(service, domains->pdata[i], local, route, reply_r, error)) {
			g_clear_pointer(reply_r, g_free);
			return RECEIVED_FAILED;
		}
	if (route->targets->len == 0)
		return RECEIVED_REFUSED;
	g_clear_pointer(reply_r, g_free);
	*route_r = g_steal_pointer(&route);
	return RECEIVED_ROUTE;
}
