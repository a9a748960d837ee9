/* SPDX-License-Identifier: MIT */
/* The second front: the API of Resend under /resend, so that its client libraries work with this
   service. doc/resend.md lists the operations, and says how to add one. */
#ifndef FCGI_RESEND_FRONT_H
#define FCGI_RESEND_FRONT_H

#include <stdbool.h>

#include "fcgi/api/routes.h"

/* A row of its table. */
struct fcgi_resend_route {
	struct fcgi_route route; /* failures have the form of Resend, so this names none, and it
				    lists no parameters */
	const char *methods;	 /* of the npm package resend that call it, separated by commas */
	enum fcgi_resend_container {
		RESEND_OBJECT,
		RESEND_ARRAY,
		RESEND_EITHER
	} container; /* of the body */
};

extern const struct fcgi_front fcgi_resend_front;

#endif
