/* SPDX-License-Identifier: MIT */
/* Chooses the front that serves a path. */
#include "fcgi/front.h"

#include <string.h>

#include <glib.h>

#include "fcgi/resend/front.h"
#include "fcgi/routes.h"

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
