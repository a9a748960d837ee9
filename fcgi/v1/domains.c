/* SPDX-License-Identifier: MIT */
/* Sending domains: register, read, check, change and remove them (/v1/domains). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "domain/dns_check.h"
#include "domain/domain.h"
#include "domain/receiving.h"
#include "domain/settings.h"
#include "domain/view.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"

struct registration {
	const char *name, *tls, *tracking_subdomain, *custom_return_path;
	bool receiving, reply_tracking, override;
};

static const struct json_field registration_fields[] = {FIELDS_NEW_DOMAIN(struct registration)};

const struct json_table fcgi_domains_body = JSON_TABLE(registration_fields);

/* A member is NULL when it is not to be changed. */
struct change {
	const struct json *opens, *clicks, *receiving, *reply_tracking;
	bool override;
};

static const struct json_field change_fields[] = {FIELDS_DOMAIN_CHANGE(struct change)};

const struct json_table fcgi_domains_change = JSON_TABLE(change_fields);

bool
fcgi_domains_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	if (base_id_parse(call->arguments[0], id_r))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
	return false;
}

static bool
reply_domain(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_domain) domain = store_domain_get_prefetched(
	    call->service->db, call->ahead, &call->key.workspace_id, id, error);

	if (!domain)
		return false;
	domain_view_write(writer, call->service->settings, domain, DOMAIN_VIEW_WHOLE);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_domains_post(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct registration registration = {.name = NULL};
	bool enforced = false;

	if (!json_fields_read(call->json, registration_fields, G_N_ELEMENTS(registration_fields),
		&registration, error) ||
	    (registration.tls && !domain_settings_tls(registration.tls, &enforced, error)))
		return false;
	const struct store_domain wish = {.name = (char *)registration.name,
	    .receiving = registration.receiving,
	    .reply_tracking = registration.reply_tracking,
	    .tls_enforced = enforced,
	    .return_path = (char *)registration.custom_return_path};
	AUTO(store_domain) domain = domain_register_as(call->service, &call->key.workspace_id,
	    &(struct domain_registration){
		&call->key.user_id, &wish, registration.tracking_subdomain, registration.override},
	    error);
	if (!domain)
		return false;
	domain_view_write(writer, call->service->settings, domain, DOMAIN_VIEW_CREATED);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_domains_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_domains_id(call, &id, error) && reply_domain(call, &id, error);
}

bool
fcgi_domains_verify(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_domains_id(call, &id, error) &&
	       domain_dns_check_domain(call->service, &call->key.workspace_id, &id, error) &&
	       reply_domain(call, &id, error);
}

bool
fcgi_domains_rotate(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return fcgi_domains_id(call, &id, error) &&
	       domain_keys_rotate(call->service, &call->key.workspace_id, &id, error) &&
	       reply_domain(call, &id, error);
}

bool
fcgi_domains_patch(struct fcgi_call *call, GError **error)
{
	struct change change = {.opens = NULL};
	struct base_id id;

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &change, error) ||
	    !fcgi_domains_id(call, &id, error))
		return false;
	bool opens = json_boolean(change.opens), clicks = json_boolean(change.clicks);
	bool receiving = json_boolean(change.receiving);
	bool reply_tracking = json_boolean(change.reply_tracking);
	const struct store_domain_change wish = {
	    change.opens ? &opens : NULL,
	    change.clicks ? &clicks : NULL,
	    NULL,
	    change.receiving ? &receiving : NULL,
	    change.reply_tracking ? &reply_tracking : NULL,
	};
	return (!receiving || change.override ||
		   domain_receiving_allowed(call->service, &call->key.workspace_id, &id, error)) &&
	       store_domain_change(call->service->db, &call->key.workspace_id, &id, &wish, error) &&
	       reply_domain(call, &id, error);
}

bool
fcgi_domains_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_domains_id(call, &id, error) ||
	    !store_domain_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Domain deleted");
	return true;
}

static void
domains_write_listed(struct json_writer *writer, const struct service *service, const void *row)
{
	domain_view_write(writer, service->settings, row, DOMAIN_VIEW_LISTED);
}

bool
fcgi_domains_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) domains = store_domain_list(call->service->db, &call->key.workspace_id,
	    given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"domains", domains, LIMIT_PAGE, false,
		offsetof(struct store_domain, id), .write = domains_write_listed},
	    error);
}
