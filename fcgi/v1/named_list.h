/* SPDX-License-Identifier: MIT */
/* The addresses in a list that a request names by its path and query, as GET takes them:
   /v1/people?status=unsubscribed. */
#ifndef FCGI_V1_NAMED_LIST_H
#define FCGI_V1_NAMED_LIST_H

#include <glib.h>
#include <stdbool.h>

#include "fcgi/api/routes.h"
#include "fcgi/http/request.h"

struct fcgi_call;

/* A list, and the place in it. */
struct fcgi_named_list {
	struct fcgi_route_match match;
	struct fcgi_request request; /* its query; the cursor moves */
};

/* Opens a list of people, contacts, suppressions or emails. INVALID "list must be the path of
   ...", "list has no parameter ..." and "list has no value for ..." where GET would ignore one.
   Clear it in any case. */
bool fcgi_named_list_open(
    const struct fcgi_call *call, const char *text, struct fcgi_named_list *list_r, GError **error);
void fcgi_named_list_clear(struct fcgi_named_list *list);

/* A page of it. */
struct fcgi_named_page {
	GPtrArray *addresses; /* of char *, each once: of an email the recipients that the
				 filters to, status and search are about, without these
				 those in To, of an entry of the suppression list none where its
				 hash alone is kept; owned */
	guint rows;
	char *cursor; /* of the next page; NULL: this is the last one; owned */
};
void fcgi_named_page_clear(struct fcgi_named_page *page);

/* Reads the next page, which ends early where it would have more than LIMIT_BULK_PEOPLE addresses:
   more has only an email alone that does. Moves on. Errors as GET of the list. The caller clears
   the page in any case. */
bool fcgi_named_list_next(struct fcgi_call *call, struct fcgi_named_list *list,
    struct fcgi_named_page *page_r, GError **error);

#endif
