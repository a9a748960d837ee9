/* SPDX-License-Identifier: MIT */
#ifndef JSON_PLAIN_H
#define JSON_PLAIN_H

#include <glib.h>

/* How many bytes in front may stand in a JSON string as they are: all but the control characters
   below U+0020, '"' and '\' (RFC 8259 section 7). Bytes from 0x80 count as plain: whether they are
   UTF-8 is not looked at. */
gsize json_plain_length(const char *bytes, gsize size);

#endif
