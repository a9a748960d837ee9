/* SPDX-License-Identifier: MIT */
#ifndef MAIL_ENTITY_H
#define MAIL_ENTITY_H

#include <glib.h>

/* Adds the text with its character references decoded: numeric ones, and the names that mail
   commonly has. Others stay as written. What is no character becomes U+FFFD. */
void mail_entity_decode(GString *out, const char *text, gsize size);

#endif
