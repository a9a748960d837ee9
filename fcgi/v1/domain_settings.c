/* SPDX-License-Identifier: MIT */
/* The settings of a domain (/v1/domains/{id}/settings), and the question for a certificate of its
   tracking host (/tls-ask). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/clock.h"
#include "base/error.h"
#include "domain/settings.h"
#include "domain/tracking.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "json/fields.h"
#include "json/view.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/settings.h"

struct settings_input {
	const char *tls, *tracking_subdomain, *custom_return_path;
	bool tracking_subdomain_given;
};

static const struct json_field settings_fields[] = {
    FIELDS_DOMAIN_SETTINGS_CHANGE(struct settings_input)};

const struct json_table fcgi_domain_settings_change = JSON_TABLE(settings_fields);

static bool
domain_settings_reply(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_domain)
	domain = store_domain_get(call->service->db, &call->key.workspace_id, id, error);

	if (!domain)
		return false;
	json_view_write(writer, &domain_settings_view, domain, call->service->settings);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_domain_settings_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_domains_id(call, &id, error) && domain_settings_reply(call, &id, error);
}

bool
fcgi_domain_settings_patch(struct fcgi_call *call, GError **error)
{
	struct settings_input input = {NULL};
	struct base_id id;

	if (!json_fields_read(
		call->json, settings_fields, G_N_ELEMENTS(settings_fields), &input, error))
		return false;
	if (input.custom_return_path)
		return base_invalid(error, "custom_return_path cannot be changed");
	const struct domain_settings_wish wish = {
	    input.tls, input.tracking_subdomain_given, input.tracking_subdomain};
	return fcgi_domains_id(call, &id, error) &&
	       domain_settings_change(call->service, &call->key.workspace_id, &id, &wish, error) &&
	       domain_settings_reply(call, &id, error);
}

bool
fcgi_tls_ask_get(struct fcgi_call *call, GError **error)
{
	const char *given = NULL;
	bool found = false;

	if (!fcgi_request_query(call->request, "domain", &given, error))
		return false;
	g_autofree char *host = given ? g_ascii_strdown(given, -1) : NULL;
	if (host && (!service_ensure(call->service, error) ||
			!store_domain_host_found(call->service->db, host,
			    base_clock_now() - DOMAIN_TRACKING_KNOWN_MS, &found, error)))
		return false;
	if (!found)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
	fcgi_reply_message(call->reply, "Yes");
	return true;
}
