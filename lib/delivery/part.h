/* SPDX-License-Identifier: MIT */
/* The parts of broadcasts: one email whose messages are each made for one person. */
#ifndef DELIVERY_PART_H
#define DELIVERY_PART_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/broadcast/recipient.h"
#include "store/outbox/outbox.h"

struct service;
struct delivery_part;
struct store_email;
struct store_person;

/* Reads what the messages of some entries have in common, and the people of those that are of this
   part. Takes the email, which is of the type EMAIL_BROADCAST. NULL with an error of
   db/statement.h. The caller frees it. */
struct delivery_part *delivery_part_read(struct service *service, struct store_email *email,
    const struct store_outbox_entry *entries, guint count, GError **error);
void delivery_part_free(struct delivery_part *part);
DEFINE_AUTO(delivery_part, delivery_part_free)

/* Whether the entry is of this part. */
bool delivery_part_has(const struct delivery_part *part, const struct store_outbox_entry *entry);

/* The broadcast of a message that goes to one of its recipients. */
struct delivery_part_recipient {
	bool is_set;
	struct base_id id, person_id; /* id: the broadcast's */
	int variant;
	enum store_broadcast_status status; /* 0: it is gone */
	enum store_broadcast_reason reason; /* why the person does not get it */
	gint64 due;			    /* when its turn came, epoch ms */
	bool is_dropped;		    /* it was cancelled */
	bool is_paused;			    /* it waits until the broadcast goes on */
};

/* Makes the email of an entry's message: to the one person, with that person's variables. *fault_r:
   why that could not be done; NULL: it was. The caller frees both. */
struct store_email *delivery_part_email(const struct delivery_part *part,
    const struct store_outbox_entry *entry, struct delivery_part_recipient *recipient_r,
    GError **fault_r);

/* Whether a variable is a field of each person: "contact.email" and "first_name", and FIRST_NAME,
   LAST_NAME and EMAIL; or unsubscribe_url. */
bool delivery_part_knows(const char *name);

/* Gives an email of a broadcast a person's variables, as delivery_part_email does, and fills its
   subject. person NULL: nobody's, so that defaults are left. properties: the definitions, an array
   of struct store_property. */
bool delivery_part_fill(const GPtrArray *properties, const struct store_person *person,
    struct store_email *email, GError **error);

/* Fills a subject of an email of a broadcast likewise. variables: the email's. INVALID and
   TOO_LARGE as of content_template_render_subject; FAILED. The caller owns it. */
char *delivery_part_subject(const GPtrArray *properties, const struct store_person *person,
    const char *subject, const char *variables, GError **error);

#endif
