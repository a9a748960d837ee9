/* SPDX-License-Identifier: MIT */
/* Checks, changes and shows the settings that a sending domain has of its own. */
#include "domain/settings.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "domain/tracking.h"
#include "json/view.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/settings.h"
#include "text/hostname.h"

static const char *const tls_names[] = {"opportunistic", "enforced"};

const char *
domain_settings_tls_name(bool enforced)
{
	return tls_names[enforced];
}

bool
domain_settings_tls(const char *word, bool *enforced_r, GError **error)
{
	*enforced_r = g_ascii_strcasecmp(word, tls_names[true]) == 0;
	return *enforced_r || g_ascii_strcasecmp(word, tls_names[false]) == 0 ||
	       base_invalid(error, "tls must be opportunistic or enforced");
}

/* Whether it is letters, digits and inner hyphens, and no longer than a label. */
static bool
settings_is_label(const char *text)
{
	gsize size = strlen(text);

	if (size == 0 || size > LIMIT_LABEL_LENGTH || text[0] == '-' || text[size - 1] == '-')
		return false;
	for (; *text; text++)
		if (!g_ascii_isalnum(*text) && *text != '-')
			return false;
	return true;
}

char *
domain_settings_return_path(const char *text, GError **error)
{
	if (settings_is_label(text))
		return g_ascii_strdown(text, -1);
	base_invalid(error, "custom_return_path must be a label of a host name");
	return NULL;
}

char *
domain_settings_host(const struct config_settings *settings, const char *labels, const char *name,
    const char *return_path, GError **error)
{
	g_autofree char *target = domain_zone_target(settings);
	g_autofree char *whole = g_strconcat(labels, ".", name, NULL);
	g_auto(GStrv) parts = g_strsplit(labels, ".", -1);
	bool is_host = *labels && strlen(whole) <= LIMIT_DOMAIN_LENGTH;

	for (char **part = parts; *part; part++)
		is_host = is_host && settings_is_label(*part);
	g_autofree char *host = is_host ? text_hostname_ascii(whole) : NULL;
	if (!host)
		base_invalid(error, "tracking_subdomain must be labels of a host name");
	else if (g_ascii_strcasecmp(labels, return_path ? return_path : STORE_DOMAIN_RETURN_PATH) ==
		 0)
		base_invalid(error, "tracking_subdomain must differ from custom_return_path");
	else if (!target)
		base_invalid(error, "tracking_subdomain needs [service] tracking_host");
	else
		return g_steal_pointer(&host);
	return NULL;
}

char *
domain_settings_subdomain(const struct store_domain *domain)
{
	return domain->tracking_host ? g_strndup(domain->tracking_host,
					   strlen(domain->tracking_host) - strlen(domain->name) - 1)
				     : NULL;
}

bool
domain_settings_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct domain_settings_wish *wish, GError **error)
{
	bool enforced = false;

	if (wish->tls && !domain_settings_tls(wish->tls, &enforced, error))
		return false;
	AUTO(store_domain) domain = store_domain_get(service->db, workspace, id, error);
	if (!domain)
		return false;
	g_autofree char *host = wish->subdomain
				    ? domain_settings_host(service->settings, wish->subdomain,
					  domain->name, domain->return_path, error)
				    : NULL;
	if (wish->subdomain && !host)
		return false;
	const struct store_domain_settings change = {
	    .tls_enforced = wish->tls ? &enforced : NULL,
	    .sets_host = wish->sets_subdomain && g_strcmp0(host, domain->tracking_host) != 0,
	    .host = host,
	};
	return (!change.tls_enforced && !change.sets_host) ||
	       store_domain_settings_change(
		   service->db, workspace, id, &change, base_clock_now(), error);
}

static struct json_view_value
settings_read_tls(const void *row)
{
	const struct store_domain *domain = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = domain_settings_tls_name(domain->tls_enforced)};
}

static char *
settings_make_subdomain(const void *row, const void *context)
{
	return domain_settings_subdomain(row);
}

static char *
settings_make_tracking(const void *row, const void *context)
{
	const struct store_domain *domain = row;
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "host", domain->tracking_host);
	json_writer_string(writer, "status", domain_tracking_status(domain, context));
	json_writer_boolean(writer, "used", domain->tracking_used);
	if (domain->check.tracking_checked)
		json_writer_integer(writer, "checked", domain->check.tracking_checked);
	else
		json_writer_null(writer, "checked");
	json_writer_string(writer, "error", domain->check.tracking_error);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static const struct json_view_member settings_members[] = {
    {"tls", VIEW_MADE, .read = settings_read_tls},
    {"tracking_subdomain", VIEW_TEXT, .make = settings_make_subdomain},
    JSON_VIEW_MEMBER("custom_return_path", VIEW_TEXT, struct store_domain, return_path),
    {"tracking", VIEW_JSON, .make = settings_make_tracking},
};
const struct json_view domain_settings_view = JSON_VIEW(settings_members);
