/* SPDX-License-Identifier: MIT */
/* Judges header fields that a caller brings along. */
#include "mail/header.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "mail/field.h"

bool
mail_header_reserved(const char *name)
{
	static const char *const names[] = {"From", "Sender", "To", "Cc", "Bcc", "Reply-To",
	    "Subject", "Date", "Message-ID", "MIME-Version", "Return-Path", "Received",
	    "Authentication-Results"};
	static const char *const families[] = {"Content-", "DKIM-", "ARC-", "Resent-"};

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

/* Past a token (RFC 2045 section 5.1), or NULL where there is none. */
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
mail_header_id(const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '<' || text[i] == '>')
			return false;
	return size > 0;
}
