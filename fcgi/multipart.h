/* SPDX-License-Identifier: MIT */
/* Bodies of the type multipart/form-data (RFC 7578). */
#ifndef FCGI_MULTIPART_H
#define FCGI_MULTIPART_H

#include <glib.h>

/* The boundary that a content type names; NULL when it is of another type, or names none. The
   caller owns it. */
char *fcgi_multipart_boundary(const char *type);

struct fcgi_multipart_part {
	const char *name;
	const char *data; /* any bytes, of the body */
	gsize size;
};

/* Gives each part that has a name to take, in their order. Parts that cannot be read are left out.
 */
void fcgi_multipart_read(const char *data, gsize size, const char *boundary,
    void (*take)(const struct fcgi_multipart_part *part, void *context), void *context);

#endif
