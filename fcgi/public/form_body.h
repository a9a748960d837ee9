/* SPDX-License-Identifier: MIT */
/* Bodies of submitted forms: form-encoded, multipart or JSON. */
#ifndef FCGI_PUBLIC_FORM_BODY_H
#define FCGI_PUBLIC_FORM_BODY_H

#include <glib.h>

#include "base/scope.h"

struct fcgi_request;

struct fcgi_form_body {
	GHashTable *values; /* name → text, UTF-8 without NUL; the last one of each name */
	GPtrArray *topics;  /* of char *: all values of "topic" */
};

void fcgi_form_body_free(struct fcgi_form_body *body);
DEFINE_AUTO(fcgi_form_body, fcgi_form_body_free)

/* Reads the body of a request, of at most LIMIT_FORM_BYTES. Parts that cannot be read are left out.
   INVALID for a body that says it is JSON, and is no object; errors of fcgi_request_body. The
   caller frees the result. */
struct fcgi_form_body *fcgi_form_body_read(struct fcgi_request *request, GError **error);

#endif
