/* SPDX-License-Identifier: MIT */
/* What has to be published for a domain, and what DNS shows of it. */
#ifndef CLI_DOMAIN_SHOW_H
#define CLI_DOMAIN_SHOW_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;
struct base_id;

/* Prints a domain of the workspace: how it stands; its records as a table, the names as a form of a
   DNS provider wants them; and once more as lines of a zone file. NOT_FOUND. */
bool cli_domain_show(struct cli_call *call, const struct base_id *id, GError **error);

#endif
