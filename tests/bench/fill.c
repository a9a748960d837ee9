/* SPDX-License-Identifier: MIT */
/* Fills the outbox with emails of five kilobytes, as submissions would, for make bench. Usage: fill
 * SETTINGS WORKSPACE SENDER COUNT [ADDRESS EVERY]; with ADDRESS, each EVERYth email goes there. */
#include <stdio.h>
#include <stdlib.h>

#include "config/settings.h"
#include "core/core.h"
#include "core/submission.h"
#include "core/submit.h"
#include "store/workspace.h"

static int
fail(const GError *error)
{
	fprintf(stderr, "fill: %s\n", error->message);
	return 1;
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) html = g_string_new("<p>");

	if (argc != 5 && argc != 7)
		return 64;
	AUTO(config_settings) settings = config_settings_load(argv[1], &error);
	if (!settings)
		return fail(error);
	AUTO(core) core = core_open(settings);
	if (!core_ensure(core, &error))
		return fail(error);
	AUTO(store_workspace) workspace =
	    store_workspace_find(core->db, *argv[2] ? argv[2] : NULL, &error);
	if (!workspace)
		return fail(error);
	while (html->len < 5000)
		g_string_append(html, "An email of five kilobytes. ");
	struct core_submission submission = {
	    .from = argv[3],
	    .subject = "A bench",
	    .html = html->str,
	};
	int every = argc == 7 ? atoi(argv[6]) : 0;
	for (int i = 0; i < atoi(argv[4]); i++) {
		const char *to = every > 0 && i % every == 0 ? argv[5] : "user@example.net";
		submission.to = (const char *[]){to, NULL};
		struct core_sending *sending =
		    core_send_check(core, &workspace->id, &submission, NULL, &error);
		AUTO(core_request) request = sending ? &sending->request : NULL;

		if (!request || !core_request_store_one(core, request, &error))
			return fail(error);
	}
	return 0;
}
