/* SPDX-License-Identifier: MIT */
/* What is to be written of parcels, all at once, when it has been judged what became of them. */
#ifndef CORE_RECORD_ENTRY_H
#define CORE_RECORD_ENTRY_H

#include <glib.h>
#include <stdbool.h>

#include "store/event.h"

struct store_outbox_claim;
struct core;
struct base_id;

/* An address that may get no more mail; borrowed. */
struct core_bounce {
	const struct base_id *workspace;
	const char *address;
	enum store_bounce_type type;
	bool gone;
};

struct core_record_entry {
	struct core *core;
	const struct store_outbox_claim *claim;
	GArray *events;	  /* struct store_event */
	GArray *sent;	  /* struct store_email_sent: those that the relay has accepted now */
	GArray *ends;	  /* struct store_outbox_end */
	GArray *bounces;  /* struct core_bounce: what may suppress an address */
	GPtrArray *owned; /* copies and texts that the others point to */
};

/* An empty one; core and claim are borrowed. */
void core_record_entry_begin(
    struct core_record_entry *entry, struct core *core, const struct store_outbox_claim *claim);
void core_record_entry_clear(struct core_record_entry *entry);

/* Gives it memory of g_malloc to free, and gives that back. */
void *core_record_entry_own(struct core_record_entry *entry, void *pointer);

/* Writes it in one transaction, with the addresses that get no more mail. NOT_FOUND when the claim
   of one of the copies has been lost; errors of db/transaction.h. Then nothing is written. */
bool core_record_entry_write(struct core_record_entry *entry, GError **error);

#endif
