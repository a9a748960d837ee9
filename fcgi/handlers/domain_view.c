/* SPDX-License-Identifier: MIT */
/* Sending domains as JSON. */
#include "fcgi/handlers/domain_view.h"

#include "base/clock.h"
#include "core/zone.h"
#include "fcgi/handlers/creator_view.h"
#include "json/writer.h"
#include "store/domain.h"
#include "store/domain_key.h"

static void
write_record(
    struct json_writer *writer, const struct core_zone_record *record, const char *base, bool state)
{
	g_autofree char *name = core_zone_relative(record, base);

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "type", core_zone_type(record));
	json_writer_string(writer, "name", name);
	json_writer_string(writer, "value", record->value);
	json_writer_boolean(writer, "required", record->required);
	json_writer_string(writer, "for", core_zone_label(record));
	if (record->purpose == ZONE_MX)
		json_writer_integer(writer, "priority", ZONE_MX_PRIORITY);
	if (state) {
		json_writer_string(writer, "status", core_zone_state_name(record->state));
		json_writer_string(writer, "found", record->found);
	}
	json_writer_end_object(writer);
}

static void
write_records(struct json_writer *writer, const struct base_settings *settings,
    const struct store_domain *domain, enum fcgi_domain_form form)
{
	g_autoptr(GPtrArray) records = core_zone_records(domain, settings);
	const char *base = form == DOMAIN_CREATED ? domain->name : core_zone_apex(domain->name);

	json_writer_begin_array(writer, "dns_records");
	for (guint i = 0; i < records->len; i++)
		write_record(writer, records->pdata[i], base, form == DOMAIN_WHOLE);
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

/* That of the RSA key that signs now, or did last. */
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
write_history(struct json_writer *writer, const struct base_settings *settings,
    const struct store_domain *domain, enum fcgi_domain_form form)
{
	json_writer_integer(writer, "created", domain->created);
	json_writer_boolean(writer, "is_warmed_up", domain->warmed_up_at != 0);
	if (domain->warmed_up_at)
		json_writer_integer(writer, "warmed_up_at", domain->warmed_up_at);
	else
		json_writer_null(writer, "warmed_up_at");
	json_writer_begin_object(writer, "created_by");
	fcgi_creator_view_write(writer, settings, &domain->creator);
	if (form == DOMAIN_WHOLE)
		json_writer_string(writer, "type", "user");
	json_writer_end_object(writer);
}

void
fcgi_domain_view_write(struct json_writer *writer, const struct base_settings *settings,
    const struct store_domain *domain, enum fcgi_domain_form form)
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
		write_history(writer, settings, domain, form);
	if (form == DOMAIN_WHOLE) {
		json_writer_boolean(writer, "open_tracking_enabled", domain->open_tracking);
		json_writer_boolean(writer, "click_tracking_enabled", domain->click_tracking);
	}
	json_writer_end_object(writer);
}
