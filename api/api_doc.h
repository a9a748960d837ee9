/* SPDX-License-Identifier: MIT */
/* Parts of api_doc, the program that makes files from the description of the HTTP API. */
#ifndef API_API_DOC_H
#define API_API_DOC_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* Ends the program with a sentence for the one who builds. */
void api_doc_fail(const char *format, ...) G_GNUC_NORETURN G_GNUC_PRINTF(1, 2);

/* A value with its reference ($ref) followed; the program ends where that leads nowhere. */
const struct json *api_doc_resolve(const struct json *document, const struct json *value);

/* The text of a member that is a string; NULL: there is none. */
const char *api_doc_text(const struct json *object, const char *key);

/* Writes posthouse-api(7): page with its lines that begin with @ replaced by tables. */
void api_doc_manual(GString *out, const struct json *document, const char *page);

/* Writes the prototypes of the handlers, and the rows of the table of routes. */
void api_doc_operations(GString *out, const struct json *document);
void api_doc_routes(GString *out, const struct json *document);

/* Writes assertions that constants of C are the limits of the schemas that name them. */
void api_doc_limits(GString *out, const struct json *document);

/* Writes the rows of the tables of fields of the bodies that operations take. */
void api_doc_fields(GString *out, const struct json *document);

#endif
