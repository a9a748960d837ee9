/* SPDX-License-Identifier: MIT */
/* Tag-lists, as signatures and their keys in DNS have them. */
#ifndef MAIL_TAG_LIST_H
#define MAIL_TAG_LIST_H

#include <glib.h>

/* Reads a tag-list (RFC 6376 section 3.2): name to value, without surrounding white space. NULL
   when it is malformed: a tag has no "=", or occurs twice. The caller owns it. */
GHashTable *mail_tag_list_read(const char *text, gsize size);

#endif
