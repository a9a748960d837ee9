/* SPDX-License-Identifier: MIT */
/* Limits of the rules by which mailings leave. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_SENDING_H
#define BASE_LIMITS_SENDING_H

#define LIMIT_HOURS_WINDOWS 7
#define LIMIT_CAP_MAILINGS 1000 /* to a person, in */
#define LIMIT_CAP_DAYS 365
#define LIMIT_CAP_WAIT_MS (30LL * 24 * 60 * 60 * 1000)

#endif
