/* SPDX-License-Identifier: MIT */
/* The users of a workspace: add, list, change and remove them (/v1/users). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "config/log.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/fields.h"
#include "person/contact.h"
#include "service/service.h"
#include "service/user.h"
#include "store/workspace/user.h"
#include "submit/sign_in.h"

struct input {
	const char *email, *role, *first_name, *last_name;
	bool first_name_given, last_name_given;
};

static const struct json_field fields[] = {FIELDS_NEW_USER(struct input)};

static const struct json_field change_fields[] = {FIELDS_USER_CHANGE(struct input)};

const struct json_table fcgi_users_body = JSON_TABLE(fields);
const struct json_table fcgi_users_change = JSON_TABLE(change_fields);

/* *role_r stays when there is no name. */
static bool
read_role(const char *name, enum store_role *role_r, GError **error)
{
	return !name || store_role_read(name, role_r) ||
	       base_invalid(error, "role must be owner, member or viewer");
}

/* Whether the call may make an owner: what a key makes does not outlast it. If not, the reply tells
   it. */
static bool
may_make(struct fcgi_call *call, enum store_role role)
{
	if (role != ROLE_OWNER || call->key.expires == 0)
		return true;
	call->reply->form->denied(call->reply, DENIAL_LASTING);
	return false;
}

/* The keys of a user that a change ends: all but the one that asks, unless ?keep_keys=true. */
static bool
users_read_keys(struct fcgi_call *call, struct store_user_keys *keys_r, GError **error)
{
	const char *given;

	if (!fcgi_request_query(call->request, "keep_keys", &given, error))
		return false;
	*keys_r = (struct store_user_keys){
	    .are_kept = g_strcmp0(given, "true") == 0, .but = &call->key.id};
	return !given || keys_r->are_kept || strcmp(given, "false") == 0 ||
	       base_invalid(error, "keep_keys must be true or false");
}

/* The id in the path. One that is no id is all zero, which no user has. */
static struct base_id
users_id_of(const struct fcgi_call *call)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	return id;
}

/* A person who is notified of an invitation, or, with is_active, of being a user. */
struct inviting {
	struct base_id workspace;
	char *email;
	bool is_active;
};

static void
users_send_invitation(struct service *service, void *data)
{
	struct inviting *inviting = data;
	g_autoptr(GError) error = NULL;

	if (!service_ensure(service, &error) ||
	    !submit_sign_in_invite(
		service, &inviting->workspace, inviting->email, inviting->is_active, &error))
		config_log("%s", error->message);
	g_free(inviting->email);
	g_free(inviting);
}

static void
invite(struct fcgi_call *call, const char *email, bool is_active)
{
	struct inviting *inviting = g_new(struct inviting, 1);

	*inviting = (struct inviting){call->key.workspace_id, g_strdup(email), is_active};
	fcgi_call_after(call, users_send_invitation, inviting);
}

bool
fcgi_users_post(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	struct input input = {0};
	struct store_user user = {.role = 0};
	char address[ADDRESS_TEXT_SIZE];

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !read_role(input.role, &user.role, error))
		return false;
	g_autofree char *email = person_contact_recipient(input.email, error);
	if (!email)
		return false;
	if (!may_make(call, user.role))
		return true;
	/* The first user is an owner, if no role is given. */
	if (!user.role && call->key.expires)
		user.role = ROLE_MEMBER;
	user.email = email;
	user.first_name = input.first_name;
	user.last_name = input.last_name;
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);
	if (!store_user_invite(call->service->db, workspace, &user, &audit, error))
		return false;
	/* A program tells those whom it adds in its own words. */
	if (user.is_invited || call->key.is_session)
		invite(call, email, !user.is_invited);
	AUTO(store_member) member = store_user_get(call->service->db, workspace, &user.id, error);
	return fcgi_page_reply_view(call, &service_user_view, member);
}

bool
fcgi_users_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) users = store_user_page(call->service->db, &call->key.workspace_id,
	    given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"users", users, LIMIT_PAGE, true, offsetof(struct store_member, id),
		.view = &service_user_view},
	    error);
}

bool
fcgi_users_patch(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct store_user_change change = {.role = 0};
	struct base_id id = users_id_of(call);
	char address[ADDRESS_TEXT_SIZE];

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &input, error) ||
	    !read_role(input.role, &change.role, error) ||
	    !users_read_keys(call, &change.keys, error))
		return false;
	if (!may_make(call, change.role))
		return true;
	change.first_name_given = input.first_name_given;
	change.last_name_given = input.last_name_given;
	change.first_name = input.first_name;
	change.last_name = input.last_name;
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);
	AUTO(store_member)
	member = store_user_change(
	    call->service->db, &call->key.workspace_id, &id, &change, &audit, error);
	return fcgi_page_reply_view(call, &service_user_view, member);
}

bool
fcgi_users_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id = users_id_of(call);
	char address[ADDRESS_TEXT_SIZE];
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);
	struct store_user_keys keys;

	if (!users_read_keys(call, &keys, error) ||
	    !store_user_remove(
		call->service->db, &call->key.workspace_id, &id, &keys, &audit, error))
		return false;
	fcgi_reply_message(call->reply, "User removed");
	return true;
}
