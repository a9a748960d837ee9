/* SPDX-License-Identifier: MIT */
/* Programs that fetch the pixel and the links of a message before or in place of its reader. */
#ifndef LINK_ROBOT_H
#define LINK_ROBOT_H

#include <stdbool.h>

/* Whether a User-Agent is that of a program: an image proxy, a scanner, a crawler, a link preview,
   an HTTP library. True for NULL, "" and blanks: every mail client and browser names itself. */
bool link_robot_is_agent(const char *user_agent);

/* Whether the value of one of the request headers Purpose, Sec-Purpose, X-Purpose and X-Moz (NULL:
   not sent) says that a browser fetches ahead of a reader who may never look: prefetch, prerender,
   preview. */
bool link_robot_is_ahead(const char *purpose);

#endif
