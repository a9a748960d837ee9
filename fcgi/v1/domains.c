/* SPDX-License-Identifier: MIT */
/* Sending domains: register, read, check, change and remove them (/v1/domains). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "base/limits/list.h"
#include "domain/dns_check.h"
#include "domain/domain.h"
#include "domain/zone.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"

/* The three forms of a domain. Record names are relative to the domain itself in the reply to a
   registration, and to the registered domain (the apex) in the others. Only the whole form has the
   state of each record. */
enum domain_form { DOMAIN_CREATED, DOMAIN_LISTED, DOMAIN_WHOLE };

static void
domains_write_record(struct json_writer *writer, const struct domain_zone_record *record,
    const char *base, bool state)
{
	g_autofree char *name = domain_zone_relative(record, base);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "type", domain_zone_type(record));
	json_writer_string(writer, "name", name);
	json_writer_string(writer, "full_name", record->name);
	json_writer_string(writer, "value", record->value);
	json_writer_boolean(writer, "required", record->required);
	json_writer_string(writer, "for", domain_zone_label(record));
	if (record->purpose == ZONE_MX)
		json_writer_integer(writer, "priority", ZONE_MX_PRIORITY);
	if (state) {
		json_writer_string(writer, "status", domain_zone_state_name(record->state));
		json_writer_string(writer, "found", record->found);
	}
	json_writer_end_object(writer);
}

static void
write_records(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_form form)
{
	g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);
	const char *base = form == DOMAIN_CREATED ? domain->name : domain_zone_apex(domain->name);

	json_writer_begin_array(writer, "dns_records");
	for (guint i = 0; i < records->len; i++)
		domains_write_record(writer, records->pdata[i], base, form == DOMAIN_WHOLE);
	json_writer_end_array(writer);
}

static void
write_iso(struct json_writer *writer, const char *key, gint64 time)
{
	char text[CLOCK_ISO_SIZE];

	json_writer_string(writer, key, time ? base_clock_format(time, text) : NULL);
}

static void
write_verification(struct json_writer *writer, const struct store_domain_check *check)
{
	json_writer_begin_object(writer, "verification_info");
	write_iso(writer, "last_checked_timestamp", check->last_checked);
	write_iso(writer, "last_success_timestamp", check->last_success);
	json_writer_string(writer, "error_type", store_domain_error_name(check->error));
	json_writer_begin_object(writer, "soa_record");
	if (check->soa_primary) {
		json_writer_string(writer, "primary_name_server", check->soa_primary);
		json_writer_string(writer, "admin_email", check->soa_admin);
		json_writer_integer(writer, "serial_number", check->soa_serial);
	}
	json_writer_end_object(writer);
	json_writer_end_object(writer);
}

/* The public key of the RSA key that signs now, or that signed last. */
static const char *
public_key_of(const struct store_domain *domain)
{
	for (guint i = 0; i < domain->keys->len; i++) {
		const struct store_domain_key *key = domain->keys->pdata[i];

		if (key->algorithm == DOMAIN_KEY_RSA)
			return key->public;
	}
	return NULL;
}

static void
domains_write_history(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_form form)
{
	json_writer_integer(writer, "created", domain->created);
	json_writer_boolean(writer, "is_warmed_up", domain->warmed_up_at != 0);
	fcgi_write_time(writer, "warmed_up_at", domain->warmed_up_at);
	json_writer_begin_object(writer, "created_by");
	fcgi_creator_write(writer, settings, &domain->creator);
	if (form == DOMAIN_WHOLE)
		json_writer_string(writer, "type", "user");
	json_writer_end_object(writer);
}

/* DOMAIN_CREATED needs only the keys of the domain; the other forms need all that is stored. */
static void
domains_write_domain(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_form form)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&domain->id, id));
	json_writer_string(writer, "name", domain->name);
	json_writer_string(writer, "status", store_domain_status_name(domain->status));
	if (form != DOMAIN_CREATED) {
		json_writer_boolean(
		    writer, "verified_for_sending_status", store_domain_verified(domain));
		write_verification(writer, &domain->check);
		json_writer_string(writer, "public_key", public_key_of(domain));
	}
	write_records(writer, settings, domain, form);
	if (form != DOMAIN_CREATED)
		domains_write_history(writer, settings, domain, form);
	if (form == DOMAIN_WHOLE) {
		json_writer_boolean(writer, "open_tracking_enabled", domain->open_tracking);
		json_writer_boolean(writer, "click_tracking_enabled", domain->click_tracking);
	}
	json_writer_end_object(writer);
}

struct registration {
	const char *name;
};

static const struct json_field registration_fields[] = {
    JSON_FIELD("name", FIELD_STRING, struct registration, name, .required = true,
	.min = LIMIT_DOMAIN_MIN_LENGTH, .max = LIMIT_DOMAIN_LENGTH),
};

const struct json_table fcgi_domains_body = JSON_TABLE(registration_fields);

/* A member is NULL when it is not to be changed. */
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
	AUTO(store_domain) domain =
	    store_domain_get(call->service->db, &call->key.workspace_id, id, error);

	if (!domain)
		return false;
	domains_write_domain(writer, call->service->settings, domain, DOMAIN_WHOLE);
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
	AUTO(store_domain) domain = domain_register(call->service, &call->key.workspace_id,
	    &call->key.user_id, registration.name, false, error);
	if (!domain)
		return false;
	domains_write_domain(writer, call->service->settings, domain, DOMAIN_CREATED);
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
	struct change change = {NULL, NULL};
	struct base_id id;

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &change, error) ||
	    !fcgi_domains_id(call, &id, error))
		return false;
	bool opens = json_boolean(change.opens), clicks = json_boolean(change.clicks);
	const struct store_domain_change wish = {
	    change.opens ? &opens : NULL, change.clicks ? &clicks : NULL, NULL};
	return store_domain_change(call->service->db, &call->key.workspace_id, &id, &wish, error) &&
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
	domains_write_domain(writer, service->settings, row, DOMAIN_LISTED);
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
