/* SPDX-License-Identifier: MIT */
/* An element of a list of addresses, before anyone looks at the address in it. For mail/address.h.
 *
 * Taken apart here and not by GMime's parser, which skips what it cannot read, and so would send to
 * a part of what was meant; it also leaks memory where it fails.
 */
#ifndef MAIL_ELEMENT_H
#define MAIL_ELEMENT_H

#include <glib.h>
#include <stdbool.h>

/* Trimmed, comments cut out. */
struct mail_element {
	char *text;
	char *name;	 /* without quotes, encoded words still encoded; "" when there is none */
	char *addr_spec; /* what is in angle brackets; all of it, where there are none */
};

/* Takes the first element of a list from *text, up to its comma; *text is then after the comma, or
   NULL when this was the last. False when its structure is wrong: *why_r goes on from the text ("is
   a group"). The caller clears the element. */
bool mail_element_take(const char **text, struct mail_element *element_r, const char **why_r);

void mail_element_clear(struct mail_element *element);

#endif
