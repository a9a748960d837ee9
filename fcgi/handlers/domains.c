/* SPDX-License-Identifier: MIT */
/* Sending domains. */
#include "fcgi/handlers/domains.h"

#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "core/register.h"
#include "core/verify.h"
#include "fcgi/call.h"
#include "fcgi/handlers/domain_view.h"
#include "fcgi/handlers/page.h"
#include "json/fields.h"
#include "json/writer.h"
#include "store/domain.h"

struct registration {
	const char *name;
};

static const struct json_field registration_fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct registration, name, .required = true,
	.min = LIMIT_DOMAIN_MIN_LENGTH, .max = LIMIT_SENDER_DOMAIN_LENGTH),
};

const struct json_table fcgi_domains_body = JSON_TABLE(registration_fields);

/* NULL: not to be changed. */
struct change {
	const struct json *opens, *clicks;
};

static const struct json_field change_fields[] = {
    JSON_FIELD("open_tracking_enabled", FIELD_JSON, struct change, opens,
	.kinds = JSON_KIND(JSON_BOOLEAN)),
    JSON_FIELD("click_tracking_enabled", FIELD_JSON, struct change, clicks,
	.kinds = JSON_KIND(JSON_BOOLEAN)),
};

const struct json_table fcgi_domains_change = JSON_TABLE(change_fields);

static bool
find_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
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
	AUTO(store_domain)
	domain = store_domain_get(call->core->db, &call->key.workspace_id, id, error);

	if (!domain)
		return false;
	fcgi_domain_view_write(writer, call->core->settings, domain, DOMAIN_WHOLE);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_domains_post(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct registration registration = {NULL};

	if (!json_fields_read(call->json, registration_fields, G_N_ELEMENTS(registration_fields),
		&registration, error))
		return false;
	AUTO(store_domain)
	domain = core_register_domain(call->core, &call->key.workspace_id, &call->key.user_id,
	    registration.name, false, error);
	if (!domain)
		return false;
	fcgi_domain_view_write(writer, call->core->settings, domain, DOMAIN_CREATED);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_domains_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return find_id(call, &id, error) && reply_domain(call, &id, error);
}

bool
fcgi_domains_verify(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return find_id(call, &id, error) &&
	       core_verify_domain(call->core, &call->key.workspace_id, &id, error) &&
	       reply_domain(call, &id, error);
}

bool
fcgi_domains_patch(struct fcgi_call *call, GError **error)
{
	struct change change = {NULL, NULL};
	struct base_id id;

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &change, error) ||
	    !find_id(call, &id, error))
		return false;
	bool opens = json_boolean(change.opens), clicks = json_boolean(change.clicks);
	return store_domain_set_tracking(call->core->db, &call->key.workspace_id, &id,
		   change.opens ? &opens : NULL, change.clicks ? &clicks : NULL, error) &&
	       reply_domain(call, &id, error);
}

bool
fcgi_domains_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!find_id(call, &id, error) ||
	    !store_domain_remove(call->core->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Domain deleted");
	return true;
}

bool
fcgi_domains_list(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) domains = store_domain_list(
	    call->core->db, &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	if (!domains)
		return false;
	guint count = MIN(domains->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "domains");
	for (guint i = 0; i < count; i++)
		fcgi_domain_view_write(
		    writer, call->core->settings, domains->pdata[i], DOMAIN_LISTED);
	fcgi_page_end(call, writer, false, count,
	    domains->len > count ? &((const struct store_domain *)domains->pdata[count - 1])->id
				 : NULL);
	return true;
}
