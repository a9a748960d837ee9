/* SPDX-License-Identifier: MIT */
/* Prints a sending domain and its records. */
#include "cli/domain_show.h"

#include <string.h>

#include "cli/call.h"
#include "cli/output.h"
#include "core/zone.h"
#include "store/domain.h"
#include "store/domain_key.h"
#include "store/workspace.h"

/* An empty line. */
static void
gap(struct cli_output *output)
{
	cli_output_progress(output, "%s", "");
}

static void
show_facts(struct cli_output *output, const struct store_domain *domain)
{
	const struct store_domain_check *check = &domain->check;

	cli_output_facts(output,
	    FIELDS(cli_id("id", &domain->id), cli_text("name", domain->name),
		cli_text("status", store_domain_status_name(domain->status)),
		cli_truth("trusted", domain->trusted),
		cli_truth("may_send", store_domain_verified(domain)),
		cli_text("error_type", store_domain_error_name(check->error)),
		cli_time("checked", check->last_checked), cli_time("success", check->last_success),
		cli_time("next_check", check->next_check),
		cli_time("warmed_up", domain->warmed_up_at), cli_time("created", domain->created)));
}

/* Of a DKIM record, what its key does. */
static const char *
key_state(const struct core_zone_record *record)
{
	static const char *const names[] = {[DOMAIN_KEY_ACTIVE] = "signs",
	    [DOMAIN_KEY_PENDING] = "new",
	    [DOMAIN_KEY_RETIRING] = "retires"};

	return record->key ? names[record->key->state] : NULL;
}

static void
show_row(struct cli_call *call, const struct core_zone_record *record, const char *apex)
{
	g_autofree char *host = core_zone_relative(record, apex);
	g_autofree char *text = core_zone_text(record), *line = core_zone_line(record);
	const char *priority = record->purpose == ZONE_MX ? ZONE_MX_PRIORITY_TEXT : NULL;
	const struct cli_field common[] = {
	    cli_text("type", core_zone_type(record)),
	    cli_text("name", host),
	    cli_text("priority", priority),
	    cli_truth("required", record->required),
	    cli_text("status", core_zone_state_name(record->state)),
	    cli_text("key", key_state(record)),
	    cli_text("value", call->json ? record->value : text),
	    /* in JSON alone */
	    cli_text("for", core_zone_label(record)),
	    cli_text("found", record->found),
	    cli_text("zone_line", line),
	};

	cli_output_row(call->output, common, G_N_ELEMENTS(common) - (call->json ? 0 : 3));
}

/* What there is in place of what is wanted. */
static void
show_wrong(struct cli_output *output, const struct core_zone_record *record)
{
	g_auto(GStrv) lines = g_strsplit(record->found ? record->found : "", "\n", -1);

	if (record->state != ZONE_WRONG)
		return;
	gap(output);
	cli_output_progress(
	    output, "Wrong: DNS shows this as %s of %s:", core_zone_type(record), record->name);
	for (char **line = lines; *line; line++)
		cli_output_progress(output, "  %s", *line);
}

static void
show_zone(struct cli_output *output, const GPtrArray *records)
{
	gap(output);
	cli_output_progress(output, "; The same for a zone file:");
	for (guint i = 0; i < records->len; i++) {
		g_autofree char *line = core_zone_line(records->pdata[i]);

		cli_output_progress(output, "%s", line);
	}
}

bool
cli_domain_show(struct cli_call *call, const struct base_id *id, GError **error)
{
	AUTO(store_domain) domain = store_domain_get(call->db, &call->workspace->id, id, error);

	if (!domain)
		return false;
	g_autoptr(GPtrArray) records = core_zone_records(domain, call->settings);
	show_facts(call->output, domain);
	gap(call->output);
	cli_output_list_begin(call->output, "dns_records", NULL);
	for (guint i = 0; i < records->len; i++)
		show_row(call, records->pdata[i], core_zone_apex(domain->name));
	cli_output_list_end(call->output);
	for (guint i = 0; i < records->len; i++)
		show_wrong(call->output, records->pdata[i]);
	show_zone(call->output, records);
	return true;
}
