/* SPDX-License-Identifier: MIT */
/* A node of a design: its type, its parsed data, and its description for people. */
#ifndef AUTOMATION_NODE_H
#define AUTOMATION_NODE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "sending/rules.h"
#include "text/cron.h"
#include "text/wall_clock.h"

struct json;
struct automation_endings;
struct automation_rules;

enum automation_node_type {
	NODE_UNKNOWN,
	NODE_TRIGGER,
	NODE_SEND_EMAIL,
	NODE_WAIT,
	NODE_WAIT_FOR_EVENT,
	NODE_CONDITION,
	NODE_UPDATE_CONTACT,
	NODE_DELETE_CONTACT,
	NODE_REQUEST,
	NODE_SPLIT,
	NODE_DIGEST,
	NODE_EXIT,
};

/* When an event may start the workflow again for the same contact. */
enum automation_reentry { REENTRY_EVERY, REENTRY_AFTER_FINISH, REENTRY_ONCE };

/* A date in a property that starts a workflow. */
struct automation_node_date {
	const char *property; /* dot path */
	gint32 days;	      /* from the date to the day on which it starts; below 0: before it */
	guint minute;	      /* of that day */
	const char *zone;     /* IANA: that of a person without a zone; NULL: UTC */
	bool yearly;
};

/* Times at which a workflow starts for many. */
struct automation_node_schedule {
	struct text_cron cron;
	const char *zone; /* IANA; NULL: UTC */
	bool has_segment; /* target is a segment; else an audience */
	struct base_id target;
};

struct automation_node_trigger {
	char *event_name; /* in normal form (rule/event_name.h) */
	struct automation_rules *filter;
	enum automation_reentry reentry;
	gint64 dedupe_window;	   /* ms, 0 = off */
	bool is_windowed;	   /* it was given */
	struct base_id segment_id; /* of an event of a segment; zeros: none */
	bool includes_all;	   /* it takes in those who are in the segment when it is active */
	const char *key; /* the path by whose value re-entry and dedupe window count; NULL: none */
	struct automation_endings *endings;	  /* NULL: neither goal nor exit */
	struct sending_hours hours;		  /* in which its mailings may leave */
	struct automation_node_date date;	  /* of date.reached */
	struct automation_node_schedule schedule; /* of schedule.due */
};

/* A text is NULL when it was left out or empty. */
struct automation_node_email {
	const char *template_id, *subject, *html, *text, *from;
	const char **reply_to;	      /* NULL-terminated, or NULL */
	const char *published;	      /* instead of template_id, html and text: id or alias of a
					 template with drafts (content/template_fill.h) */
	const struct json *variables; /* of published: an object of values, and of {"var": path};
					 NULL: none */
	const char *kind, *topic_id;  /* NULL: none */
	bool is_transactional;	      /* of kind: it is no mailing by itself */
	bool ignores_cap;
	enum sending_priority priority;
};

/* A wait has one of: a duration, a time, a property that holds a time, or a time of day on the
   person's clock. */
struct automation_node_wait {
	gint64 duration;      /* ms, 0 = none */
	gint64 until;	      /* epoch ms */
	const char *property; /* dot path, as in rules, of an ISO 8601 time */
	gint64 shift;	      /* ms from that time to the end of the wait; below 0: before it */
	bool by_clock;
	struct text_wall_clock_time clock; /* by_clock */
	const char *zone;		   /* IANA: that of a person without a zone; NULL: UTC */
};

struct automation_node_wait_event {
	char *event_name;
	struct automation_rules *filter;
	gint64 timeout;		   /* ms, 0 = none */
	struct base_id segment_id; /* of an event of a segment; zeros: none */
};

/* The window of a digest: a duration, or until a time of day on the person's clock. */
struct automation_node_digest {
	gint64 duration; /* ms, 0 = none */
	struct text_wall_clock_time clock;
	const char *zone; /* as of a wait */
	const char *key;  /* the path by whose value events are gathered; NULL: none */
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

struct automation_node_update {
	struct json *patch;	  /* of the contact's properties (rule/properties.h) */
	const struct json *copy;  /* an object of texts: the property of the contact that takes the
				     value of each path; NULL: none */
	const struct json *names; /* an object: first_name, last_name, each a text, null, or
				     {"var": path}; NULL: none */
	const struct json *subscribed; /* true, false, {"var": path} or {"not": {"var": path}};
					  NULL: none */
	const struct json *topics;     /* an object: id → true or false; NULL: none */
	const struct json *audiences;  /* an object: id → true, false or null; NULL: none */
};

struct automation_node_request {
	const char *url, *method;
	const struct json *headers; /* an object of texts; NULL: none */
	const struct json *body;    /* NULL: that of every request (automation/request.h) */
	gint64 timeout;		    /* seconds */
	gint64 attempts;
};

/* An edge out of a node. */
struct automation_node_exit {
	const char *handle; /* NULL: the node's only edge */
	const struct automation_design_node *to;
};

struct automation_design_node {
	const char *id;
	guint number; /* its place among the nodes of the design */
	enum automation_node_type type;
	const char *type_name;	    /* as in the design; "" when there is none */
	char *fault;		    /* the fault in its data, and the remedy; NULL: no fault */
	GPtrArray *unknown_members; /* of char *: a sentence for each unknown member of its
				       data, which keeps the design from being activated;
				       NULL: none */
	/* By type; undefined when there is a fault. */
	union {
		struct automation_node_trigger trigger;
		struct automation_node_email email;
		struct automation_node_wait wait;
		struct automation_node_wait_event wait_event;
		struct automation_rules *rules; /* of a condition */
		struct automation_node_update update;
		struct automation_node_split split;
		struct automation_node_digest digest;
		struct automation_node_request request;
	};
	struct automation_node_exit
	    *exits; /* its edges to nodes that exist, in the design's order */
	guint exit_count;
};

/* Returns the name of a type; NULL for NODE_UNKNOWN. */
const char *automation_node_type_name(enum automation_node_type type);

/* Sets type and type_name from the design's name for the type (NULL: none), which is borrowed.
   INVALID, listing the known names, when it is unknown. */
bool automation_node_read_type(
    struct automation_design_node *node, const char *name, GError **error);

/* Returns whether an execution ends at a node of this type, so that no edge leads on from it. */
bool automation_node_type_is_end(enum automation_node_type type);

/* The two handles of the edges of nodes of this type, such as "yes or no". NULL: one edge leaves
   them by any handle, or they say it themselves (split). The caller owns the text. */
char *automation_node_type_exits(enum automation_node_type type);

/* Returns whether a node may have an edge with this handle (NULL: the edge has none). A node with a
   single way out accepts any handle. */
bool automation_node_has_exit(const struct automation_design_node *node, const char *handle);

/* Frees the memory that a node owns, but not the node. */
void automation_node_clear(struct automation_design_node *node);

/* Describes a node in a part of a line: `wait 3 days`, `send_email template hello`, `condition plan
   equals "pro" and age greater_than 30`. The caller owns the text. */
char *automation_node_describe(const struct automation_design_node *node);

#endif
