/* SPDX-License-Identifier: MIT */
/* One step of a design: its type, and what its data says. */
#ifndef AUTOMATION_NODE_H
#define AUTOMATION_NODE_H

#include <glib.h>
#include <stdbool.h>

struct json;
struct automation_rules;

enum automation_node_type {
	NODE_UNKNOWN,
	NODE_TRIGGER,
	NODE_SEND_EMAIL,
	NODE_WAIT,
	NODE_WAIT_FOR_EVENT,
	NODE_CONDITION,
	NODE_UPDATE_CONTACT,
	NODE_SPLIT,
	NODE_EXIT,
};

/* When a contact may be in the workflow again. */
enum automation_reentry { REENTRY_EVERY, REENTRY_AFTER_FINISH, REENTRY_ONCE };

struct automation_node_trigger {
	char *event_name; /* in its normal form (automation/event_name.h) */
	struct automation_rules *filter;
	enum automation_reentry reentry;
	gint64 dedupe_window; /* ms, 0 = off */
};

/* Texts are NULL where they were left out or empty. */
struct automation_node_email {
	const char *template_id, *subject, *html, *text, *from;
	const char **reply_to; /* NULL-terminated, or NULL */
};

/* One of the three. */
struct automation_node_wait {
	gint64 duration;      /* ms, 0 = none */
	gint64 until;	      /* epoch ms */
	const char *property; /* that holds an ISO 8601 time, as rules name it */
};

struct automation_node_wait_event {
	char *event_name;
	struct automation_rules *filter;
	gint64 timeout; /* ms, 0 = none */
};

struct automation_node_side {
	const char *handle;
	gint64 weight;
};

struct automation_node_split {
	struct automation_node_side *sides; /* by handle, in the order of strcmp */
	guint count;
	gint64 total; /* of the weights, above 0 */
};

/* A way out. */
struct automation_node_exit {
	const char *handle; /* NULL: the only one */
	const struct automation_design_node *to;
};

struct automation_design_node {
	const char *id;
	enum automation_node_type type;
	const char *type_name; /* as the design has it; "" when it has none */
	char *fault;	       /* what is wrong with its data, and what to do; NULL: nothing */
	GPtrArray *strangers;  /* of char *: sentences about members of its data that nobody knows,
				  which keep a design from being activated; NULL: there are none */
	/* By type. Not to be looked at where there is a fault. */
	union {
		struct automation_node_trigger trigger;
		struct automation_node_email email;
		struct automation_node_wait wait;
		struct automation_node_wait_event wait_event;
		struct automation_rules *rules; /* of a condition */
		struct json *patch; /* of the contact's properties (automation/properties.h) */
		struct automation_node_split split;
	};
	struct automation_node_exit
	    *exits; /* its edges to nodes that exist, in the design's order */
	guint exit_count;
};

/* The word for a type; NULL for NODE_UNKNOWN. */
const char *automation_node_type_name(enum automation_node_type type);
enum automation_node_type automation_node_type(const char *name);

/* Sets type and type_name, which is borrowed, by the word that the design has for the type (NULL:
   none). INVALID, with the words that there are, when it is none of them. */
bool automation_node_read_type(
    struct automation_design_node *node, const char *name, GError **error);

/* Whether a node of this type may have a way out by that handle (NULL: none was given). Where there
   is only one way out any handle is right. */
bool automation_node_has_exit(const struct automation_design_node *node, const char *handle);

/* Frees what it owns. */
void automation_node_clear(struct automation_design_node *node);

#endif
