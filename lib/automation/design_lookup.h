/* SPDX-License-Identifier: MIT */
/* The lookups of what a design names: templates, domains, topics, audiences, segments, secrets. */
#ifndef AUTOMATION_DESIGN_LOOKUP_H
#define AUTOMATION_DESIGN_LOOKUP_H

#include <glib.h>
#include <stdbool.h>

#include "fetch/address_policy.h"

struct db;
struct base_id;

/* Finds the templates, domains, topics, audiences and segments that a design names. */
struct automation_design_lookup {
	/* Looks for a template: *found_r whether it exists, *subject_r whether it has a subject.
	   False, with the error, when the lookup failed. NULL: templates are not checked. */
	bool (*template_find)(
	    const char *id, bool *found_r, bool *subject_r, void *context, GError **error);
	/* Looks likewise for a published template of a node's data.template; *sender_r whether it
	   has a sender. */
	bool (*published_find)(const char *name, bool *found_r, bool *subject_r, bool *sender_r,
	    void *context, GError **error);
	/* Looks for the registered domain that a sender's domain belongs to. Returns like
	   template_find. NULL: senders are not checked. */
	bool (*domain_find)(const char *domain, bool *found_r, void *context, GError **error);
	/* Looks for the topic with this id, which may be the text of no id. Returns like
	   template_find. NULL: topics are not checked. */
	bool (*topic_find)(const char *id, bool *found_r, void *context, GError **error);
	/* Looks likewise for an audience. NULL: audiences are not checked. */
	bool (*audience_find)(const char *id, bool *found_r, void *context, GError **error);
	/* Looks likewise for a segment. NULL: segments are not checked. */
	bool (*segment_find)(
	    const struct base_id *id, bool *found_r, void *context, GError **error);
	/* Whether the URL of a request may be asked: INVALID "url ..." for one that may not. NULL:
	   only its form is checked. */
	bool (*url_check)(const char *url, void *context, GError **error);
	/* Looks likewise for a secret. NULL: secrets are not checked. */
	bool (*secret_find)(const char *name, bool *found_r, void *context, GError **error);
	/* Whether that one is frozen, so that nobody enters or leaves it. NULL: not checked. */
	bool (*segment_frozen)(
	    const struct base_id *id, bool *frozen_r, void *context, GError **error);
	void *context;
	const char *sender; /* of emails without from. NULL: there is none; "": there may be one,
			       and it is not checked */
};

/* The context of the functions below. */
struct automation_design_store {
	struct db *db;
	const struct base_id *workspace;
	struct fetch_rules rules; /* of URLs that are asked */
};

/* A template_find that asks the database; its context is a struct automation_design_store. Errors
   of db/statement.h. */
bool automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error);

/* A published_find that asks the database in the same way. */
bool automation_design_published(const char *name, bool *found_r, bool *subject_r, bool *sender_r,
    void *context, GError **error);

/* A domain_find that asks the database in the same way. It finds a registered domain, verified or
   not, and sub-domains of one. */
bool automation_design_domain(const char *domain, bool *found_r, void *context, GError **error);

/* A topic_find that asks the database in the same way. */
bool automation_design_topic(const char *id, bool *found_r, void *context, GError **error);

/* An audience_find that asks the database in the same way. */
bool automation_design_audience(const char *id, bool *found_r, void *context, GError **error);

/* A segment_find that asks the database in the same way. */
bool automation_design_segment(
    const struct base_id *id, bool *found_r, void *context, GError **error);

/* A url_check by the settings: INVALID "url must ...", as of webhooks. */
bool automation_design_url(const char *url, void *context, GError **error);

/* A secret_find that asks the database in the same way. */
bool automation_design_secret(const char *name, bool *found_r, void *context, GError **error);

/* A segment_frozen that asks the database in the same way. */
bool automation_design_frozen(
    const struct base_id *id, bool *frozen_r, void *context, GError **error);

#endif
