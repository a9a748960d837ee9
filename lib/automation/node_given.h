/* SPDX-License-Identifier: MIT */
/* The data of a node while it is read. */
#ifndef AUTOMATION_NODE_GIVEN_H
#define AUTOMATION_NODE_GIVEN_H

#include <glib.h>
#include <stdbool.h>

#include "automation/node.h"
#include "automation/trigger.h"

struct json;
struct json_place;

/* The place of a node's data. */
extern const struct json_place automation_place_data;

/* The data of any type of node. Each type has its own table of fields. */
struct automation_node_given {
	const char *event_name, *reentry, *unit;
	const struct json *until, *filter, *timeout, *duration, *set, *copy, *names, *weights,
	    *template, *hours, *before, *after, *subscribed, *topics, *audiences;
	const struct json *goal, *exits;
	const char *time, *zone, *priority, *key;
	struct automation_node_request request;
	const char **days; /* owned */
	struct automation_trigger_given trigger;
	gint64 dedupe_window;
	bool is_windowed; /* dedupe_window is given */
	struct automation_node_email email;
};

/* Sets INVALID. Returns false. */
bool automation_node_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Reads data.key; *key_r: NULL for none. INVALID "data.key ...". */
bool automation_node_read_key(const char *given, const char **key_r, GError **error);

#endif
