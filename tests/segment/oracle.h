/* SPDX-License-Identifier: MIT */
/* Random rules, each with the condition in SQL that means the same. The condition is made without
   any code of the product, so that the two can be compared. */
#ifndef TESTS_SEGMENT_ORACLE_H
#define TESTS_SEGMENT_ORACLE_H

#include "tests/segment/crowd.h"

/* Appends random rules to rules, as JSON, and their condition on a person p to sql. */
void oracle_rules(GRand *rand, const struct crowd *crowd, GString *rules, GString *sql);

/* The properties that random people may have, JSON with ' for ", and names of events. */
extern const char *const oracle_properties[], *const oracle_events[];
extern const guint oracle_property_count, oracle_event_count;

#endif
