/* SPDX-License-Identifier: MIT */
/* A single rule of a segment, which is true of a person or not. */
#ifndef SEGMENT_LEAF_H
#define SEGMENT_LEAF_H

#include <glib.h>
#include <stdbool.h>

#include "rule/operator.h"
#include "store/person/people_scan.h"

struct json;
struct json_place;

/* In the order of the work to test one. */
enum segment_leaf_kind {
	LEAF_FACT,     /* a fact, which holds or, if is_negated, does not */
	LEAF_CONTACT,  /* a path that begins with contact. */
	LEAF_PROPERTY, /* a path into the properties */
};

struct segment_leaf {
	enum segment_leaf_kind kind;
	const char *path; /* of a property, or of a contact's field behind contact. */
	enum rule_operator op;
	const struct json *value;
	struct json *folded; /* the document of value when it is not the given one; NULL: it is */

	struct store_people_scan_fact fact;
	char *misfit; /* a fault: the field of a person can never have the value; NULL: it can */
	char *target_place; /* the path of the target's id in the rules, for faults; NULL: none */
	bool is_negated;
	bool is_void;  /* the fact holds for nobody: its target is gone */
	gint64 within; /* ms back from now, in place of fact.since; 0: none */
	char *event;   /* owns fact.event */
};

/* Reads a rule, which borrows from value. INVALID, naming the faulty member by its path. An id that
   is well-formed is not looked up. The caller clears the leaf, also after an error. */
bool segment_leaf_read(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *place, GError **error);
void segment_leaf_clear(struct segment_leaf *leaf);

/* Whether the field can have the value; else INVALID, naming it by its path. */
bool segment_leaf_check_fit(const struct segment_leaf *leaf, GError **error);

/* Sets INVALID: the target of the leaf is not there. Returns false. */
bool segment_leaf_missing(const struct segment_leaf *leaf, GError **error);

/* Turns the leaf to a topic that is there, by whether people have to choose it. */
void segment_leaf_set_topic(struct segment_leaf *leaf, bool is_opt_in);

/* The kind of the fact's target, which is looked up if target_place is set. */
enum store_people_scan_target segment_leaf_target(const struct segment_leaf *leaf);

/* The columns of a person that have to be read to test the leaf. */
enum store_people_scan_detail segment_leaf_detail(const struct segment_leaf *leaf);

/* Whether a leaf about properties holds for a person with these (NULL: none). */
bool segment_leaf_holds(const struct segment_leaf *leaf, const struct json *properties);

/* Whether a leaf about a field holds for a person. */
bool segment_leaf_holds_field(
    const struct segment_leaf *leaf, const struct store_people_scan_person *person);

#endif
