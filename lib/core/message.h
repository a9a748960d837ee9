/* SPDX-License-Identifier: MIT */
#ifndef CORE_MESSAGE_H
#define CORE_MESSAGE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "core/return_path.h"
#include "smtp/session.h"
#include "store/outbox.h"

struct core;
struct store_email;

/* One copy of a message on its way to the relay. */
struct core_message {
	struct store_outbox_entry copy;
	guint place;		     /* among those of a courier */
	struct store_email *email;   /* NULL when it could not be read */
	struct smtp_message message; /* its recipients are those of the copy, in that order */
	char *return_path;
	char envid[RETURN_PATH_ENVID_SIZE];
	GBytes *content;     /* once it is composed, until the session has it */
	GError *fault;	     /* why it cannot be sent, whatever the relay says; NULL = it can */
	gint64 finished;     /* epoch ms at which the outcome stood in message, 0 = not yet */
	guint16 *suppressed; /* recipients that core_message_suppress took out of copy */
	guint suppressed_count;
};

/* A parcel of a claimed copy and its email, which is taken; NULL: the email is gone. What is wrong
   with it stands in fault. The caller frees it. */
struct core_message *core_message_new(
    struct core *core, const struct store_outbox_entry *copy, struct store_email *email);
void core_message_free(struct core_message *parcel);
DEFINE_AUTO(core_message, core_message_free)

/* Reads the emails of claimed copies, a batch in a few statements, and adds a parcel of each to
 * parcels. */
void core_message_read(
    struct core *core, const struct store_outbox_entry *copies, guint count, GPtrArray *parcels);

/* Takes the recipients who have come onto the suppression list out of parcels that were just read;
   it may leave some with none. Where that cannot be known now, it stands in their fault. */
void core_message_suppress(struct core *core, GPtrArray *parcels);

/* The signed message of a parcel without fault, reading what of it has not been read; errors as
 * core_compose. The caller owns it. */
GBytes *core_message_compose(struct core *core, const struct core_message *parcel, GError **error);

/* The same in a child process, as base_apart has it: also errors of that. tick runs meanwhile. */
GBytes *core_message_compose_apart(struct core *core, const struct core_message *parcel,
    void (*tick)(void *context), void *context, GError **error);

#endif
