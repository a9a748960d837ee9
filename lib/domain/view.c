/* SPDX-License-Identifier: MIT */
/* Writes domains as JSON. */
#include "domain/view.h"

#include "base/clock.h"
#include "domain/zone.h"
#include "json/writer.h"
#include "service/creator.h"
#include "store/domain/key.h"

static struct json_view_value
view_read_status(const void *row)
{
	const struct store_domain *domain = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_domain_status_name(domain->status)};
}

static struct json_view_value
view_read_stage(const void *row)
{
	const struct store_domain *domain = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = domain_view_status(domain->status)};
}

static struct json_view_value
view_read_may_send(const void *row)
{
	return (struct json_view_value){.type = VIEW_TRUTH, .number = store_domain_verified(row)};
}

static struct json_view_value
view_read_error(const void *row)
{
	const struct store_domain *domain = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = store_domain_error_name(domain->check.error)};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_domain, id),
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_domain, name),
    {"status", VIEW_MADE, .read = view_read_status},
    JSON_VIEW_MEMBER("trusted", VIEW_TRUTH, struct store_domain, trusted),
    {"may_send", VIEW_MADE, .read = view_read_may_send, .is_long = true},
    {"error_type", VIEW_MADE, .read = view_read_error, .is_long = true},
    JSON_VIEW_MEMBER(
	"checked", VIEW_TIME, struct store_domain, check.last_checked, .is_long = true),
    JSON_VIEW_MEMBER(
	"success", VIEW_TIME, struct store_domain, check.last_success, .is_long = true),
    JSON_VIEW_MEMBER(
	"next_check", VIEW_TIME, struct store_domain, check.next_check, .is_long = true),
    JSON_VIEW_MEMBER("warmed_up", VIEW_TIME, struct store_domain, warmed_up_at, .is_long = true),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_domain, created),
    {"stage", VIEW_MADE, .read = view_read_stage, .is_apart = true},
    JSON_VIEW_MEMBER("region", VIEW_TEXT, struct store_domain, region, .is_apart = true),
    JSON_VIEW_MEMBER(
	"open_tracking", VIEW_TRUTH, struct store_domain, open_tracking, .is_apart = true),
    JSON_VIEW_MEMBER(
	"click_tracking", VIEW_TRUTH, struct store_domain, click_tracking, .is_apart = true),
};
const struct json_view domain_view = JSON_VIEW(members);
const struct json_view domain_view_list = {members, G_N_ELEMENTS(members), .is_list = true};

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
	    : record->purpose == ZONE_TRACKING	? "Tracking"
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
	    ZONE_MX, ZONE_SPF, ZONE_DKIM, ZONE_RECEIVING, ZONE_TRACKING};
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

static void
view_write_dns_record(struct json_writer *writer, const struct domain_zone_record *record,
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
	if (domain_zone_is_mx(record))
		json_writer_integer(writer, "priority", ZONE_MX_PRIORITY);
	if (state) {
		json_writer_string(writer, "status", domain_zone_state_name(record->state));
		json_writer_string(writer, "found", record->found);
	}
	json_writer_end_object(writer);
}

static void
view_write_dns_records(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_view_form form)
{
	g_autoptr(GPtrArray) records = domain_zone_records(domain, settings);
	const char *base =
	    form == DOMAIN_VIEW_CREATED ? domain->name : domain_zone_apex(domain->name);

	json_writer_begin_array(writer, "dns_records");
	for (guint i = 0; i < records->len; i++)
		view_write_dns_record(writer, records->pdata[i], base, form == DOMAIN_VIEW_WHOLE);
	json_writer_end_array(writer);
}

static void
view_write_iso(struct json_writer *writer, const char *key, gint64 time)
{
	char text[CLOCK_ISO_SIZE];

	json_writer_string(writer, key, time ? base_clock_format(time, text) : NULL);
}

static void
view_write_verification(struct json_writer *writer, const struct store_domain_check *check)
{
	json_writer_begin_object(writer, "verification_info");
	view_write_iso(writer, "last_checked_timestamp", check->last_checked);
	view_write_iso(writer, "last_success_timestamp", check->last_success);
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
view_public_key(const struct store_domain *domain)
{
	for (guint i = 0; i < domain->keys->len; i++) {
		const struct store_domain_key *key = domain->keys->pdata[i];

		if (key->algorithm == DOMAIN_KEY_RSA)
			return key->public;
	}
	return NULL;
}

static void
view_write_history(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_view_form form)
{
	json_writer_integer(writer, "created", domain->created);
	json_writer_boolean(writer, "is_warmed_up", domain->warmed_up_at != 0);
	if (domain->warmed_up_at)
		json_writer_integer(writer, "warmed_up_at", domain->warmed_up_at);
	else
		json_writer_null(writer, "warmed_up_at");
	json_writer_begin_object(writer, "created_by");
	service_creator_write(writer, &domain->creator, settings);
	if (form == DOMAIN_VIEW_WHOLE)
		json_writer_string(writer, "type", "user");
	json_writer_end_object(writer);
}

void
domain_view_write(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_view_form form)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&domain->id, id));
	json_writer_string(writer, "name", domain->name);
	json_writer_string(writer, "status", store_domain_status_name(domain->status));
	if (form != DOMAIN_VIEW_CREATED) {
		json_writer_boolean(
		    writer, "verified_for_sending_status", store_domain_verified(domain));
		view_write_verification(writer, &domain->check);
		json_writer_string(writer, "public_key", view_public_key(domain));
	}
	view_write_dns_records(writer, settings, domain, form);
	if (form != DOMAIN_VIEW_CREATED)
		view_write_history(writer, settings, domain, form);
	if (form == DOMAIN_VIEW_WHOLE) {
		json_writer_boolean(writer, "open_tracking_enabled", domain->open_tracking);
		json_writer_boolean(writer, "click_tracking_enabled", domain->click_tracking);
		json_writer_boolean(writer, "receiving", domain->receiving);
		json_writer_boolean(writer, "reply_tracking", domain->reply_tracking);
	}
	json_writer_end_object(writer);
}
