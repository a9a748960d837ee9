/* SPDX-License-Identifier: MIT */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <glib.h>

/* The one error domain. The message is a sentence for the person who can act on it. */
#define PH_ERROR ph_error_quark()

enum ph_error {
	PH_ERROR_INVALID,      /* the input is wrong; the message names the field */
	PH_ERROR_UNAUTHORIZED, /* no credentials, or none that we know */
	PH_ERROR_FORBIDDEN,    /* known, but not allowed */
	PH_ERROR_NOT_FOUND,    /* we looked, and there is none */
	PH_ERROR_CONFLICT,     /* the state, or a unique key, forbids it */
	PH_ERROR_TOO_LARGE,    /* past a limit of size */
	PH_ERROR_LIMITED,      /* too often */
	PH_ERROR_TEMPORARY,    /* could not be asked now; the same call may work later */
	PH_ERROR_UNCERTAIN,    /* it may or may not have happened */
	PH_ERROR_FAILED,       /* our fault, or an operator's */
};

GQuark ph_error_quark(void);

#endif
