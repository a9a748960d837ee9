/* SPDX-License-Identifier: MIT */
/* Looks up the sender's domain and the recipients of several requests in one statement, before each
   of them is checked. */
#ifndef EMAIL_PREFETCH_H
#define EMAIL_PREFETCH_H

#include <glib.h>

#include "base/scope.h"

struct base_id;
struct service;
struct store_domain;

/* The rows that requests which have arrived together will look up: one domain, and recipients
   without a place on the suppression list. All else they look up by themselves. */
struct email_prefetch;

/* A prefetch of nothing. The caller frees it. */
struct email_prefetch *email_prefetch_new(void);
void email_prefetch_free(struct email_prefetch *ahead);
DEFINE_AUTO(email_prefetch, email_prefetch_free)

/* Adds a request that names this sender and this only recipient, as the request gives them (NULL:
   it gives none, or several). Leaves it out when it is not of the same workspace and domain as the
   first one, or when there is no room. */
void email_prefetch_add(struct email_prefetch *ahead, const struct base_id *workspace,
    const char *from, const char *to);

/* The number of requests that were not left out. */
guint email_prefetch_count(const struct email_prefetch *ahead);

/* Looks up the domain of all of them and their recipients. If it fails, or one of the recipients is
   suppressed, nothing is known. */
void email_prefetch_look(struct service *service, struct email_prefetch *ahead);

/* The domain that a sender's domain of this name belongs to, where that is known, and that this
   recipient gets mail other than mailings; else NULL. Belongs to ahead, which may be NULL. */
const struct store_domain *email_prefetch_domain(const struct email_prefetch *ahead,
    const struct base_id *workspace, const char *name, const char *recipient);

#endif
