/* SPDX-License-Identifier: MIT */
/* Imports of files of people that POST /v1/imports asks for and the spool does, with the reader of
   import/file.h. One transaction stores the people of a part of STORE_CONTACT_BATCH lines, its
   counts and faults, and the place behind it; a process that is killed leaves the rest to another
   one. */
#ifndef IMPORT_REQUEST_H
#define IMPORT_REQUEST_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/person/contact.h"

struct service;
struct json;
struct json_writer;
struct store_consent_override;
struct store_contact_import;

struct import_request_options {
	const struct base_id *audience;	  /* which exists; NULL: people alone */
	const struct json *columns;	  /* {NAME: USE}; NULL: all by their names */
	const char *encoding, *separator; /* NULL: as the file shows */
	enum store_contact_existing existing;
	bool unsubscribed;    /* all people of the file are */
	bool start_workflows; /* own events are told */
	bool lenient;	      /* a value that does not fit is left out; else its line is refused */
	bool is_dry;	      /* nothing is stored but counts and faults */
	const struct store_consent_override *override; /* NULL: none */
	const char *filename;			       /* NULL: none */
};

/* The begin of a file, for the answer; NULL: it was not read. */
struct import_request_begin {
	char *header, *sample; /* JSON: the names of the columns, and the lines, lists of texts */
};
void import_request_begin_clear(struct import_request_begin *begin);

/* Stores an import for the spool, and returns it as it is stored; the caller frees it, and clears
   *begin_r in any case; it is there also when the columns are refused. INVALID "columns...",
   "encoding...", "separator..." and "file...", and as of import_file_open_bytes; LIMITED as of the
   store. */
struct store_contact_import *import_request_ask(struct service *service,
    const struct base_id *workspace, const struct import_request_options *options, GBytes *file,
    struct import_request_begin *begin_r, GError **error);

/* Works on an import that this process has claimed, until a time of base_clock_boot or its end.
   Each part claims it for lease ms more. INVALID, NOT_FOUND: it cannot be done. CONFLICT: another
   process has claimed it. */
bool import_request_work(struct service *service, struct store_contact_import *import, gint64 lease,
    gint64 until, GError **error);

/* Writes {NAME: USE} of all columns of a plan. */
void import_request_write_columns(struct json_writer *writer, const char *key, const char *plan);

/* The names of its columns. The caller owns them. */
char **import_request_header(const char *plan);

#endif
