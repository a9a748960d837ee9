/* SPDX-License-Identifier: MIT */
/* Numbers as they are written, compared without loss. */
#ifndef AUTOMATION_NUMBER_H
#define AUTOMATION_NUMBER_H

#include <stdbool.h>

/* Whether text is just what JSON takes for a number (RFC 8259 section 6), and a finite one. So 007,
   +1 and " 1" are none. */
bool automation_number_is(const char *text);

/* Below 0, 0 or above 0. Both are numbers; two whole ones without exponent are compared exactly,
   however long, others as doubles. */
int automation_number_compare(const char *a, const char *b);

#endif
