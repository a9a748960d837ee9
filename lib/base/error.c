/* SPDX-License-Identifier: MIT */
/* Defines the error domain that all rooms share, and sets errors in it. */
#include "base/error.h"

/* clang-format off */
G_DEFINE_QUARK(ph-error-quark, ph_error)
/* clang-format on */

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
base_invalid(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_propagate_error(error, g_error_new_valist(PH_ERROR, PH_ERROR_INVALID, format, args));
	va_end(args);
	return false;
}
