/* SPDX-License-Identifier: MIT */
/* Limits of imports. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_IMPORT_H
#define BASE_LIMITS_IMPORT_H

#include "base/limits/unit.h"

#define LIMIT_IMPORT_ROWS 1000		     /* of one request */
#define LIMIT_IMPORT_BYTES (50 * LIMIT_MIB)  /* of the file */
#define LIMIT_IMPORT_OPTIONS_BYTES LIMIT_MIB /* of all other parts of the form */
#define LIMIT_IMPORTS 10		     /* of a workspace that are not done */
#define LIMIT_IMPORT_COLUMNS 1000	     /* of the file */
#define LIMIT_IMPORT_HEADER_BYTES (64 * 1024)
#define LIMIT_IMPORT_SAMPLE 5		     /* lines that the answer shows */
#define LIMIT_IMPORT_SAMPLE_LENGTH 200	     /* of each of their values */
#define LIMIT_IMPORT_FAULTS 10000	     /* of an import; more are counted only */
#define LIMIT_IMPORT_FAULT_BYTES (64 * 1024) /* of a line that is kept with its fault */
#define LIMIT_IMPORT_FILENAME_LENGTH 255
#define LIMIT_IMPORT_KEPT_MS (30LL * 24 * 60 * 60 * 1000)

#endif
