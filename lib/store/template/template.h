/* SPDX-License-Identifier: MIT */
/* Templates in the version that is sent; their html and text are bodies. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_TEMPLATE_TEMPLATE_H
#define STORE_TEMPLATE_TEMPLATE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct db_rows;
struct store_edit;
struct store_template_change;

/* A template: the version that is sent. One that was never published is seen by template_draft.h
   alone, and so are the members from alias on. */
struct store_template {
	char *id; /* the caller's own, or a UUID */
	struct base_id workspace_id;
	struct base_id sequence; /* made at creation: newer ones are greater */
	char *name;
	char *subject;	 /* NULL when there is none */
	char *variables; /* JSON object: the defaults */
	GBytes *html;
	GBytes *text;  /* NULL when there is none */
	char *preview; /* that mail programs show beside the subject; NULL: none */
	char *layout;  /* the id of the template whose html it stands in; NULL: none */
	gint64 created, updated;

	char *alias;		/* a name beside the id, once in a workspace; NULL: none */
	char *sender;		/* From of emails that have none; NULL: none */
	char *reply_to;		/* list of addresses; NULL: none */
	char *declared;		/* JSON (content/template_variables.h); NULL: nothing declared */
	struct base_id version; /* another one for each version; the published one also has it */
	gint64 published;	/* epoch ms; 0: never */
	bool has_draft;		/* changes that are not published, or never published */

	const struct store_edit *edit; /* by which it is written; borrowed */
};

void store_template_free(struct store_template *template);
DEFINE_AUTO(store_template, store_template_free)

/* Begins to write a template (store/template/change.h), which is borrowed. For template_draft.c. */
struct store_template_change store_template_begin(const struct store_template *template);

/* Stores a new template, which is a draft alone if has_draft is set, and sets its times, sequence
   and version. CONFLICT when the workspace has the id or the alias, or, with no db_cause, has
   reached its limit of templates. */
bool store_template_create(struct db *db, struct store_template *template, GError **error);

/* Replaces the template with this id, and sets updated and version. NOT_FOUND; CHANGED as the edit
   says, whose tags are versions. */
bool store_template_replace(struct db *db, struct store_template *template, GError **error);

/* NOT_FOUND "Template not found". The caller frees it. */
struct store_template *store_template_get(
    struct db *db, const struct base_id *workspace, const char *id, GError **error);

/* Reads the contents whose columns hash, size and data begin at html and at text. */
#define STORE_TEMPLATE_BODY_END 3 /* columns */
bool store_template_read_bodies(struct db *db, struct store_template *template,
    struct db_rows *rows, guint html, guint text, GError **error);

/* Whether there is a template with this id, and whether it has a subject; reads nothing else. */
bool store_template_find(struct db *db, const struct base_id *workspace, const char *id,
    bool *found_r, bool *subject_r, GError **error);

/* NOT_FOUND "Template not found". */
bool store_template_remove(
    struct db *db, const struct base_id *workspace, const char *id, GError **error);

/* A page of templates, newest first, at most limit, older than before (NULL: from the newest
   on), without html and text, as an array of struct store_template. The caller owns it. */
GPtrArray *store_template_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

#endif
