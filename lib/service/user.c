/* SPDX-License-Identifier: MIT */
/* Writes the users of a workspace as JSON. */
#include "service/user.h"

#include "store/workspace/user.h"

static struct json_view_value
user_read_role(const void *row)
{
	const struct store_member *member = row;

	return (struct json_view_value){.type = VIEW_TEXT, .text = store_role_name(member->role)};
}

static struct json_view_value
user_read_status(const void *row)
{
	const struct store_member *member = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = member->is_invited ? "invited" : "active"};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_member, id),
    JSON_VIEW_MEMBER("email", VIEW_TEXT, struct store_member, email),
    JSON_VIEW_MEMBER("first_name", VIEW_TEXT, struct store_member, first_name),
    JSON_VIEW_MEMBER("last_name", VIEW_TEXT, struct store_member, last_name),
    {"role", VIEW_MADE, .read = user_read_role},
    {"status", VIEW_MADE, .read = user_read_status},
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_member, created),
    JSON_VIEW_MEMBER("last_seen", VIEW_TIME, struct store_member, last_seen),
    JSON_VIEW_MEMBER("picture", VIEW_TEXT, struct store_member, picture, .is_apart = true),
};
const struct json_view service_user_view = JSON_VIEW(members);

#define PERSON_MEMBERS 4
const struct json_view service_user_person = {members, PERSON_MEMBERS};
