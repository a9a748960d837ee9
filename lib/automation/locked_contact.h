/* SPDX-License-Identifier: MIT */
/* A contact in the hand of a transaction. */
#ifndef AUTOMATION_LOCKED_CONTACT_H
#define AUTOMATION_LOCKED_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct store_automation_contact;
struct core;
struct base_id;
struct json;

/* Locked, with its properties as they are by now. */
struct automation_locked_contact {
	struct core *core;
	struct store_automation_contact *contact;
	struct json *properties;
	bool is_new;  /* not stored yet */
	bool changed; /* its properties are not stored yet */
};

/* The contact with this address. NOT_FOUND "Contact not found". The caller frees it. */
struct automation_locked_contact *automation_locked_contact_lock(
    struct core *core, const struct base_id *workspace, const char *address, GError **error);

/* The same for an event of this name, or a new one, whose email is as given. *targets_r: what the
   event may move, as store_workflow_trigger_targets has it. The caller frees both. */
struct automation_locked_contact *automation_locked_contact_lock_for(struct core *core,
    const struct base_id *workspace, const char *address, const char *email, const char *event_name,
    GArray **targets_r, GError **error);

/* One that has been locked; contact is taken over. FAILED when its properties cannot be read. */
struct automation_locked_contact *automation_locked_contact_new(
    struct core *core, struct store_automation_contact *contact, GError **error);

/* An empty table of persons, which it owns, by the ids of their contacts. */
GHashTable *automation_locked_contact_table(void);

void automation_locked_contact_free(struct automation_locked_contact *person);
DEFINE_AUTO(automation_locked_contact, automation_locked_contact_free)

/* Merges a patch (NULL: none) into the properties. INVALID "properties ..." when they become too
   large or too deep. */
bool automation_locked_contact_merge(
    struct automation_locked_contact *person, const struct json *patch, GError **error);

/* Stores it, after an event of this name and time that was taken in at now. */
bool automation_locked_contact_see(struct automation_locked_contact *person, const char *name,
    gint64 time, gint64 now, GError **error);

#endif
