/* SPDX-License-Identifier: MIT */
/* The error domain of all rooms, and functions that set an error of it. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <glib.h>
#include <stdbool.h>

/* The error domain of all rooms; a front may have one of its own. A message is a sentence
 * for the person who can act on it.
 */
#define PH_ERROR ph_error_quark()

enum ph_error {
	PH_ERROR_INVALID,      /* the input is wrong; the message names the field */
	PH_ERROR_UNAUTHORIZED, /* the credentials are missing or unknown */
	PH_ERROR_FORBIDDEN,    /* the credentials are known but do not allow the action */
	PH_ERROR_NOT_FOUND,    /* the search worked and found nothing */
	PH_ERROR_CONFLICT,     /* the current state, or a unique key, forbids the action */
	PH_ERROR_CHANGED,      /* another version of it is there than the one to be changed */
	PH_ERROR_TOO_LARGE,    /* a limit on size is exceeded */
	PH_ERROR_LIMITED,      /* a limit on rate or number is exceeded */
	PH_ERROR_TEMPORARY,    /* the action was not possible now; the same call may work later */
	PH_ERROR_UNCERTAIN,    /* the action may or may not have happened */
	PH_ERROR_FAILED,       /* a fault of the program, the system or its configuration */
};

/* The domain of these errors, for PH_ERROR. */
GQuark ph_error_quark(void);

/* Sets an error with this code and a formatted message. Returns false, so that a check can end with
   return base_fail(...). */
bool base_fail(GError **error, enum ph_error code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The limit that a LIMITED error names, where it is one of a period. */
struct base_error_excess {
	const char *name; /* of the setting, which lives as long as the process; NULL: none */
	gint64 most, left;
	gint64 length_s; /* of the period */
	gint64 end;	 /* of the period, epoch ms */
};

/* Sets LIMITED with a limit and a formatted message, and returns false. */
bool base_exceed(GError **error, const struct base_error_excess *excess, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* The limit that an error carries, as do its copies; NULL: none. Belongs to the error. */
const struct base_error_excess *base_error_excess(const GError *error);

/* The code for a file named by a person that cannot be opened or read, by errno: NOT_FOUND if it is
   not there, is a folder, or is not for this user; FAILED for all other reasons. */
enum ph_error base_file_code(int reason);

/* Sets INVALID with a formatted message and returns false. */
bool base_invalid(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
