/* SPDX-License-Identifier: MIT */
/* Checks that each relay of a provider has an endpoint at which the provider reports. */
#include "cli/doctor.h"

#include <string.h>

#include "config/settings.h"
#include "provider/provider.h"
#include "store/feedback/provider.h"

static bool
has_endpoint(const GPtrArray *endpoints, const struct config_relay *relay)
{
	for (guint i = 0; i < endpoints->len; i++) {
		const struct store_provider *endpoint = endpoints->pdata[i];

		if (strcmp(endpoint->relay, relay->name) == 0 &&
		    endpoint->provider == (int)provider_by_word(relay->provider))
			return true;
	}
	return false;
}

static void
check_provider(
    struct cli_doctor *doctor, const struct config_relay *relay, const GPtrArray *endpoints)
{
	g_autofree char *check = g_strdup_printf("provider %s", relay->name);
	g_autofree char *remedy =
	    g_strdup_printf("posthouse provider add %s --relay %s", relay->provider, relay->name);

	if (has_endpoint(endpoints, relay))
		cli_check_ok(doctor, check, "%s reports to an endpoint of it", relay->provider);
	else
		cli_check_bad(doctor, check, STATE_WARN, remedy,
		    "it has no endpoint, so %s cannot report what becomes of its mail",
		    relay->provider);
}

void
cli_check_providers(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;

	if (!doctor->settings || !doctor->db)
		return;
	g_autoptr(GPtrArray) endpoints = store_provider_list(doctor->db, &error);
	if (!endpoints) {
		cli_check_failed(doctor, "provider", error);
		return;
	}
	for (guint i = 0; i < config_settings_relay_count(doctor->settings); i++) {
		const struct config_relay *relay = config_settings_relay(doctor->settings, i);

		if (*relay->provider)
			check_provider(doctor, relay, endpoints);
	}
}
