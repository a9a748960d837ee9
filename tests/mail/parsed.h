/* SPDX-License-Identifier: MIT */
/* Messages read back with GMime. */
#ifndef TESTS_MAIL_PARSED_H
#define TESTS_MAIL_PARSED_H

#include <gmime/gmime.h>

/* A message as GMime reads it. */
GMimeMessage *parsed_message(GBytes *bytes);

/* The leaves of a message in order (GMimeObject, borrowed). */
GPtrArray *parsed_leaves(GMimeMessage *message);

/* The structure: "mixed(alternative(plain,html),png)". */
char *parsed_structure(GBytes *bytes);

/* The decoded content of a leaf, with a NUL after it; size_r may be NULL. */
char *parsed_content(GMimeObject *part, gsize *size_r);

#endif
