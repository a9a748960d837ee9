/* SPDX-License-Identifier: MIT */
/* Checks header fields given by a caller, and values that go into a header. */
#include "mail/header.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "mail/address.h"
#include "mail/field.h"

bool
mail_header_reserved(const char *name)
{
	static const char *const names[] = {"From", "Sender", "To", "Cc", "Bcc", "Reply-To",
	    "Subject", "Date", "Message-ID", "MIME-Version", "Return-Path", "Received",
	    "Authentication-Results", "Original-Recipient"};
	static const char *const families[] = {
	    "Content-", "DKIM-", "ARC-", "Resent-", "X-Posthouse-"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_ascii_strcasecmp(name, names[i]) == 0)
			return true;
	for (gsize i = 0; i < G_N_ELEMENTS(families); i++)
		if (g_ascii_strncasecmp(name, families[i], strlen(families[i])) == 0)
			return true;
	return false;
}

static bool
is_field_name(const char *name)
{
	gsize size = strlen(name);

	if (size == 0 || size > LIMIT_HEADER_NAME_LENGTH)
		return false;
	for (; *name; name++)
		if (*name <= ' ' || *name > '~' || *name == ':')
			return false;
	return true;
}

bool
mail_header_check(const struct mail_header *header, GError **error)
{
	const char *why = NULL;

	if (!is_field_name(header->name))
		why = "must have a name of 1 to 76 printable ASCII characters without a colon";
	else if (strpbrk(header->value, "\r\n"))
		why = "must not have a line break in it";
	else if (!g_utf8_validate(header->value, -1, NULL))
		why = "must be UTF-8";
	else if (g_str_is_ascii(header->value) && !mail_field_fits(header->value))
		why = "must not have a word of more than 997 characters in it";
	if (why)
		g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, why);
	return why == NULL;
}

/* The end of the token at text (RFC 2045 section 5.1), or NULL without one. */
static const char *
after_token(const char *text)
{
	gsize size = strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "!#$%&'*+-.^_`{|}~");

	return size > 0 ? text + size : NULL;
}

static const char *
after_quoted(const char *text)
{
	for (text++; *text >= ' ' && *text <= '~' && *text != '\\'; text++)
		if (*text == '"')
			return text + 1;
	return NULL;
}

static const char *
after_parameter(const char *text)
{
	text += strspn(text, " \t");
	if (*text++ != ';')
		return NULL;
	text = after_token(text + strspn(text, " \t"));
	if (!text || *text++ != '=')
		return NULL;
	return *text == '"' ? after_quoted(text) : after_token(text);
}

bool
mail_header_content_type(const char *text)
{
	const char *p = after_token(text);

	if (!p || *p != '/')
		return false;
	p = after_token(p + 1);
	while (p && *p)
		p = after_parameter(p);
	return p != NULL;
}

bool
mail_header_invites(const char *type)
{
	const char *p = after_token(type);
	bool is_calendar = g_ascii_strncasecmp(type, "text/calendar", 13) == 0 &&
			   (!type[13] || strchr("; \t", type[13]));

	for (p = is_calendar && p ? after_token(p + 1) : NULL; p && *p; p = after_parameter(p)) {
		const char *name = p + strspn(p, "; \t");

		if (g_ascii_strncasecmp(name, "method=", 7) == 0)
			return true;
	}
	return false;
}

bool
mail_header_id(const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '<' || text[i] == '>')
			return false;
	return size > 0;
}

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
