/* SPDX-License-Identifier: MIT */
/* Chooses the front that serves a path. */
#include "fcgi/api/front.h"

#include <string.h>

#include <glib.h>

#include "fcgi/api/routes.h"
#include "fcgi/resend/front.h"

const struct fcgi_front *
fcgi_front_of(const char *path)
{
	const char *prefix = fcgi_resend_front.prefix;
	gsize length = strlen(prefix);

	if (path && strncmp(path, prefix, length) == 0 &&
	    (path[length] == '/' || path[length] == '\0'))
		return &fcgi_resend_front;
	return &fcgi_front_main;
}
