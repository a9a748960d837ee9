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

const struct json_table domains_body = JSON_TABLE(registration_fields);

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

const struct json_table domains_change = JSON_TABLE(change_fields);

static bool
find_id(const struct call *call, struct id *id_r, GError **error)
{
	if (base_id_parse(call->arguments[0], id_r))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
	return false;
}

static bool
reply_domain(struct call *call, const struct id *id, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(domain)
	domain = store_domain_get(call->core->db, &call->key.workspace_id, id, error);

	if (!domain)
		return false;
	domain_view_write(writer, call->core->settings, domain, DOMAIN_WHOLE);
	reply_json(call->reply, 200, writer);
	return true;
}

bool
domains_post(struct call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct registration registration = {NULL};

	if (!json_fields_read(call->json, registration_fields, G_N_ELEMENTS(registration_fields),
		&registration, error))
		return false;
	AUTO(domain)
	domain = core_register_domain(call->core, &call->key.workspace_id, &call->key.user_id,
	    registration.name, false, error);
	if (!domain)
		return false;
	domain_view_write(writer, call->core->settings, domain, DOMAIN_CREATED);
	reply_json(call->reply, 200, writer);
	return true;
}

bool
domains_get(struct call *call, GError **error)
{
	struct id id;

	return find_id(call, &id, error) && reply_domain(call, &id, error);
}

bool
domains_verify(struct call *call, GError **error)
{
	struct id id;

	return find_id(call, &id, error) &&
	       core_verify_domain(call->core, &call->key.workspace_id, &id, error) &&
	       reply_domain(call, &id, error);
}

bool
domains_patch(struct call *call, GError **error)
{
	struct change change = {NULL, NULL};
	struct id id;

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
domains_delete(struct call *call, GError **error)
{
	struct id id;

	if (!find_id(call, &id, error) ||
	    !store_domain_remove(call->core->db, &call->key.workspace_id, &id, error))
		return false;
	reply_message(call->reply, "Domain deleted");
	return true;
}

bool
domains_list(struct call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct id before;
	bool given;

	if (!page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) domains = store_domain_list(
	    call->core->db, &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE + 1, error);
	if (!domains)
		return false;
	guint count = MIN(domains->len, LIMIT_PAGE);
	page_begin(writer, "domains");
	for (guint i = 0; i < count; i++)
		domain_view_write(writer, call->core->settings, domains->pdata[i], DOMAIN_LISTED);
	page_end(call, writer, false, count,
	    domains->len > count ? &((const struct domain *)domains->pdata[count - 1])->id : NULL);
	return true;
}
