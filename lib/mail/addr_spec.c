/* SPDX-License-Identifier: MIT */
/* Checks a bare addr-spec and converts it to the form in which it is stored and sent. */
#include "mail/address.h"

#include <string.h>

#include "base/limits/email.h"
#include "text/hostname.h"
#include "text/mailbox.h"

bool
mail_addr_spec_is_atext(char c)
{
	return g_ascii_isalnum(c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

static bool
is_dot_atom(const char *text)
{
	bool after_dot = true;

	for (; *text; text++) {
		if (*text == '.' ? after_dot : !mail_addr_spec_is_atext(*text))
			return false;
		after_dot = *text == '.';
	}
	return !after_dot;
}

/* Reads the quoted string at *text, moves past it and gives its content; NULL if it does not
   end, or has a character that SMTP forbids (RFC 5321 section 4.1.2, QcontentSMTP). */
static char *
take_quoted(const char **text)
{
	g_autoptr(GString) content = g_string_new(NULL);
	const char *p = *text + 1;

	for (; *p && *p != '"'; p++) {
		if (*p == '\\')
			p++;
		if (*p < ' ' || *p > '~')
			return NULL;
		g_string_append_c(content, *p);
	}
	if (!*p)
		return NULL;
	*text = p + 1;
	return g_strdup(content->str);
}

char *
mail_addr_spec_quote(const char *text)
{
	GString *quoted = g_string_new("\"");

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(quoted, '\\');
		g_string_append_c(quoted, *text);
	}
	g_string_append_c(quoted, '"');
	return g_string_free(quoted, FALSE);
}

/* The end of the local part: the @ after a quoted string, else the first @. */
static const char *
local_end(const char *addr_spec)
{
	const char *p = addr_spec;

	if (*p == '"')
		for (p++; *p && *p != '"'; p++)
			if (*p == '\\' && p[1])
				p++;
	return strchr(p, '@');
}

/* The local part for SMTP, or NULL and the reason. */
static char *
normal_local(const char *local, enum mail_local kind, const char **why_r)
{
	g_autofree char *normal = NULL;

	*why_r = "has no valid text before the @";
	if (!*local) {
		*why_r = "has nothing before the @";
	} else if (!g_str_is_ascii(local)) {
		*why_r = "has a local part (before the @) that is not ASCII; such local parts "
			 "cannot be sent";
	} else if (*local == '"') {
		const char *rest = local;
		g_autofree char *content = take_quoted(&rest);
		if (content && is_dot_atom(content) && !*rest) {
			normal = g_steal_pointer(&content);
		} else if (content && *content && !*rest && kind == MAIL_LOCAL_ANY) {
			normal = mail_addr_spec_quote(content);
		} else if (content && *content && !*rest) {
			*why_r = "has a local part (before the @) that needs quotes; such local "
				 "parts cannot be sent";
		}
	} else if (is_dot_atom(local)) {
		normal = g_strdup(local);
	}
	if (normal && *normal == '-' && kind == MAIL_LOCAL_SENDABLE) {
		*why_r = "has a local part (before the @) that begins with a hyphen; such local "
			 "parts cannot be sent";
		return NULL;
	}
	if (normal && strlen(normal) > LIMIT_LOCAL_PART_BYTES) {
		*why_r = "has a local part (before the @) of more than 64 bytes";
		return NULL;
	}
	return g_steal_pointer(&normal);
}

static char *
normal_domain(const char *domain, const char **why_r)
{
	*why_r = "has no valid domain";
	if (!*domain)
		*why_r = "has no domain";
	if (*domain == '[')
		*why_r = "has an address literal in place of a domain";
	return *domain == '\0' || g_str_has_suffix(domain, ".") ? NULL
								: text_hostname_ascii(domain);
}

char *
mail_addr_spec_normal(const char *addr_spec, enum mail_local kind, const char **why_r)
{
	const char *at = local_end(addr_spec);

	if (!at) {
		*why_r = "has no domain";
		return NULL;
	}
	g_autofree char *given = g_strndup(addr_spec, at - addr_spec);
	g_autofree char *local = normal_local(given, kind, why_r);
	if (!local)
		return NULL;
	g_autofree char *domain = normal_domain(at + 1, why_r);
	if (!domain)
		return NULL;
	if (strlen(local) + 1 + strlen(domain) > LIMIT_ADDRESS_BYTES) {
		*why_r = "is longer than 254 bytes";
		return NULL;
	}
	g_autofree char *normal = g_strconcat(local, "@", domain, NULL);
	*why_r = "cannot be sent to";
	return kind != MAIL_LOCAL_SENDABLE || text_mailbox_sendable(normal)
		   ? g_steal_pointer(&normal)
		   : NULL;
}
