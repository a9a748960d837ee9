/* What is to be written of parcels, all at once, when it has been judged what became of them. */
#ifndef CORE_RECORD_ENTRY_H
#define CORE_RECORD_ENTRY_H

#include <glib.h>
#include <stdbool.h>

#include "store/event.h"

struct claim;
struct core;
struct id;

/* An address that may get no more mail; borrowed. */
struct bounce {
	const struct id *workspace;
	const char *address;
	enum bounce_type type;
	bool gone;
};

struct record_entry {
	struct core *core;
	const struct claim *claim;
	GArray *events;	  /* struct event */
	GArray *sent;	  /* struct email_sent: those that the relay has accepted now */
	GArray *ends;	  /* struct copy_end */
	GArray *bounces;  /* struct bounce: what may suppress an address */
	GPtrArray *owned; /* copies and texts that the others point to */
};

/* An empty one; core and claim are borrowed. */
void core_record_entry_begin(
    struct record_entry *entry, struct core *core, const struct claim *claim);
void core_record_entry_clear(struct record_entry *entry);

/* Gives it memory of g_malloc to free, and gives that back. */
void *core_record_entry_own(struct record_entry *entry, void *pointer);

/* Writes it in one transaction, with the addresses that get no more mail. NOT_FOUND when the claim
   of one of the copies has been lost; errors of db/transaction.h. Then nothing is written. */
bool core_record_entry_write(struct record_entry *entry, GError **error);

#endif
