/* SPDX-License-Identifier: MIT */
#include "relay/route.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "config/settings.h"
#include "relay/relay.h"
#include "tests/support/settings.h"

static char *dir;

static void
route_make_dir(void)
{
	dir = g_dir_make_tmp("posthouse-route.XXXXXX", NULL);
	cr_assert(dir);
}

static void
route_remove_dir(void)
{
	test_folder_remove(dir);
}

TestSuite(route, .init = route_make_dir, .fini = route_remove_dir);

/* The relays of routes, a line for each; those that rest have their reason. */
static char *
route_list(const struct config_settings *settings, char *const *routes, guint count)
{
	g_autoptr(GPtrArray) given = g_ptr_array_new();
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < count; i++)
		g_ptr_array_add(given, routes[i]);
	g_autoptr(GPtrArray) relays = relay_route_relays(settings, given);
	for (guint i = 0; i < relays->len; i++) {
		const struct relay_route_relay *relay = relays->pdata[i];

		g_string_append_printf(lines, "%s%s%s%s\n", relay->name, relay->reason ? ": " : "",
		    relay->reason ? relay->reason : "", relay->rests_until > 0 ? " (rests)" : "");
	}
	return g_string_free(lines, FALSE);
}

Test(route, names_its_relays_and_why_they_rest)
{
	AUTO(config_settings)
	settings = test_settings_load(dir, "route",
	    "[relay a]\nhost = 127.0.0.1\n[relay b]\nhost = 127.0.0.1\ndefault = no\n"
	    "[relay c]\nhost = 127.0.0.1\n");
	static const struct {
		const char *name;
		char *routes[3];
		guint count;
		const char *want;
	} cases[] = {
	    {"none", {NULL}, 1, "a\nc: relay c refused (rests)\n"},
	    {"named", {(char *)"b c"}, 1, "b\nc: relay c refused (rests)\n"},
	    {"gone", {(char *)"b old"}, 1, "b\nold: the settings do not have it\n"},
	    {"several", {(char *)"old b", NULL, (char *)"b a old"}, 3,
		"a\nb\nc: relay c refused (rests)\nold: the settings do not have it\n"},
	    {"no routes", {NULL}, 0, ""},
	};
	struct relay_refusal refusal = {.text = "relay c refused"};
	g_autoptr(GError) error = NULL;
	AUTO(relay_slot) slot = relay_slot_take(settings, 2, &error);

	cr_assert(slot, "%s", error ? error->message : "busy");
	relay_slot_rest(slot, &refusal);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = route_list(settings, cases[i].routes, cases[i].count);
		cr_expect_str_eq(got, cases[i].want, "%s: got\n%s", cases[i].name, got);
	}
}
