/* SPDX-License-Identifier: MIT */
/* Messages of awkward shapes, and keys, for tests of signatures. */
#ifndef TESTS_MAIL_SHAPES_H
#define TESTS_MAIL_SHAPES_H

#include <glib.h>

struct mail_dkim_key;

/* Messages of every awkward shape that a signer has to get right. */
struct shape {
	const char *name;
	const char *header; /* without the empty line that ends it */
	const char *body;   /* NULL: the message ends with its header */
	gsize repeat;	    /* repetitions of the body; 0 is once */
};

extern const struct shape shapes[];
extern const gsize shape_count;

GBytes *shape_message(const struct shape *shape);

#define SHAPE_DOMAIN "example.com"
#define SHAPE_RSA_SELECTOR "s1"
#define SHAPE_ED25519_SELECTOR "s1-ed"

/* The same two keys for all of a process, RSA first; their records in DNS as "name record" lines,
   which is how libopendkim wants them in a file. */
struct mail_dkim_key *const *shape_keys(void);
char *shape_records(void);

/* The message as it arrives: the signatures in front, and the CRLF that SMTP adds at the end. */
GBytes *shape_delivered(GBytes *message);

#endif
