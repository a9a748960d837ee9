/* SPDX-License-Identifier: MIT */
/* Limits of what a process does: children that compose what kills others, secrets, and limits of
 * workspaces. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_PROCESS_H
#define BASE_LIMITS_PROCESS_H

#include "base/limits/unit.h"

/* Work that kills its process: see process/isolate.h. After this many deaths it runs in a child: */
#define LIMIT_DEATHS 2			      /* processes that died of it */
#define LIMIT_APART_MS 60000		      /* elapsed time in the child */
#define LIMIT_APART_CPU_S 30		      /* processor time */
#define LIMIT_APART_BYTES (1024L * LIMIT_MIB) /* memory */
#define LIMIT_SECRET_MIN_BYTES 32
#define LIMIT_OF_LIMITS 1000000000 /* the largest value of a limit of a workspace */

#endif
