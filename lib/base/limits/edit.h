/* SPDX-License-Identifier: MIT */
/* Limits of what people edit: versions, and notes of what is not saved. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_EDIT_H
#define BASE_LIMITS_EDIT_H

#include "base/limits/unit.h"

#define LIMIT_VERSIONS 50 /* of a template or a broadcast: the newest */
#define LIMIT_NOTES 100	  /* of a user in a workspace */
#define LIMIT_NOTE_NAME_LENGTH 64
#define LIMIT_NOTE_BYTES (8 * LIMIT_MIB)	   /* of the request that stores one */
#define LIMIT_NOTE_MS (30LL * 24 * 60 * 60 * 1000) /* a draft is kept */

#endif
