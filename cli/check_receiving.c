/* SPDX-License-Identifier: MIT */
/* Checks where the mail of domains that receive goes. */
#include "cli/doctor.h"
#include "domain/receiving.h"
#include "store/common/server.h"
#include "store/domain/domain.h"

static void
check_receiving_domain(
    struct cli_doctor *doctor, const struct store_server_domain *row, const char *check)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_domain)
	domain = store_domain_get(doctor->db, &row->workspace_id, &row->id, &error);

	if (domain && !domain->receiving)
		return;
	g_autoptr(GPtrArray) hosts =
	    domain ? domain_receiving_elsewhere(doctor->settings, domain->name, &error) : NULL;
	if (!hosts) {
		cli_check_failed(doctor, check, error);
	} else if (hosts->len == 0) {
		cli_check_ok(doctor, check, "no MX record leads elsewhere");
	} else {
		g_ptr_array_add(hosts, NULL);
		g_autofree char *list = g_strjoinv(", ", (char **)hosts->pdata);
		g_autofree char *remedy = g_strdup_printf(
		    "Publish the MX record that posthouse domain show %s lists and remove the "
		    "others, or let that server give the mail to posthouse receive "
		    "(doc/receiving.md).",
		    domain->name);
		cli_check_bad(
		    doctor, check, STATE_WARN, remedy, "its MX leads elsewhere: %s", list);
	}
}

void
cli_check_receiving(struct cli_doctor *doctor)
{
	if (!doctor->db || !doctor->domains)
		return;
	for (guint i = 0; i < doctor->domains->len; i++) {
		const struct store_server_domain *domain = doctor->domains->pdata[i];
		g_autofree char *check = g_strdup_printf("receiving %s", domain->name);

		if (cli_check_is_wanted(doctor, check))
			check_receiving_domain(doctor, domain, check);
	}
}
