/* SPDX-License-Identifier: MIT */
/* Sending domains under /resend: register, read, check, change and remove them. */
#include "fcgi/resend/handlers.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "db/connection.h"
#include "domain/dns_check.h"
#include "domain/domain.h"
#include "domain/receiving.h"
#include "domain/settings.h"
#include "domain/view.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "text/hostname.h"

/* The members that each form of a domain has. */
static const struct fcgi_resend_member members[] = {
    {"id"},
    {"name"},
    {"status", "stage"},
    {"created_at", "created"},
    {"region"},
    {"open_tracking"},
    {"click_tracking"},
};

static void
domains_write_members(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_domain *domain = row;

	fcgi_resend_write_view(writer, &domain_view, members, G_N_ELEMENTS(members), row);
	g_autofree char *subdomain = domain_settings_subdomain(domain);
	json_writer_string(writer, "tracking_subdomain", subdomain);
	json_writer_string(writer, "custom_return_path", domain->return_path);
	json_writer_string(writer, "tls", domain_settings_tls_name(domain->tls_enforced));
	domain_view_write_capabilities(writer, domain->receiving);
}

/* The members of a registration, and of a change but for the name. */
struct domain_input {
	const char *name, *region, *return_path, *tls, *tracking_subdomain;
	bool has_subdomain;
	const struct json *opens, *clicks; /* NULL: not to be changed */
	const struct json *capabilities;
};

static const struct json_field capability_fields[] = {
    JSON_KNOWN("sending"),
    JSON_KNOWN("receiving"),
};

/* clang-format off */
#define CHANGE_FIELDS \
	JSON_FIELD("region", FIELD_STRING, struct domain_input, region), \
	JSON_FIELD("custom_return_path", FIELD_STRING, struct domain_input, return_path), \
	JSON_FIELD("open_tracking", FIELD_JSON, struct domain_input, opens, .kinds = JSON_KIND(JSON_BOOLEAN)), \
	JSON_FIELD("click_tracking", FIELD_JSON, struct domain_input, clicks, .kinds = JSON_KIND(JSON_BOOLEAN)), \
	JSON_FIELD("tls", FIELD_STRING, struct domain_input, tls), \
	JSON_FIELD("tracking_subdomain", FIELD_STRING, struct domain_input, tracking_subdomain, \
	    .given = offsetof(struct domain_input, has_subdomain)), \
	JSON_FIELD("capabilities", FIELD_OBJECT, struct domain_input, capabilities, JSON_MEMBERS(capability_fields))

static const struct json_field registration_fields[] = {
	JSON_FIELD("name", FIELD_STRING, struct domain_input, name, .required = true, .min = 1),
	CHANGE_FIELDS,
};

static const struct json_field change_fields[] = {CHANGE_FIELDS};
/* clang-format on */

const struct json_table fcgi_resend_domains_body = JSON_TABLE(registration_fields);
const struct json_table fcgi_resend_domains_change = JSON_TABLE(change_fields);

/* Checks a member of capabilities, which is text: one of both words, and the one that holds here
   (NULL: either). */
static bool
check_capability(
    const struct json *capabilities, const char *name, const char *ours, GError **error)
{
	const struct json *value = json_member_get(capabilities, name);
	const char *text = json_string(value, NULL);

	if (!value || g_strcmp0(text, ours) == 0)
		return true;
	bool is_word = text && (strcmp(text, "enabled") == 0 || strcmp(text, "disabled") == 0);
	if (is_word && !ours)
		return true;
	if (!is_word)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `capabilities` field. capabilities.%s must be enabled or disabled.",
		    name);
	return fcgi_resend_refuse(error, "capabilities");
}

static bool
wants_receiving(const struct domain_input *input)
{
	return g_strcmp0(json_string(json_member_get(input->capabilities, "receiving"), NULL),
		   "enabled") == 0;
}

/* Checks the members that ask for what no domain has here. */
static bool
check_input(const struct domain_input *input, GError **error)
{
	if (input->tls && g_ascii_strcasecmp(input->tls, "enforced") != 0 &&
	    g_ascii_strcasecmp(input->tls, "opportunistic") != 0)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `tls` field. tls must be opportunistic or enforced.");
	return check_capability(input->capabilities, "sending", "enabled", error) &&
	       check_capability(input->capabilities, "receiving", NULL, error);
}

/* The labels of the tracking host; NULL where there is to be none, which "" asks for, too. */
static const char *
domains_subdomain(const struct domain_input *input)
{
	return input->tracking_subdomain && *input->tracking_subdomain ? input->tracking_subdomain
								       : NULL;
}

static bool
domains_is_enforced(const struct domain_input *input)
{
	return input->tls && g_ascii_strcasecmp(input->tls, "enforced") == 0;
}

/* Changes the settings that are given. A return path that is the domain's own already is none. */
static bool
domains_change_settings(struct fcgi_call *call, const struct base_id *id,
    const struct domain_input *input, GError **error)
{
	const struct domain_settings_wish wish = {
	    input->tls, input->has_subdomain, domains_subdomain(input)};
	GError *local = NULL;

	if (input->return_path) {
		AUTO(store_domain)
		domain = store_domain_get(call->service->db, &call->key.workspace_id, id, error);

		if (!domain)
			return false;
		if (g_ascii_strcasecmp(input->return_path, domain->return_path) != 0)
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `custom_return_path` field. custom_return_path cannot be "
			    "changed.");
	}
	if ((!wish.tls && !wish.sets_subdomain) ||
	    domain_settings_change(call->service, &call->key.workspace_id, id, &wish, &local))
		return true;
	return fcgi_resend_invalid(local, error);
}

static bool
check_region(const char *region, GError **error)
{
	static const char *const regions[] = {
	    STORE_DOMAIN_REGION, "eu-west-1", "sa-east-1", "ap-northeast-1", NULL};

	return !region || g_strv_contains(regions, region) ||
	       fcgi_resend_fail(error, RESEND_INVALID_REGION,
		   "Region must be \"us-east-1\" | \"eu-west-1\" | \"sa-east-1\" |"
		   " \"ap-northeast-1\".");
}

/* Turns the error of a registration, and takes it. */
static bool
fail_registration(struct fcgi_call *call, const char *name, GError *local, GError **error)
{
	g_autofree char *ascii = text_hostname_ascii(name);

	if (!g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT) ||
	    db_cause(call->service->db) == DB_CAUSE_NONE)
		return fcgi_resend_invalid(local, error);
	g_error_free(local);
	return fcgi_resend_fail(
	    error, RESEND_FORBIDDEN, "The %s domain has been registered already.", ascii);
}

bool
fcgi_resend_domains_create(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct domain_input input = {NULL};
	GError *local = NULL;

	if (!fcgi_resend_read(call->json, &fcgi_resend_domains_body, &input, error) ||
	    !check_region(input.region, error) || !check_input(&input, error))
		return false;
	const struct store_domain wish = {.name = (char *)input.name,
	    .region = (char *)(input.region ? input.region : STORE_DOMAIN_REGION),
	    .open_tracking = json_boolean(input.opens),
	    .click_tracking = json_boolean(input.clicks),
	    .receiving = wants_receiving(&input),
	    .tls_enforced = domains_is_enforced(&input),
	    .return_path = (char *)input.return_path};
	AUTO(store_domain) domain = domain_register_as(call->service, &call->key.workspace_id,
	    &(struct domain_registration){
		&call->key.user_id, &wish, domains_subdomain(&input), false},
	    &local);
	if (!domain)
		return fail_registration(call, input.name, local, error);
	json_writer_begin_object(writer, NULL);
	domains_write_members(writer, call->service, domain);
	domain_view_write_records(writer, call->service->settings, domain);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 201, writer);
	return true;
}

bool
fcgi_resend_domains_update(struct fcgi_call *call, GError **error)
{
	struct domain_input input = {NULL};
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_domains_change, &input, error) ||
	    !check_region(input.region, error) || !check_input(&input, error) ||
	    !fcgi_resend_id(call, 0, &id, error))
		return false;
	bool opens = json_boolean(input.opens), clicks = json_boolean(input.clicks);
	bool receiving = wants_receiving(&input);
	const struct store_domain_change wish = {
	    input.opens ? &opens : NULL,
	    input.clicks ? &clicks : NULL,
	    input.region,
	    json_member_get(input.capabilities, "receiving") ? &receiving : NULL,
	    NULL,
	};
	if (receiving &&
	    !domain_receiving_allowed(call->service, &call->key.workspace_id, &id, error))
		return false;
	if (!domains_change_settings(call, &id, &input, error) ||
	    !store_domain_change(call->service->db, &call->key.workspace_id, &id, &wish, error))
		return false;
	fcgi_resend_reply_id(call, 200, "domain", &id, false);
	return true;
}

bool
fcgi_resend_domains_remove(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !store_domain_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_resend_reply_id(call, 200, "domain", &id, true);
	return true;
}

bool
fcgi_resend_domains_verify(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error) ||
	    !domain_dns_check_domain(call->service, &call->key.workspace_id, &id, error))
		return false;
	fcgi_resend_reply_id(call, 200, "domain", &id, false);
	return true;
}

bool
fcgi_resend_domains_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) domains =
	    store_domain_page(call->service->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, domains, domains_write_members);
}

bool
fcgi_resend_domains_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	AUTO(store_domain) domain = store_domain_get_prefetched(
	    call->service->db, call->ahead, &call->key.workspace_id, &id, error);
	if (!domain)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "domain");
	domains_write_members(writer, call->service, domain);
	domain_view_write_records(writer, call->service->settings, domain);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
