/* SPDX-License-Identifier: MIT */
/* The users of a workspace as JSON. */
#ifndef SERVICE_USER_H
#define SERVICE_USER_H

#include "json/view.h"

/* The members of a user (struct store_member): id, email, first_name, last_name, role, status,
   created, last_seen; apart picture. The person is of the first four alone, as a session shows
   whose it is. */
extern const struct json_view service_user_view, service_user_person;

#endif
