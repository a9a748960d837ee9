/* SPDX-License-Identifier: MIT */
/* Bodies of the type multipart/form-data (RFC 7578). */
#ifndef FCGI_HTTP_MULTIPART_H
#define FCGI_HTTP_MULTIPART_H

#include <glib.h>
#include <stdbool.h>

/* The boundary that a content type names; NULL when it is of another type, or names none. The
   caller owns it. */
char *fcgi_multipart_boundary(const char *type);

struct fcgi_multipart_part {
	const char *name;
	const char *filename; /* NULL: none */
	const char *data;     /* any bytes, of the body */
	gsize size;
};

/* Gives each part that has a name to take, in their order. Parts that cannot be read are left out.
 */
void fcgi_multipart_read(const char *data, gsize size, const char *boundary,
    void (*take)(const struct fcgi_multipart_part *part, void *context), void *context);

/* A form with a file, which borrows from the body. */
struct fcgi_multipart_form {
	const char *file; /* the part "file"; NULL: there is none */
	gsize size;
	char *filename;	   /* NULL: none */
	GHashTable *texts; /* the other parts that are UTF-8, by their names */
};

/* Reads such a form from a body (NULL: none) of a content type. False when the body is no form,
   which is empty then. Clear it in both cases. */
bool fcgi_multipart_form_read(
    const char *type, const char *body, gsize size, struct fcgi_multipart_form *form_r);
void fcgi_multipart_form_clear(struct fcgi_multipart_form *form);

#endif
