/* SPDX-License-Identifier: MIT */
/* For this room: a recipient of incoming mail, and what is to be done for it. */
#ifndef RECEIVED_ROUTE_H
#define RECEIVED_ROUTE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/received/route.h"

/* A workspace that takes the mail. */
struct received_target {
	struct base_id workspace;
	/* of a receiving domain */
	bool has_domain;
	struct base_id domain, route;
	char *domain_name;
	enum store_receiving_action action;
	char *forward_to; /* a JSON array; NULL: none */
	char *sender;	  /* from whom it is forwarded; NULL: the address to which it came */
	/* of an address for replies */
	bool is_reply;
	struct base_id email;
	guint recipient; /* its number in the email */
};

struct received_route {
	char *address;	    /* in normal form */
	char *key;	    /* as it is compared */
	GPtrArray *targets; /* struct received_target, at least one */
};

#endif
