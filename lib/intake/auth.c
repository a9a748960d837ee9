/* SPDX-License-Identifier: MIT */
/* Reads the answers of clients that log in. */
#include "intake/auth.h"

#include <stdbool.h>
#include <string.h>

void
intake_auth_forget(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	g_free(text);
}

/* The bytes of an answer, with a NUL behind them; "=" stands for none. NULL with the reply where it
   is no answer. The caller owns them. */
static char *
auth_decode(const char *answer, gsize *size_r, const char **reply_r)
{
	gsize length = strlen(answer);

	*reply_r = strcmp(answer, "*") == 0 ? "501 5.7.0 Cancelled" : "501 5.5.2 Not base64";
	*size_r = 0;
	if (strcmp(answer, "=") == 0)
		return g_strdup("");
	gsize padded = length >= 2 && answer[length - 1] == '='
			   ? length - 1 - (answer[length - 2] == '=')
			   : length;
	for (gsize i = 0; i < padded; i++)
		if (!g_ascii_isalnum(answer[i]) && answer[i] != '+' && answer[i] != '/')
			return NULL;
	if (length % 4 != 0 || (length - padded == 1 && answer[padded] != '='))
		return NULL;
	if (length == 0)
		return g_strdup("");
	guchar *bytes = g_base64_decode(answer, size_r);
	char *text = g_malloc(*size_r + 1);
	memcpy(text, bytes, *size_r);
	text[*size_r] = '\0';
	explicit_bzero(bytes, *size_r);
	g_free(bytes);
	return text;
}

const char *
intake_auth_check(const char *answer)
{
	const char *reply;
	gsize size;
	char *text = auth_decode(answer, &size, &reply);

	intake_auth_forget(text);
	return text ? NULL : reply;
}

/* authorization NUL user NUL password; the first two do not matter, and the password has no NUL. */
static const char *
auth_read_plain(const char *answer, char **password_r)
{
	const char *reply;
	gsize size;
	char *text = auth_decode(answer, &size, &reply);

	if (!text)
		return reply;
	const char *user = memchr(text, '\0', size);
	const char *password =
	    user ? memchr(user + 1, '\0', size - (gsize)(user + 1 - text)) : NULL;
	/* A NUL stands behind the text. */
	bool is_whole = password && strlen(password + 1) == size - (gsize)(password + 1 - text);
	*password_r = is_whole ? g_strdup(password + 1) : NULL;
	explicit_bzero(text, size);
	g_free(text);
	return is_whole ? NULL : "501 5.5.2 PLAIN takes a user and a password";
}

static const char *
auth_read_login(const char *answer, char **password_r)
{
	const char *reply;
	gsize size;

	char *text = auth_decode(answer, &size, &reply);
	bool is_whole = text && strlen(text) == size;

	*password_r = is_whole ? g_steal_pointer(&text) : NULL;
	if (text) {
		explicit_bzero(text, size);
		reply = "501 5.5.2 LOGIN takes a user and a password";
	}
	g_free(text);
	return is_whole ? NULL : reply;
}

static const struct intake_mechanism mechanisms[] = {
    {"PLAIN", {""}, auth_read_plain},
    {"LOGIN", {"VXNlcm5hbWU6", "UGFzc3dvcmQ6"}, auth_read_login},
};

const struct intake_mechanism *
intake_mechanism_find(const char *name, gsize size)
{
	for (guint i = 0; i < G_N_ELEMENTS(mechanisms); i++)
		if (size == strlen(mechanisms[i].name) &&
		    g_ascii_strncasecmp(name, mechanisms[i].name, size) == 0)
			return &mechanisms[i];
	return NULL;
}
