/* SPDX-License-Identifier: MIT */
/* /avatar/<user id>.svg: initials on a colour, for users without a picture. */
#ifndef FCGI_HANDLERS_AVATAR_H
#define FCGI_HANDLERS_AVATAR_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_call;

bool fcgi_avatar_get(struct fcgi_call *call, GError **error);

#endif
