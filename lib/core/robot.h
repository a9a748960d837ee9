/* SPDX-License-Identifier: MIT */
#ifndef CORE_ROBOT_H
#define CORE_ROBOT_H

#include <stdbool.h>

/* Whether a User-Agent is that of a program that looks at mail before its reader, or in their
   place: a provider's image proxy, a scanner, a crawler. Without one (NULL, "") nobody knows:
   false. */
bool core_robot_is(const char *user_agent);

#endif
