/* SPDX-License-Identifier: MIT */
/* A house with a workflow whose step asks a receiver on loopback. */
#ifndef TESTS_SPOOL_ASKING_H
#define TESTS_SPOOL_ASKING_H

#include "tests/spool/telling.h"

/* The time of workflows and events. The clock goes on from there, so that it has not come to NOW
   when the program begins at NOW. */
#define BEFORE (NOW - MINUTE_MS)

/* Makes an active workflow, begun by the event "order", whose request has this data, with "'" for
   quotation marks, and goes on by its answer; has_failed: also by its failure. */
struct base_id asking_workflow(struct test_house *house, const char *data, bool has_failed);

/* Records the event "order" with these properties, with "'" for quotation marks. */
void asking_happen(struct test_house *house, const char *email, const char *properties);

/* Stores a secret of workflows. */
void asking_secret(struct test_house *house, const char *name, const char *value);

/* The data of a request to the receiver; more is appended. The caller owns it. */
char *asking_data(struct receiver *receiver, const char *path, const char *more);

/* Makes a workflow that asks the receiver, and begins it for ann@example.org at BEFORE. */
void asking_begin(struct test_house *house, struct receiver *receiver, const char *path,
    const char *more, bool has_failed);

/* Expect the state of the one execution, the properties of its person without those of the event,
   and a header of a request ("-": there is none). name: of the case. */
void asking_expect(struct test_house *house, const char *name, const char *want);
void asking_expect_properties(struct test_house *house, const char *name, const char *want);
void asking_expect_header(
    const struct receiver_request *request, const char *name, const char *want);

/* Answers {"id": [1, "x"]}. */
char *asking_say_id(guint number, const struct receiver_request *request, void *data);

#endif
