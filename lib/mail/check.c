/* SPDX-License-Identifier: MIT */
/* The second line of defence: what must hold of texts that go into a message. */
#include "mail/check.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "mail/address.h"
#include "mail/field.h"
#include "mail/header.h"

bool
mail_check_fault(GError **error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		*error = g_error_new_valist(PH_ERROR, PH_ERROR_INVALID, format, args);
	va_end(args);
	return false;
}

bool
mail_check_text(const char *name, const char *text, GError **error)
{
	if (strpbrk(text, "\r\n"))
		return mail_check_fault(error, "%s must not have a line break in it", name);
	if (!g_utf8_validate(text, -1, NULL))
		return mail_check_fault(error, "%s must be UTF-8", name);
	return true;
}

bool
mail_check_address(const char *name, const struct mail_address *address, GError **error)
{
	if (!g_str_is_ascii(address->address) || !mail_address_valid(address->address, NULL))
		return mail_check_fault(error, "%s must be an email address", name);
	return !address->name || mail_check_text(name, address->name, error);
}

bool
mail_check_addresses(const char *name, const GPtrArray *addresses, GError **error)
{
	for (guint i = 0; addresses && i < addresses->len; i++)
		if (!mail_check_address(name, addresses->pdata[i], error))
			return false;
	return true;
}

bool
mail_check_headers(const struct mail_header *headers, guint count, bool own, GError **error)
{
	for (guint i = 0; i < count; i++) {
		if (!mail_header_check(&headers[i], error)) {
			g_prefix_error(error, "headers[%u] ", i);
			return false;
		}
		if (!own && mail_header_reserved(headers[i].name))
			return mail_check_fault(
			    error, "headers.%s must not be given", headers[i].name);
	}
	return true;
}

bool
mail_check_message_id(const char *id, GError **error)
{
	gsize size = strlen(id);

	if (size < 3 || size >= MAIL_LINE_LENGTH_MAX || id[0] != '<' || id[size - 1] != '>' ||
	    !mail_header_id(id + 1, size - 2))
		return mail_check_fault(error, "message_id must be an id between < and >");
	return true;
}
