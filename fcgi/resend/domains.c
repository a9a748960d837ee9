/* SPDX-License-Identifier: MIT */
/* Sending domains under /resend: register, read, check, change and remove them. */
#include "fcgi/resend/handlers.h"

#include "core/core.h"
#include "core/zone.h"
#include "fcgi/call.h"
#include "fcgi/resend/error.h"
#include "json/writer.h"
#include "store/domain.h"

static const char *
status_of(enum store_domain_status status)
{
	static const char *const names[] = {
	    [DOMAIN_NOT_STARTED] = "not_started",
	    [DOMAIN_PENDING] = "pending",
	    [DOMAIN_SUCCESS] = "verified",
	    [DOMAIN_FAILED] = "failed",
	    [DOMAIN_TEMPORARY_FAILURE] = "partially_failed",
	};

	return names[status];
}

/* The status of a record; the domain decides where DNS has not shown it. */
static const char *
record_status_of(const struct store_domain *domain, enum core_zone_state state)
{
	if (state == ZONE_UNKNOWN)
		return "not_started";
	if (state == ZONE_FOUND)
		return "verified";
	return domain->status == DOMAIN_FAILED		    ? "failed"
	       : domain->status == DOMAIN_TEMPORARY_FAILURE ? "temporary_failure"
							    : "pending";
}

static void
write_record(struct json_writer *writer, const struct store_domain *domain,
    const struct core_zone_record *record)
{
	g_autofree char *name = core_zone_relative(record, core_zone_apex(domain->name));

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "record", record->purpose == ZONE_DKIM ? "DKIM" : "SPF");
	json_writer_string(writer, "name", name);
	json_writer_string(writer, "type", core_zone_type(record));
	json_writer_string(writer, "ttl", "Auto");
	json_writer_string(writer, "status", record_status_of(domain, record->state));
	json_writer_string(writer, "value", record->value);
	if (record->purpose == ZONE_MX)
		json_writer_integer(writer, "priority", ZONE_MX_PRIORITY);
	json_writer_end_object(writer);
}

/* The records of the return path, then those of the keys. DMARC is not among them. */
static void
write_records(struct json_writer *writer, const struct base_settings *settings,
    const struct store_domain *domain)
{
	static const enum core_zone_purpose order[] = {ZONE_MX, ZONE_SPF, ZONE_DKIM};
	g_autoptr(GPtrArray) records = core_zone_records(domain, settings);

	json_writer_begin_array(writer, "records");
	for (guint k = 0; k < G_N_ELEMENTS(order); k++)
		for (guint i = 0; i < records->len; i++) {
			const struct core_zone_record *record = records->pdata[i];

			if (record->purpose == order[k])
				write_record(writer, domain, record);
		}
	json_writer_end_array(writer);
}

/* The members that each form of a domain has. */
static void
write_members(struct json_writer *writer, const struct store_domain *domain)
{
	fcgi_resend_write_id(writer, "id", &domain->id);
	json_writer_string(writer, "name", domain->name);
	json_writer_string(writer, "status", status_of(domain->status));
	fcgi_resend_write_time(writer, "created_at", domain->created);
	json_writer_string(writer, "region", domain->region);
	json_writer_boolean(writer, "open_tracking", domain->open_tracking);
	json_writer_boolean(writer, "click_tracking", domain->click_tracking);
	json_writer_null(writer, "tracking_subdomain");
	json_writer_begin_object(writer, "capabilities");
	json_writer_string(writer, "sending", "enabled");
	json_writer_string(writer, "receiving", "disabled");
	json_writer_end_object(writer);
}

static void
write_row(struct json_writer *writer, const struct core *core, const void *row)
{
	json_writer_begin_object(writer, NULL);
	write_members(writer, row);
	json_writer_end_object(writer);
}

bool
fcgi_resend_domains_list(struct fcgi_call *call, GError **error)
{
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_ALL, &page, error))
		return false;
	g_autoptr(GPtrArray) domains =
	    store_domain_page(call->core->db, &call->key.workspace_id, &page, error);
	return fcgi_resend_list(call, &page, domains, write_row);
}

bool
fcgi_resend_domains_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id;

	if (!fcgi_resend_id(call, 0, &id, error))
		return false;
	AUTO(store_domain) domain =
	    store_domain_get(call->core->db, &call->key.workspace_id, &id, error);
	if (!domain)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", "domain");
	write_members(writer, domain);
	write_records(writer, call->core->settings, domain);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
