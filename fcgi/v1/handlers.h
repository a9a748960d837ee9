/* SPDX-License-Identifier: MIT */
/* All handlers (api/operations.h, which is made from api/), and the parts that several of them
   share. */
#ifndef FCGI_V1_HANDLERS_H
#define FCGI_V1_HANDLERS_H

#include <glib.h>
#include <stdbool.h>

#include "api/operations.h"
#include "base/id.h"

struct config_settings;
struct service;
struct fcgi_call;
struct fcgi_failure;
struct fcgi_storing;
struct json;
struct json_table;
struct json_view;
struct json_writer;
struct store_email;
struct store_event_history;
struct store_event;

/* A handler performs one operation of the route table (fcgi/api/routes.c): it reads the checked
   request from the call and fills call->reply. False with error when it fails; the service then
   replies in the route's failure form. posthouse-api(7) says what each operation does; api/ names
   the handler, the table of fields and what else the row of the table needs. */

/* Failures as HTML pages, for links that people follow. */
extern const struct fcgi_failure fcgi_failure_notice;

/* Finds the contact whose email is the path's first argument. NOT_FOUND "Contact not found" when
   there is none, or when the argument is not an email address. */
bool fcgi_automation_contacts_find(struct fcgi_call *call, struct base_id *id_r, GError **error);

/* Writes an email as GET /v1/emails/{id} shows it, with the events of its recipients, both as
   store_email_show reads them. Sets error when its address lists or its content cannot be read. */
bool fcgi_email_view_write(struct json_writer *writer, struct service *service,
    const struct store_email *email, const struct store_event_history *histories, GError **error);

/* Writes an email as a row of GET /v1/emails. Sets error when its address lists cannot be read. */
bool fcgi_email_view_write_row(
    struct json_writer *writer, const struct store_email *email, GError **error);

/* Writes an event of an email as a row of GET /v1/emails/{id}/events. recipient is the address, or
   NULL when the address has been erased. */
void fcgi_email_view_write_event(
    struct json_writer *writer, const char *recipient, const struct store_event *event);

/* The text of a design that is given as its text or as an object, and its size; NULL for NULL. An
   object is printed into *printed_r, which the caller frees. */
const char *fcgi_workflows_design(const struct json *design, gsize *size_r, char **printed_r);

/* Reads the id of the domain in the path. NOT_FOUND "Domain not found" when it is none. */
bool fcgi_domains_id(const struct fcgi_call *call, struct base_id *id_r, GError **error);

/* Writes the relays of routes (relay/route.h) as the member relays. */
void fcgi_waiting_write_relays(
    struct json_writer *writer, const struct service *service, const GPtrArray *routes);

/* Reads the cursor parameter of a list, which is the id of the last row of the page before.
   *given_r tells whether there is one, and then *before_r is set. opaque: the cursor is the base64
   of the id's text; otherwise it is that text. INVALID when it is malformed. */
bool fcgi_page_cursor(
    struct fcgi_call *call, bool opaque, struct base_id *before_r, bool *given_r, GError **error);

/* The same for a list in the order of times: the cursor is the base64url of time and id of that
   row, which fcgi_page_place_cursor makes; the caller owns it. */
bool fcgi_page_place(
    struct fcgi_call *call, gint64 *time_r, struct base_id *id_r, bool *given_r, GError **error);
char *fcgi_page_place_cursor(gint64 time, const struct base_id *id);

/* Reads a parameter of the query; *text_r is NULL when it is empty or not given. */
bool fcgi_page_text(struct fcgi_call *call, const char *name, const char **text_r, GError **error);

/* An address with plus signs for spaces: a plus that was not escaped was decoded as one, and no
   address has any. The caller frees it. */
char *fcgi_page_plus(const char *text);

/* Reads a time of the query, epoch ms or ISO 8601. *given_r is time_r, or NULL when it is empty or
   not given. INVALID "NAME must be a time". */
bool fcgi_page_time(struct fcgi_call *call, const char *name, gint64 *time_r,
    const gint64 **given_r, GError **error);

/* Makes a search of the text of a parameter. The caller clears it. */
struct store_search;
void fcgi_page_search_text(struct store_search *search_r, const char *text);

/* Reads the parameter search; *given_r: there is one. INVALID by its length. The caller clears
   search_r in any case. */
bool fcgi_page_search(
    struct fcgi_call *call, struct store_search *search_r, bool *given_r, GError **error);

/* Reads the cursor of a list in the order of addresses: an email address, which need not be on the
   list (any more). *after_r is its normal form, NULL without a cursor; the caller frees it. INVALID
   when it is malformed. */
bool fcgi_page_address(struct fcgi_call *call, char **after_r, GError **error);

/* Reads a parameter that is one of some words, NULL-terminated. *number_r is the place of the word,
   from 1; 0 when it is empty or not given. INVALID "NAME must be one of ...". */
bool fcgi_page_word(struct fcgi_call *call, const char *name, const char *const *words,
    guint *number_r, GError **error);

/* A page that a search has found loses the row that tells of the next page: the page ends behind
   the one before it (rest), where a condition may take out rows that were found. */
struct store_search_page;
void fcgi_page_cut(struct store_search_page *page);

/* Refuses the cursor of a list that has one page, which leads nowhere. */
bool fcgi_page_whole(struct fcgi_call *call, GError **error);

/* Sets the error of a cursor that cannot be read, and returns false. */
bool fcgi_page_malformed(GError **error);

/* Reads the number of a version, the path's second argument. NOT_FOUND "Version not found". */
bool fcgi_versions_number(const struct fcgi_call *call, guint *number_r, GError **error);

/* Reads the cursor of a list of versions: those before *before_r are its page. */
bool fcgi_versions_before(struct fcgi_call *call, guint *before_r, GError **error);

/* Begins the reply to a list: {collection: [ */
void fcgi_page_begin(struct json_writer *writer, const char *collection);

/* Ends it with count and cursor, and replies with status 200. last is the id of the page's last row
   when more rows follow, otherwise NULL. */
void fcgi_page_end(struct fcgi_call *call, struct json_writer *writer, bool opaque, guint count,
    const struct base_id *last);

/* The same for a list that makes its own cursor; NULL when no more rows follow. */
void fcgi_page_end_text(
    struct fcgi_call *call, struct json_writer *writer, guint count, const char *cursor);

/* A page of a list whose rows always can be written. */
struct fcgi_page {
	const char *collection; /* the name of the list in the reply */
	const GPtrArray *rows;	/* from the store: one more than most when more rows follow; NULL
				   when  the store has failed */
	guint most;
	bool opaque;	 /* as for fcgi_page_cursor */
	gsize id_offset; /* of the struct base_id in a row that becomes the cursor */
	void (*write)(struct json_writer *writer, const struct service *service, const void *row);
	const struct json_view *view;		/* in place of write */
	const char *(*cursor)(const void *row); /* the cursor, if it is no id; otherwise NULL */
	const struct base_id *rest; /* the cursor of a page that ends early; NULL if it does not */
};

/* Replies with the page, status 200. False when rows is NULL; the store has set the error then. */
bool fcgi_page_reply(struct fcgi_call *call, const struct fcgi_page *page, GError **error);

/* Replies with one row as write writes it, status 200. False when row is NULL; the store has set
   the error then. */
bool fcgi_page_reply_row(struct fcgi_call *call,
    void (*write)(struct json_writer *writer, const struct service *service, const void *row),
    const void *row);

/* The same with the view of its noun. */
bool fcgi_page_reply_view(struct fcgi_call *call, const struct json_view *view, const void *row);

/* Reads the word of duplicates. INVALID "duplicates must be update, skip or refuse". */
bool fcgi_imports_duplicates(const char *word, int *existing_r, GError **error);

/* Writes {id: ...}. */
void fcgi_write_id(struct json_writer *writer, const struct base_id *id);

/* Writes a time in epoch milliseconds, or null for 0, which stands for none. */
void fcgi_write_time(struct json_writer *writer, const char *key, gint64 time);

#endif
