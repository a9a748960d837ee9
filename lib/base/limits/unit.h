/* SPDX-License-Identifier: MIT */
/* The unit of limits. Sizes are in bytes, lengths in Unicode code points, times in milliseconds. */
#ifndef BASE_LIMITS_UNIT_H
#define BASE_LIMITS_UNIT_H

#define LIMIT_MIB (1024 * 1024)

#endif
