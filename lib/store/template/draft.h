/* SPDX-License-Identifier: MIT */
/* Templates with drafts. A draft is the next version of a template: changes go to it, and emails
   are sent with the published version until the draft is published. A template that was never
   published is a draft alone. A template is found by its alias, or else by its id. (An alias is no
   UUID, but an id that a client gave in /v1 can be like it.) Errors that a function does not name
   are those of db/statement.h. */
#ifndef STORE_TEMPLATE_DRAFT_H
#define STORE_TEMPLATE_DRAFT_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct db;
struct store_edit;
struct store_page;
struct store_template;

/* The draft, or the published version when there is no draft. NOT_FOUND. The caller frees it. */
struct store_template *store_template_draft_get(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* The published version. NOT_FOUND; of one that was never published, published is 0. The caller
   frees it. */
struct store_template *store_template_draft_published(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* A page of all templates, newest first, each as store_template_draft_get gives it, but without
   html and text. Cursors are sequences. The caller owns the array, of struct store_template. */
GPtrArray *store_template_draft_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* The sequence of the template with this id, if there is one. */
bool store_template_draft_place(struct db *db, const struct base_id *workspace, const char *id,
    struct base_id *sequence_r, bool *found_r, GError **error);

/* Writes the draft of the template with this id, which becomes one if there is none, and sets its
   version and updated. The alias changes at once. CONFLICT when another template has the alias.
   NOT_FOUND. */
bool store_template_draft_put(struct db *db, struct store_template *template, GError **error);

/* Makes the draft the published version, which edit's author then has made; does nothing without a
   draft. *id_r is the template's id, which the caller owns. NOT_FOUND. */
bool store_template_draft_publish(struct db *db, const struct base_id *workspace, const char *name,
    const struct store_edit *edit, char **id_r, GError **error);

/* Removes a template with its draft. *id_r as above. NOT_FOUND. */
bool store_template_draft_remove(
    struct db *db, const struct base_id *workspace, const char *name, char **id_r, GError **error);

#endif
