/* SPDX-License-Identifier: MIT */
/* Designs for tests, written with ' for ". */
#ifndef TESTS_AUTOMATION_SAMPLE_H
#define TESTS_AUTOMATION_SAMPLE_H

#include <glib.h>
#include <stdbool.h>

struct automation_design;
struct json;

/* The same text with " for '. The caller owns it. */
char *sample_text(const char *text);

/* {"nodes": [nodes], "edges": [edges]}, which the caller owns. */
char *sample_design_text(const char *nodes, const char *edges);

/* That design, which the caller frees; it must be one. */
struct automation_design *sample_design(const char *nodes, const char *edges);

/* An object, which the caller frees. */
struct json *sample_json(const char *text);

/* What is wrong with a design in a world with templates "hello" and, without a subject, "bare", and
   a default sender unless sender is false: messages, each with a line feed. The caller owns it. */
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
