/* SPDX-License-Identifier: MIT */
/* Defines the error domain that all rooms share, and sets errors in it. */
#include "base/error.h"

#include <errno.h>

/* GLib's name for what each error of the domain carries. */
typedef struct base_error_excess PhErrorPrivate;

static void
ph_error_private_init(PhErrorPrivate *excess)
{
	*excess = (PhErrorPrivate){.name = NULL};
}

static void
ph_error_private_copy(const PhErrorPrivate *from, PhErrorPrivate *to)
{
	*to = *from;
}

static void
ph_error_private_clear(PhErrorPrivate *excess)
{
}

G_DEFINE_EXTENDED_ERROR(PhError, ph_error)

bool
base_fail(GError **error, enum ph_error code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_propagate_error(error, g_error_new_valist(PH_ERROR, (int)code, format, args));
	va_end(args);
	return false;
}

bool
base_exceed(GError **error, const struct base_error_excess *excess, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	GError *limited = g_error_new_valist(PH_ERROR, PH_ERROR_LIMITED, format, args);
	va_end(args);
	*ph_error_get_private(limited) = *excess;
	g_propagate_error(error, limited);
	return false;
}

const struct base_error_excess *
base_error_excess(const GError *error)
{
	const struct base_error_excess *excess =
	    error && error->domain == PH_ERROR ? ph_error_get_private(error) : NULL;

	return excess && excess->name ? excess : NULL;
}

enum ph_error
base_file_code(int reason)
{
	return reason == ENOENT || reason == ENOTDIR || reason == EISDIR || reason == EACCES
		   ? PH_ERROR_NOT_FOUND
		   : PH_ERROR_FAILED;
}

bool
base_invalid(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_propagate_error(error, g_error_new_valist(PH_ERROR, PH_ERROR_INVALID, format, args));
	va_end(args);
	return false;
}
