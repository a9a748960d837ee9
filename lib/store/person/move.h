/* SPDX-License-Identifier: MIT */
/* A person gets another address: a contact was given it. Errors that a function does not name are
   those of db/statement.h. */
#ifndef STORE_PERSON_MOVE_H
#define STORE_PERSON_MOVE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/person/person.h"

struct db;

/* From one address to another. */
struct store_person_moving {
	const char *from; /* the old address */
	const struct store_person_names *to;
	bool first_given, last_given; /* the names */
};

/* The outcome. */
struct store_person_moved {
	bool is_new;   /* nobody had the new address; */
	guint changed; /* else what somebody gets: enum store_webhook_changed */
};

/* Inside a transaction that has written the contact's new address: moves the person of the old one
   there. If nobody has the new address, the person keeps all: names (of to), language, time zone,
   properties, events, executions, and places in broadcasts; and a new person stays at the old
   address, if it has other memberships. If somebody has the new address, that person stays as it
   is, but for the email and the names that are given, and gets events, executions and places in
   broadcasts that are under way; of two executions of a workflow that may run only once, the own
   one. The old person stays only with other memberships. Choices by address are left alone
   (store_choice_part_move). */
bool store_person_move(struct db *db, const struct base_id *workspace,
    const struct store_person_moving *moving, struct store_person_moved *moved_r, GError **error);

#endif
