/* SPDX-License-Identifier: MIT */
/* Domains as the front /resend and its webhooks show them. */
#include "domain/view.h"

#include "domain/zone.h"
#include "json/writer.h"

const char *
domain_view_status(enum store_domain_status status)
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
record_status_of(const struct store_domain *domain, enum domain_zone_state state)
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
view_write_record(struct json_writer *writer, const struct store_domain *domain,
    const struct domain_zone_record *record)
{
	g_autofree char *name = domain_zone_relative(record, domain_zone_apex(domain->name));

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "record",
	    record->purpose == ZONE_DKIM	? "DKIM"
	    : record->purpose == ZONE_RECEIVING ? "Receiving"
						: "SPF");
	json_writer_string(writer, "name", name);
	json_writer_string(writer, "type", domain_zone_type(record));
	json_writer_string(writer, "ttl", "Auto");
	json_writer_string(writer, "status", record_status_of(domain, record->state));
	json_writer_string(writer, "value", record->value);
	if (domain_zone_is_mx(record))
		json_writer_integer(writer, "priority", ZONE_MX_PRIORITY);
	json_writer_end_object(writer);
}

void
domain_view_write_records(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain)
{
	static const enum domain_zone_purpose order[] = {
	    ZONE_MX, ZONE_SPF, ZONE_DKIM, ZONE_RECEIVING};
	g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);

	json_writer_begin_array(writer, "records");
	for (guint k = 0; k < G_N_ELEMENTS(order); k++)
		for (guint i = 0; i < records->len; i++) {
			const struct domain_zone_record *record = records->pdata[i];

			if (record->purpose == order[k])
				view_write_record(writer, domain, record);
		}
	json_writer_end_array(writer);
}
