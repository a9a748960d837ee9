/* SPDX-License-Identifier: MIT */
/* Reads the arguments of MAIL and RCPT. */
#include "intake/command.h"

#include <string.h>

#include "mail/address.h"

#define NAME_MAX_LENGTH 32 /* of a parameter, where a reply names it */

const struct intake_path_kind intake_reverse_path = {"FROM", "from", "501 5.1.7", true},
			      intake_forward_path = {"TO", "to", "501 5.1.3", false};

static bool
command_refuse(char **reply_r, char *reply)
{
	*reply_r = reply;
	return false;
}

/* The text behind the word and its colon; NULL when it has another form. */
static char *
behind_word(char *text, const char *word)
{
	gsize size = strlen(word);

	if (g_ascii_strncasecmp(text, word, size) != 0)
		return NULL;
	text += size;
	text += strspn(text, " \t");
	return *text == ':' ? text + 1 + strspn(text + 1, " \t") : NULL;
}

/* Cuts the address out. A route in front of it is passed over (RFC 5321 appendix C). */
static char *
cut_address(char *text, char **rest_r)
{
	char *end = *text == '<' ? strchr(text, '>') : text + strcspn(text, " \t");

	if (!end)
		return NULL;
	*rest_r = end + (*end == '>');
	if (*text != '<' && !*text)
		return NULL;
	if (**rest_r && !strchr(" \t", **rest_r))
		return NULL;
	*rest_r += **rest_r ? 1 : 0;
	*end = '\0';
	text += *text == '<';
	char *colon = *text == '@' ? strchr(text, ':') : NULL;
	return colon ? colon + 1 : text;
}

/* The address of the postmaster, or of abuse, at this machine; NULL for any other. The name of the
   machine may be one without a dot, which no other address has. The caller frees it. */
static char *
command_own_keeper(const char *address, const char *hostname)
{
	static const char *const locals[] = {"postmaster", "abuse"};

	for (gsize i = 0; i < G_N_ELEMENTS(locals); i++) {
		g_autofree char *own = g_strconcat(locals[i], "@", hostname, NULL);

		if (g_ascii_strcasecmp(address, own) == 0 ||
		    (i == 0 && g_ascii_strcasecmp(address, locals[i]) == 0))
			return g_steal_pointer(&own);
	}
	return NULL;
}

bool
intake_path_read(const struct intake_path_kind *kind, const char *hostname, char *text,
    char **address_r, char **rest_r, char **reply_r)
{
	char *given = behind_word(text, kind->word);
	char *address = given ? cut_address(given, rest_r) : NULL;
	g_autoptr(GError) why = NULL;

	if (!address)
		return command_refuse(
		    reply_r, g_strdup_printf("501 5.5.4 It must be %s:<address>", kind->word));
	if (!g_str_is_ascii(address))
		return command_refuse(reply_r, g_strdup("553 5.6.7 Addresses must be ASCII"));
	*address_r = hostname ? command_own_keeper(address, hostname) : NULL;
	if (*address_r)
		return true;
	*address_r = kind->may_be_empty && !*address
			 ? g_strdup("")
			 : mail_address_normal(address, MAIL_LOCAL_SENDABLE, &why);
	return *address_r || command_refuse(reply_r, g_strdup_printf("%s %s %s", kind->refuse,
							 kind->field, why->message));
}

char *
intake_too_large(gsize size)
{
	return g_strdup_printf(
	    "552 5.3.4 Message is too large: at most %" G_GSIZE_FORMAT " bytes", size);
}

static bool
command_check_size(const char *value, gsize size, char **reply_r)
{
	guint64 number;

	if (!value || !*value || strspn(value, "0123456789") != strlen(value))
		return command_refuse(reply_r, g_strdup("501 5.5.4 SIZE must be a number"));
	return (g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT64, &number, NULL) &&
		   number <= size) ||
	       command_refuse(reply_r, intake_too_large(size));
}

static bool
command_check_body(const char *value, char **reply_r)
{
	return (value && (g_ascii_strcasecmp(value, "7BIT") == 0 ||
			     g_ascii_strcasecmp(value, "8BITMIME") == 0)) ||
	       command_refuse(reply_r, g_strdup("501 5.5.4 BODY must be 7BIT or 8BITMIME"));
}

static bool
refuse_parameter(const char *name, char **reply_r)
{
	g_autofree char *text = g_strndup(name, NAME_MAX_LENGTH);

	for (char *c = text; *c; c++)
		if (!g_ascii_isgraph(*c))
			*c = '?';
	return command_refuse(
	    reply_r, g_strdup_printf("555 5.5.4 Parameter %s is not known", text));
}

bool
intake_mail_parameters(const char *text, gsize size, char **reply_r)
{
	g_auto(GStrv) words = g_strsplit_set(text, " \t", -1);

	for (char **word = words; *word; word++) {
		char *equals = strchr(*word, '=');
		const char *value = equals ? equals + 1 : NULL;

		if (equals)
			*equals = '\0';
		if (!**word && !equals)
			continue;
		if (g_ascii_strcasecmp(*word, "SIZE") == 0) {
			if (!command_check_size(value, size, reply_r))
				return false;
		} else if (g_ascii_strcasecmp(*word, "BODY") == 0) {
			if (!command_check_body(value, reply_r))
				return false;
		} else if (g_ascii_strcasecmp(*word, "AUTH") != 0) {
			return refuse_parameter(*word, reply_r);
		}
	}
	return true;
}

bool
intake_rcpt_parameters(const char *text, char **reply_r)
{
	g_autofree char *name = NULL;

	text += strspn(text, " \t");
	if (!*text)
		return true;
	name = g_strndup(text, strcspn(text, "= \t"));
	return refuse_parameter(name, reply_r);
}
