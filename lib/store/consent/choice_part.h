/* SPDX-License-Identifier: MIT */
/* The parts of choices: every choice of a topic, and audiences that people have left. They are kept
   by address, so that they hold when the address comes again. All calls but
   store_choice_part_stopped run inside a transaction. */
#ifndef STORE_CONSENT_CHOICE_PART_H
#define STORE_CONSENT_CHOICE_PART_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/consent/choice.h"

struct db;

/* A topic or audience. */
struct store_choice_target {
	struct base_id id;
	bool is_topic;
};

/* The choice of one. */
struct store_choice_part {
	const struct store_choice_target *target;
	bool is_chosen;
	enum store_consent_author author;
};

/* Stores a choice. */
bool store_choice_part_put(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_part *part, GError **error);

/* Removes a choice, stored under the address or a hash, and the ways back to it. */
bool store_choice_part_end(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *target, GError **error);

/* Removes the choices of topics that do not outlast a person who is removed: all but topics that
   the person left in person. */
bool store_choice_part_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error);

/* Copies the choices of an address to another one, whose person is the same now; of two choices the
   one that says no stands. is_new: nobody had the other address; else only what was left. */
bool store_choice_part_copy(struct db *db, const struct base_id *workspace, const char *from,
    const char *to, bool is_new, GError **error);

/* Ends the choices that keep a person out of the target of a change, and records it; that an
   operator does so against the person's own choice, too. key: the person; the kind of change does
   not matter. */
bool store_choice_end(struct db *db, const struct store_suppression_key *key,
    const struct store_choice *choice, const struct store_consent_change *change, GError **error);

/* Notes that a link was used to leave the target now, as store_choice_part_return needs it. was_on:
   it was not left before; else the link is noted only beside others. */
bool store_choice_part_note(struct db *db, const struct store_choice_use *use,
    const struct base_id *target, bool was_on, GError **error);

/* Takes back what a link left. Returns the targets that are to be restored, since no other link
   left them, as an array of struct store_choice_target. The caller owns it. */
GArray *store_choice_part_return(struct db *db, const struct store_choice_use *use, GError **error);

/* Whether store_choice_part_return would restore anything. Inside or outside a transaction. */
bool store_choice_part_returns(
    struct db *db, const struct store_choice_use *use, bool *any_r, GError **error);

/* Sets stopped_r[i] where person i gets nothing of the topic topics[i] (NULL: of none): it was
   left, or has to be chosen and was not. A round trip for each 64 forms of addresses. */
bool store_choice_part_stopped(struct db *db, const struct store_suppression_people *people,
    const struct base_id *const *topics, bool *stopped_r, GError **error);

#endif
