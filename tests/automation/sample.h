/* SPDX-License-Identifier: MIT */
/* Designs for tests, written with ' for ". */
#ifndef TESTS_AUTOMATION_SAMPLE_H
#define TESTS_AUTOMATION_SAMPLE_H

#include <glib.h>
#include <stdbool.h>

struct automation_design;
struct json;

/* Returns the text with " for '. The caller owns it. */
char *sample_text(const char *text);

/* {"nodes": [nodes], "edges": [edges]}, which the caller owns. */
char *sample_design_text(const char *nodes, const char *edges);

/* Parses that design, which must be valid JSON. The caller frees it. */
struct automation_design *sample_design(const char *nodes, const char *edges);

/* Parses an object. The caller frees it. */
struct json *sample_json(const char *text);

/* Checks a design with templates "hello" and, without a subject, "bare", and with a default sender
   if sender is true. Returns the messages of the faults, each with a line feed. The caller owns
   them. */
char *sample_faults(const struct automation_design *design, bool sender);

#define NODE(id, type, data) "{'id': '" id "', 'type': '" type "', 'data': {" data "}}"
#define EDGE(source, target) "{'source': '" source "', 'target': '" target "'}"
#define EDGE_BY(source, handle, target)                                                            \
	"{'source': '" source "', 'sourceHandle': '" handle "', 'target': '" target "'}"
#define TRIGGER NODE("t", "trigger", "'eventName': 'order'")
#define EXIT NODE("x", "exit", "")
#define MAIL_DATA "'subject': 'Hello', 'html': '<p>Hello</p>'"
#define WAIT_DATA "'duration': 1, 'unit': 'days'"
#define RULES_DATA "'rules': [{'property': 'plan', 'operator': 'equals', 'value': 'pro'}]"

#endif
