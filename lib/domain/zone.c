/* SPDX-License-Identifier: MIT */
/* Makes the DNS records that a sending domain needs. */
#include "domain/zone.h"

#include <string.h>

#include "config/settings.h"
#include "json/strict.h"
#include "json/writer.h"
#include "link/return_path.h"
#include "link/token.h"
#include "relay/relay.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "text/hostname.h"

#define STRING_MAX 255
#define TTL 3600

const char *
domain_zone_type(const struct domain_zone_record *record)
{
	return record->purpose == ZONE_TRACKING ? "CNAME"
	       : domain_zone_is_mx(record)	? "MX"
						: "TXT";
}

bool
domain_zone_is_mx(const struct domain_zone_record *record)
{
	return record->purpose == ZONE_MX || record->purpose == ZONE_RECEIVING;
}

const char *
domain_zone_label(const struct domain_zone_record *record)
{
	static const char *const labels[] = {
	    [ZONE_DKIM] = "DKIM",
	    [ZONE_MX] = "MAIL FROM domain",
	    [ZONE_SPF] = "MAIL FROM domain",
	    [ZONE_DMARC] = "DMARC (highly recommended)",
	    [ZONE_RECEIVING] = "Receiving",
	    [ZONE_TLS] = "TLS reports",
	    [ZONE_TRACKING] = "TRACKING",
	};

	return labels[record->purpose];
}

static const char *const names[] = {
    [ZONE_UNKNOWN] = NULL,
    [ZONE_FOUND] = "found",
    [ZONE_MISSING] = "missing",
    [ZONE_WRONG] = "wrong",
};

const char *
domain_zone_state_name(enum domain_zone_state state)
{
	return names[state];
}

/* Returns the state for the API's word; ZONE_UNKNOWN for NULL and unknown words. */
static enum domain_zone_state
zone_state_of(const char *name)
{
	for (guint i = ZONE_FOUND; name && i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], name) == 0)
			return (enum domain_zone_state)i;
	return ZONE_UNKNOWN;
}

static void
free_record(void *data)
{
	struct domain_zone_record *record = data;

	g_free(record->name);
	g_free(record->value);
	g_free(record->found);
	g_free(record);
}

void
domain_zone_set_required(struct domain_zone_record *record)
{
	if (record->purpose == ZONE_DKIM)
		record->required = record->key->algorithm == DOMAIN_KEY_RSA &&
				   record->key->state == DOMAIN_KEY_ACTIVE;
}

static struct domain_zone_record *
zone_add(GPtrArray *records, enum domain_zone_purpose purpose, const struct store_domain_key *key,
    char *name, char *value)
{
	struct domain_zone_record *record = g_new0(struct domain_zone_record, 1);

	record->purpose = purpose;
	record->key = key;
	record->name = name;
	record->value = value;
	record->required = purpose < ZONE_DMARC;
	domain_zone_set_required(record);
	g_ptr_array_add(records, record);
	return record;
}

static void
zone_add_key(GPtrArray *records, const char *domain, const struct store_domain_key *key)
{
	const char *type = key->algorithm == DOMAIN_KEY_RSA ? "rsa" : "ed25519";

	zone_add(records, ZONE_DKIM, key, g_strconcat(key->selector, "._domainkey.", domain, NULL),
	    g_strconcat("v=DKIM1; k=", type, "; p=", key->public, NULL));
}

char *
domain_zone_mx(const struct config_settings *settings)
{
	const char *given = config_settings_text(settings, SETTING_SERVICE_MAIL_FROM_MX);
	g_autoptr(GUri) url = g_uri_parse(
	    config_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);
	char *host;

	if (*given)
		return g_strdup(given);
	host = url && g_uri_get_host(url) ? text_hostname_ascii(g_uri_get_host(url)) : NULL;
	return host ? host : g_strdup(g_get_host_name());
}

static char *
spf_of(const struct config_settings *settings)
{
	const char *const *mechanisms = config_settings_list(settings, SETTING_SERVICE_SPF);
	g_autofree char *list = *mechanisms ? g_strjoinv(" ", (char **)mechanisms) : g_strdup("mx");

	return g_strconcat("v=spf1 ", list, " ~all", NULL);
}

/* The name of a record in the findings. */
static char *
zone_mark_of(const struct domain_zone_record *record)
{
	return g_strconcat(domain_zone_type(record), " ", record->name, NULL);
}

char *
domain_zone_findings(const GPtrArray *records)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (guint i = 0; i < records->len; i++) {
		const struct domain_zone_record *record = records->pdata[i];
		g_autofree char *mark = zone_mark_of(record);

		json_writer_begin_object(writer, mark);
		json_writer_string(writer, "status", domain_zone_state_name(record->state));
		json_writer_string(writer, "found", record->found);
		json_writer_end_object(writer);
	}
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static void
read_findings(const GPtrArray *records, const char *findings)
{
	AUTO(json) document = findings ? json_parse(findings, strlen(findings), NULL) : NULL;

	for (guint i = 0; document && i < records->len; i++) {
		struct domain_zone_record *record = records->pdata[i];
		g_autofree char *mark = zone_mark_of(record);
		const struct json *finding = json_member_get(document, mark);

		record->state =
		    zone_state_of(json_string(json_member_get(finding, "status"), NULL));
		record->found = g_strdup(json_string(json_member_get(finding, "found"), NULL));
	}
}

char *
domain_zone_report_address(
    const struct store_domain *domain, const struct config_settings *settings)
{
	const struct link_token token = {TOKEN_DOMAIN, domain->id, 0, 0};
	char hex[TOKEN_HEX_SIZE];

	link_token_write_hex(config_settings_secret(settings), &token, hex);
	g_autofree char *host = link_return_path_host(domain->return_path, domain->name);
	return g_strdup_printf("d+%s@%s", hex, host);
}

static void
zone_add_receiving(
    GPtrArray *records, const struct store_domain *domain, const struct config_settings *settings)
{
	g_autofree char *address = domain_zone_report_address(domain, settings);

	zone_add(records, ZONE_RECEIVING, NULL, g_strdup(domain->name), domain_zone_mx(settings));
	zone_add(records, ZONE_TLS, NULL, g_strconcat("_smtp._tls.", domain->name, NULL),
	    g_strconcat("v=TLSRPTv1; rua=mailto:", address, NULL));
}

char *
domain_zone_target(const struct config_settings *settings)
{
	const char *given = config_settings_text(settings, SETTING_SERVICE_TRACKING_HOST);
	g_autoptr(GUri) url = g_uri_parse(
	    config_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);
	const char *host = *given ? given : url ? g_uri_get_host(url) : NULL;

	return host && !g_hostname_is_ip_address(host) ? text_hostname_host(host) : NULL;
}

/* The host that a tracking host leads to; "" where the settings have none any more. */
static char *
zone_target_of(const struct config_settings *settings)
{
	char *target = domain_zone_target(settings);

	return target ? target : g_strdup("");
}

GPtrArray *
domain_zone_records(const struct store_domain *domain, const struct config_settings *settings)
{
	GPtrArray *records = g_ptr_array_new_with_free_func(free_record);
	const char *name = domain->name;
	g_autofree char *reports = domain_zone_report_address(domain, settings);

	for (guint i = 0; i < domain->keys->len; i++)
		zone_add_key(records, name, domain->keys->pdata[i]);
	struct domain_zone_record *mx = zone_add(records, ZONE_MX, NULL,
	    link_return_path_host(domain->return_path, name), domain_zone_mx(settings));
	mx->required = false;
	for (guint stream = 1; stream <= STORE_STREAMS; stream++)
		mx->required =
		    mx->required || !relay_returns(settings, domain->relays[stream]).is_elsewhere;
	zone_add(records, ZONE_SPF, NULL, link_return_path_host(domain->return_path, name),
	    spf_of(settings));
	zone_add(records, ZONE_DMARC, NULL, g_strconcat("_dmarc.", name, NULL),
	    g_strconcat("v=DMARC1; p=none; rua=mailto:", reports, NULL));
	if (domain->receiving)
		zone_add_receiving(records, domain, settings);
	if (domain->tracking_host)
		zone_add(records, ZONE_TRACKING, NULL, g_strdup(domain->tracking_host),
		    zone_target_of(settings));
	read_findings(records, domain->check.findings);
	return records;
}

const char *
domain_zone_apex(const char *domain)
{
	const char *apex = text_hostname_registrable(domain);

	return apex ? apex : domain;
}

char *
domain_zone_relative(const struct domain_zone_record *record, const char *base)
{
	gsize size = strlen(record->name), behind = strlen(base) + 1;

	if (strcmp(record->name, base) == 0)
		return g_strdup("@");
	return size > behind && strcmp(record->name + size - behind + 1, base) == 0
		   ? g_strndup(record->name, size - behind)
		   : g_strdup(record->name);
}

/* Appends a text in quotes, split into strings. */
static void
zone_append_text(GString *line, const char *text)
{
	gsize in_string = 0;

	g_string_append_c(line, '"');
	for (; *text; text++) {
		if (in_string++ == STRING_MAX) {
			g_string_append(line, "\" \"");
			in_string = 1;
		}
		if (*text == '"' || *text == '\\')
			g_string_append_c(line, '\\');
		g_string_append_c(line, *text);
	}
	g_string_append_c(line, '"');
}

char *
domain_zone_text(const struct domain_zone_record *record)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (domain_zone_is_mx(record) || record->purpose == ZONE_TRACKING ||
	    strlen(record->value) <= STRING_MAX)
		return g_strdup(record->value);
	zone_append_text(text, record->value);
	return g_strdup(text->str);
}

char *
domain_zone_line(const struct domain_zone_record *record)
{
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_append_printf(line, "%s. %d IN %s ", record->name, TTL, domain_zone_type(record));
	if (domain_zone_is_mx(record))
		g_string_append_printf(line, "%d %s.", ZONE_MX_PRIORITY, record->value);
	else if (record->purpose == ZONE_TRACKING)
		g_string_append_printf(line, "%s.", record->value);
	else
		zone_append_text(line, record->value);
	return g_strdup(line->str);
}
