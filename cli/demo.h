/* SPDX-License-Identifier: MIT */
/* The made-up life of a workspace: what posthouse demo fills it with. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "cli/call.h"

struct store_domain;

/* Somebody who is there already. The texts are literals, but for email. */
struct cli_demo_person {
	char *email;
	const char *first_name, *last_name;
	bool reads; /* opens many emails */
};

enum cli_demo_audience { DEMO_NEWSLETTER, DEMO_CUSTOMERS, DEMO_AUDIENCES };

struct cli_demo {
	struct cli_call *call;
	const struct base_id *workspace;
	GRand *rand;		     /* of the seed alone */
	struct store_domain *domain; /* that sends */
	struct base_id audiences[DEMO_AUDIENCES], segment, topic;
	GArray *people;		  /* struct cli_demo_person */
	guint emails, broadcasts; /* made so far */
};

/* Makes what stands at the beginning of the year: domains, templates, audiences, topics, properties
   and segments. */
bool cli_demo_begin(struct cli_demo *demo, const char *domain, GError **error);

/* Makes what stands at the end: a workflow with executions, a form, a draft of a broadcast, a
   suppressed address. */
bool cli_demo_end(struct cli_demo *demo, GError **error);

/* Makes one day, which the clock is at: people come, emails are sent and read. */
bool cli_demo_day(struct cli_demo *demo, guint day, GError **error);

/* Makes a broadcast that has been sent to an audience, and read by some. */
bool cli_demo_broadcast(struct cli_demo *demo, guint number, GError **error);

#endif
