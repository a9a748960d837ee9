/* SPDX-License-Identifier: MIT */
/* Imports of contacts that a request asks for and the spool does: a CSV file of people with a map
   of its columns, segments to join and topics to choose. Each part of STORE_CONTACT_BATCH records
   is stored once, with its counts; a process that is killed leaves the rest to another one. */
#ifndef IMPORT_CONTACTS_H
#define IMPORT_CONTACTS_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/person/property.h"

struct service;
struct consent_topic;

struct import_contacts_property {
	const char *key, *column;
	enum store_property_type type; /* of a key that the workspace does not define */
};

struct import_contacts_wish {
	GBytes *file;
	const char *email, *first_name, *last_name,
	    *unsubscribed; /* columns; NULL: by their names */
	const struct import_contacts_property *properties;
	guint property_count;
	bool skips;			/* those who exist are left alone, else they are changed */
	const struct base_id *segments; /* audiences, which exist */
	guint segment_count;
	const struct consent_topic *topics;
	guint topic_count;
};

/* Stores an import for the spool. INVALID "file ..." when it has no header, or no column for the
   email; "column_map.email is no column of the file". LIMITED as of the store. */
bool import_contacts_create(struct service *service, const struct base_id *workspace,
    const struct import_contacts_wish *wish, struct base_id *id_r, GError **error);

/* Works on one import that is due, of these or of import/request.h, until a time of
   base_clock_boot or its end. *worked_r: one was. An import whose segment, topic or audience is
   gone ends as failed. */
bool import_contacts_work(struct service *service, gint64 until, bool *worked_r, GError **error);

#endif
