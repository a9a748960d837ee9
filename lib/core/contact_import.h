/* SPDX-License-Identifier: MIT */
/* Imports of contacts that a request of /resend asks for and the spool does: a CSV file of people,
   with segments to join and topics to choose. Each part of STORE_CONTACT_BATCH records is stored
   once, with its counts; a process that is killed leaves the rest to another one. */
#ifndef CORE_CONTACT_IMPORT_H
#define CORE_CONTACT_IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/property.h"

struct core;
struct core_consent_topic;

struct core_contact_import_property {
	const char *key, *column;
	enum store_property_type type; /* of a key that the workspace does not define */
};

struct core_contact_import_wish {
	GBytes *file;
	const char *email, *first_name, *last_name,
	    *unsubscribed; /* columns; NULL: by their names */
	const struct core_contact_import_property *properties;
	guint property_count;
	bool skips;			/* those who exist are left alone, else they are changed */
	const struct base_id *segments; /* audiences, which exist */
	guint segment_count;
	const struct core_consent_topic *topics;
	guint topic_count;
};

/* Stores an import for the spool. INVALID "file ..." when it has no header, or no column for the
   email; "column_map.email is no column of the file". LIMITED as of the store. */
bool core_contact_import_create(struct core *core, const struct base_id *workspace,
    const struct core_contact_import_wish *wish, struct base_id *id_r, GError **error);

/* Works on one import that is due, of /resend or /v1 (core/file_import.h), until a time of
   base_clock_boot or its end. *worked_r: one was. An import whose segment, topic or audience is
   gone ends as failed. */
bool core_contact_import_work(struct core *core, gint64 until, bool *worked_r, GError **error);

#endif
