/* SPDX-License-Identifier: MIT */
/* Messages that arrived at the mail catcher. */
#ifndef TESTS_HTTP_ARRIVAL_H
#define TESTS_HTTP_ARRIVAL_H

#include <glib.h>
#include <gmime/gmime.h>
#include <stdbool.h>

#include "base/scope.h"

struct fixture;

struct arrival {
	GBytes *bytes; /* the whole file */
	GMimeMessage *message;
	GPtrArray *leaves; /* its parts that are not multipart (GMimeObject, not owned) */
	char *recipients;  /* the envelope's, sorted, with a space between each two */
	char *sender;	   /* the envelope's */
};

/* Waits for the message of this email. Ends the test when there is none, or more than one. */
struct arrival *arrival_wait(const struct fixture *fixture, const char *id);
/* The same for an email that is sent to each recipient separately: the message to this one. */
struct arrival *arrival_wait_for(
    const struct fixture *fixture, const char *id, const char *recipient);

void arrival_free(struct arrival *arrival);
DEFINE_AUTO(arrival, arrival_free)

/* The number of messages of this email that have arrived. */
guint arrival_count(const struct fixture *fixture, const char *id);

/* A header field, decoded; NULL when there is none. Not owned. */
const char *arrival_header(const struct arrival *arrival, const char *name);

/* Whether a line of the message's header begins with text, as it is. */
bool arrival_has_line(const struct arrival *arrival, const char *text);

/* The decoded content of a leaf, with a NUL behind it; size_r may be NULL. NULL past the last. The
   caller owns it. */
char *arrival_content(const struct arrival *arrival, guint leaf, gsize *size_r);

#endif
