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
domain_view_write_capabilities(struct json_writer *writer, bool receiving)
{
	json_writer_begin_object(writer, "capabilities");
	json_writer_string(writer, "sending", "enabled");
	json_writer_string(writer, "receiving", receiving ? "enabled" : "disabled");
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

/* The domain as domain_view_write is asked for it. */
struct view_context {
	const struct config_settings *settings;
	enum domain_view_form form;
};

static void
view_write_dns_records(
    struct json_writer *writer, const char *key, const void *row, const void *data)
{
	const struct store_domain *domain = row;
	const struct view_context *context = data;
	g_autoptr(GPtrArray) records = domain_zone_records(domain, context->settings);
	const char *base =
	    context->form == DOMAIN_VIEW_CREATED ? domain->name : domain_zone_apex(domain->name);

	json_writer_begin_array(writer, key);
	for (guint i = 0; i < records->len; i++)
		view_write_dns_record(
		    writer, records->pdata[i], base, context->form == DOMAIN_VIEW_WHOLE);
	json_writer_end_array(writer);
}

static void
view_write_iso(struct json_writer *writer, const char *key, gint64 time)
{
	char text[CLOCK_ISO_SIZE];

	json_writer_string(writer, key, time ? base_clock_format(time, text) : NULL);
}

static void
view_write_verification(
    struct json_writer *writer, const char *key, const void *row, const void *context)
{
	const struct store_domain_check *check = &((const struct store_domain *)row)->check;

	json_writer_begin_object(writer, key);
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
static struct json_view_value
view_read_public_key(const void *row)
{
	const GPtrArray *keys = ((const struct store_domain *)row)->keys;
	struct json_view_value value = {.type = VIEW_TEXT};

	for (guint i = 0; i < keys->len && !value.text; i++) {
		const struct store_domain_key *key = keys->pdata[i];

		if (key->algorithm == DOMAIN_KEY_RSA)
			value.text = key->public;
	}
	return value;
}

static struct json_view_value
view_read_is_warmed_up(const void *row)
{
	const struct store_domain *domain = row;

	return (struct json_view_value){.type = VIEW_TRUTH, .number = domain->warmed_up_at != 0};
}

static void
view_write_creator(struct json_writer *writer, const char *key, const void *row, const void *data)
{
	const struct store_domain *domain = row;
	const struct view_context *context = data;

	json_writer_begin_object(writer, key);
	service_creator_write(writer, &domain->creator, context->settings);
	if (context->form == DOMAIN_VIEW_WHOLE)
		json_writer_string(writer, "type", "user");
	json_writer_end_object(writer);
}

/* clang-format off */
#define STORED(name, type, member, ...) JSON_VIEW_MEMBER(name, type, struct store_domain, member, __VA_ARGS__)
static const struct json_view_member created_members[] = {
	STORED("id", VIEW_ID, id),
	STORED("name", VIEW_TEXT, name),
	{"status", VIEW_MADE, .read = view_read_status},
	{"dns_records", VIEW_PART, .write = view_write_dns_records},
};
static const struct json_view_member whole_members[] = {
	STORED("id", VIEW_ID, id),
	STORED("name", VIEW_TEXT, name),
	{"status", VIEW_MADE, .read = view_read_status},
	{"verified_for_sending_status", VIEW_MADE, .read = view_read_may_send},
	{"verification_info", VIEW_PART, .write = view_write_verification},
	{"public_key", VIEW_MADE, .read = view_read_public_key},
	{"dns_records", VIEW_PART, .write = view_write_dns_records},
	STORED("created", VIEW_TIME, created),
	{"is_warmed_up", VIEW_MADE, .read = view_read_is_warmed_up},
	STORED("warmed_up_at", VIEW_TIME, warmed_up_at),
	{"created_by", VIEW_PART, .write = view_write_creator},
	STORED("open_tracking_enabled", VIEW_TRUTH, open_tracking, .is_long = true),
	STORED("click_tracking_enabled", VIEW_TRUTH, click_tracking, .is_long = true),
	STORED("receiving", VIEW_TRUTH, receiving, .is_long = true),
	STORED("reply_tracking", VIEW_TRUTH, reply_tracking, .is_long = true),
};
/* clang-format on */

void
domain_view_write(struct json_writer *writer, const struct config_settings *settings,
    const struct store_domain *domain, enum domain_view_form form)
{
	static const struct json_view forms[] = {[DOMAIN_VIEW_CREATED] = JSON_VIEW(created_members),
	    [DOMAIN_VIEW_LISTED] = {whole_members, G_N_ELEMENTS(whole_members), .is_list = true},
	    [DOMAIN_VIEW_WHOLE] = JSON_VIEW(whole_members)};

	json_view_write(writer, &forms[form], domain, &(struct view_context){settings, form});
}
