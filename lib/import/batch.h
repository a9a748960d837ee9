/* SPDX-License-Identifier: MIT */
/* The contacts of an import that are stored together: collects them, each address once, and stores
   them in one transaction. */
#ifndef IMPORT_BATCH_H
#define IMPORT_BATCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "person/contact.h"
#include "store/person/contact.h"
#include "store/person/property.h"

struct service;
struct db;
struct json;
struct store_consent_override;

struct import_options {
	/* EXISTING_UPDATE: existing contacts take the given fields, and of two contacts with the
	   same email in the import the last one counts. EXISTING_SKIP: they stay as they are, and
	   the first one counts. EXISTING_REFUSE: they and later ones are passed to refuse. */
	enum store_contact_existing existing;
	/* A person who has unsubscribed in person is subscribed only by an override, which is
	   recorded; NULL: none. */
	const struct store_consent_override *override;
	const char *const *keys; /* of properties, NULL-terminated, or NULL; borrowed */
	/* Stores batches in IMPORT_LANES threads while the caller goes on, so the caller uses
	   neither the service nor its database until import_flush has returned. */
	bool in_threads;
	/* Types of the keys that the workspace does not define, or NULL: they are texts. Borrowed.
	 */
	const enum store_property_type *types;
	/* A language, time zone or property that does not fit is left out, and passed to warn; else
	   it refuses its contact. dashes is not NULL: that message names a remedy, the option
	   "lenient" with these dashes in front. */
	bool lenient;
	const char *dashes;
	bool start_workflows; /* own events are told (store/automation/own.h) */
	/* Nothing is stored: the tally says what an import would do, except that an address of two
	   batches counts in both. also and choices are left alone. */
	bool dry_run;
	void (*refuse)(guint64 line, const char *fault, void *context);
	void (*warn)(guint64 line, const char *fault, void *context); /* NULL: not needed */
	/* Called for each line that EXISTING_SKIP skips or EXISTING_REFUSE refuses; for those of
	   existing contacts in the transaction that stores a batch, which may run several times.
	   NULL: not needed. */
	void (*skipped)(guint64 line, void *context);
	/* Called in that transaction, with the tally of the batch. NULL: not needed. */
	bool (*also)(
	    struct db *db, const struct store_contact_tally *tally, void *context, GError **error);
	void *context;
};

/* One contact of an import. Fields that are not given stay as they are, or have the defaults of a
   new contact. */
struct import_contact {
	struct person_contact_fields fields;
	bool first_name_given, last_name_given, language_given, time_zone_given;
	bool is_subscribed_given, is_subscribed;
	const char *language, *time_zone;
	const char *const *properties; /* the texts of the keys; "" removes a property, NULL leaves
					  it as it is */
	const struct json *values; /* in place of texts: an object, whose null removes a property;
				      NULL: none */
	guint64 line;
};

/* The settings that all batches of an import share. Pointers are borrowed. */
struct import_goal {
	struct base_id workspace;
	const struct base_id *audience; /* NULL: people alone */
	const struct import_options *options;
};

struct import_batch;

/* A batch without people. goal is borrowed. The caller frees it. */
struct import_batch *import_batch_new(const struct import_goal *goal);
void import_batch_free(struct import_batch *batch);

/* Adds a contact with its address, which is taken over, and the patch of its properties (NULL:
   none). A contact whose address is in the batch already changes the first one, or is skipped or
   refused. Returns whether the batch is full. */
bool import_batch_add(struct import_batch *batch, const struct import_contact *contact,
    char *address, const char *patch);

/* Stores the contacts through this service, which no other thread uses meanwhile, and forgets them.
   Errors as of import_flush. */
bool import_batch_store(struct import_batch *batch, struct service *service, GError **error);

/* After a batch was stored: adds its results to a tally, tells the refused contacts, and forgets
   both. */
void import_batch_tell(struct import_batch *batch, struct store_contact_tally *tally);

#endif
