/* SPDX-License-Identifier: MIT */
/* Fills the outbox with emails of five kilobytes, as submissions would, for make bench. Usage: fill
 * SETTINGS WORKSPACE SENDER COUNT [ADDRESS EVERY | TOPIC]; with ADDRESS, each EVERYth email goes
 * there; with TOPIC all are mailings of it, each to a person of its own. */
#include <stdio.h>
#include <stdlib.h>

#include "config/settings.h"
#include "email/submission.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "submit/submit.h"

static int
fill_fail(const GError *error)
{
	fprintf(stderr, "fill: %s\n", error->message);
	return 1;
}

int
main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) html = g_string_new("<p>");

	if (argc < 5 || argc > 7)
		return 64;
	AUTO(config_settings) settings = config_settings_load(argv[1], &error);
	if (!settings)
		return fill_fail(error);
	AUTO(service) service = service_open(settings);
	if (!service_ensure(service, &error))
		return fill_fail(error);
	AUTO(store_workspace) workspace =
	    store_workspace_find(service->db, *argv[2] ? argv[2] : NULL, &error);
	if (!workspace)
		return fill_fail(error);
	while (html->len < 5000)
		g_string_append(html, "An email of five kilobytes. ");
	struct email_submission submission = {
	    .from = argv[3],
	    .subject = "A bench",
	    .html = html->str,
	    .topic_id = argc == 6 ? argv[5] : NULL,
	};
	int every = argc == 7 ? atoi(argv[6]) : 0;
	for (int i = 0; i < atoi(argv[4]); i++) {
		g_autofree char *person = g_strdup_printf("user%d@example.net", i);
		const char *to = argc == 6		       ? person
				 : every > 0 && i % every == 0 ? argv[5]
							       : "user@example.net";
		submission.to = (const char *[]){to, NULL};
		struct submit_sending *sending =
		    submit_send_check(service, &workspace->id, &submission, NULL, false, &error);
		AUTO(service_once) request = sending ? &sending->request : NULL;

		if (!request || !service_once_store_one(service, request, &error))
			return fill_fail(error);
	}
	return 0;
}
