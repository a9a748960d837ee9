/* SPDX-License-Identifier: MIT */
/* The replies to messages that could not be stored. */
#include "base/error.h"
#include "intake/session.h"

#define REPLY_LENGTH 400 /* of the sentence in a reply */
#define DATABASE "The database cannot be reached"

static const struct {
	enum ph_error code;
	const char *reply, *sentence; /* NULL: that of the error */
} failures[] = {
    {PH_ERROR_UNAUTHORIZED, "554 5.7.8", NULL},
    {PH_ERROR_FORBIDDEN, "550 5.7.1", NULL},
    {PH_ERROR_LIMITED, "451 4.7.1", NULL},
    {PH_ERROR_INVALID, "554 5.6.0", NULL},
    {PH_ERROR_NOT_FOUND, "554 5.6.0", NULL},
    {PH_ERROR_TOO_LARGE, "554 5.6.0", NULL},
    {PH_ERROR_CONFLICT, "554 5.5.0", NULL},
    {PH_ERROR_TEMPORARY, "451 4.3.0", DATABASE},
    {PH_ERROR_UNCERTAIN, "451 4.3.0", DATABASE},
};

void
intake_failure_write(GString *reply, const GError *error)
{
	const char *code = "451 4.3.0", *sentence = "The message cannot be stored";

	for (guint i = 0; i < G_N_ELEMENTS(failures); i++)
		if (g_error_matches(error, PH_ERROR, (gint)failures[i].code)) {
			code = failures[i].reply;
			sentence = failures[i].sentence ? failures[i].sentence : error->message;
		}
	g_string_append_printf(reply, "%s %.*s", code, REPLY_LENGTH, sentence);
	for (char *c = reply->str; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}
