/* SPDX-License-Identifier: MIT */
/* Templates and domains that the drafts of one workspace share: those of a batch read each once. */
#ifndef EMAIL_DRAFT_CACHE_H
#define EMAIL_DRAFT_CACHE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct json;
struct service;
struct store_domain;
struct store_domain_recipients;
struct store_template;

struct email_draft_cache {
	GHashTable *templates, *domains; /* by id, and by the name that was looked for */
	struct json *defaults; /* of its properties; NULL until a template lacks a value */
	bool in_batch;	       /* of several emails, not of one alone */
	gint64 spent;	       /* processor time to fill the emails of a batch, ns */
};

/* An empty cache. The caller frees it. */
struct email_draft_cache *email_draft_cache_new(bool in_batch);
void email_draft_cache_free(struct email_draft_cache *cache);
DEFINE_AUTO(email_draft_cache, email_draft_cache_free)

/* The template with this id, which the cache owns. INVALID when there is none; errors of
   db/statement.h. */
const struct store_template *email_draft_cache_template(struct email_draft_cache *cache,
    struct service *service, const struct base_id *workspace, const char *id, GError **error);

/* Finds the nearest domain of the workspace, which the cache owns. *domain_r is NULL when there is
   none. A domain that is read looks up the recipient too (NULL: none). Errors of db/statement.h. */
bool email_draft_cache_domain(struct email_draft_cache *cache, struct service *service,
    const struct base_id *workspace, const char *name, struct store_domain_recipients *recipient,
    const struct store_domain **domain_r, GError **error);

#endif
