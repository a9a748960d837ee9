/* SPDX-License-Identifier: MIT */
/* Sessions: ask for a link, sign in with it, look at the session, change it, end it, answer an
   invitation (/v1/session), and the sessions that a person has (/v1/sessions). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "api/fields.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "config/log.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "fcgi/api/session.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/contact.h"
#include "service/service.h"
#include "service/user.h"
#include "store/workspace/session.h"
#include "submit/sign_in.h"

#define USER_AGENT_LENGTH 500

struct input {
	const char *email, *token, *workspace_id;
	bool accept;
};

static const struct json_field link_fields[] = {FIELDS_SESSION_LINK(struct input)};
static const struct json_field token_fields[] = {FIELDS_SESSION_TOKEN(struct input)};
static const struct json_field change_fields[] = {FIELDS_SESSION_CHANGE(struct input)};

static const struct json_field answer_fields[] = {FIELDS_INVITATION_ANSWER(struct input)};

const struct json_table fcgi_sessions_answer = JSON_TABLE(answer_fields);
const struct json_table fcgi_sessions_link = JSON_TABLE(link_fields);
const struct json_table fcgi_sessions_body = JSON_TABLE(token_fields);
const struct json_table fcgi_sessions_change = JSON_TABLE(change_fields);

static bool
sessions_deny(struct fcgi_call *call, enum fcgi_denial denial)
{
	call->reply->form->denied(call->reply, denial);
	return true;
}

/* The line of the log about an attempt to sign in. user, address: NULL where not known. */
static void
sessions_log_attempt(const char *request_id, const struct base_id *user, const char *result,
    const char *address, bool is_refused)
{
	struct config_log_line line;

	if (!config_log_line_begin(&line, is_refused ? LEVEL_WARNING : LEVEL_INFO, "sign-in"))
		return;
	config_log_line_text(&line, "request_id", request_id);
	if (user)
		config_log_line_id(&line, "user", user);
	config_log_line_text(&line, "result", result);
	config_log_line_text(&line, "address", address);
	config_log_line_end(&line);
}

/* A link that is to be sent. */
struct asking {
	char *email, *address, *request_id;
	guint8 browser[SHA256_SIZE];
};

/* Sends the link when the client has its answer, which is thereby the same, and takes the same
   time, whether the address is known or not. */
static void
sessions_send_link(struct service *service, void *data)
{
	struct asking *asking = data;
	g_autoptr(GError) error = NULL;
	struct base_id user;
	bool known = false;

	if (!service_ensure(service, &error) ||
	    !submit_sign_in_mail(service, asking->email, asking->browser, &user, &known, &error))
		config_log("%s", error->message);
	sessions_log_attempt(asking->request_id, known ? &user : NULL,
	    error   ? "failed"
	    : known ? "link_sent"
		    : "unknown",
	    asking->address, error || !known);
	g_free(asking->email);
	g_free(asking->address);
	g_free(asking->request_id);
	g_free(asking);
}

/* The cookie of the browser: the one that it has, or a new one. */
static void
keep_browser(struct fcgi_call *call, guint8 hash_r[SHA256_SIZE])
{
	char made[LINK_SIGN_IN_TOKEN_SIZE];
	g_autofree char *given = NULL;

	fcgi_session_cookie(call->request, FCGI_SESSION_BROWSER, &given);
	if (given)
		submit_sign_in_hash(given, hash_r);
	else
		submit_sign_in_token(made, hash_r);
	fcgi_session_set_browser(call->service->settings, given ? given : made, call->reply);
}

static void
accept_link(struct fcgi_call *call, char *email, const char *address)
{
	struct asking *asking = g_new0(struct asking, 1);
	AUTO(json_writer) writer = json_writer_new();

	asking->email = email;
	asking->address = g_strdup(address);
	asking->request_id = g_strdup(call->request_id);
	keep_browser(call, asking->browser);
	fcgi_call_after(call, sessions_send_link, asking);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", "If this address is known, a link is on its way");
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 202, writer);
}

/* Whether the browser had a session of the person with this address. */
static bool
is_known_browser(const struct fcgi_call *call, const char *email)
{
	g_autofree char *proof = NULL;

	fcgi_session_cookie(call->request, FCGI_SESSION_KNOWN, &proof);
	return proof && submit_sign_in_is_proof(call->service, email, proof);
}

/* Counts the attempt of a network, and then that of an address (NULL: none). A network that is
   refused so adds nothing for each address. LIMITED. */
static bool
count(struct fcgi_call *call, const char *email, const char *address, GError **error)
{
	gint64 wait_s;

	if (submit_sign_in_count_network(call->service, address, &wait_s, error) &&
	    (!email || submit_sign_in_count_address(call->service, email, &wait_s, error)))
		return true;
	call->reply->wait_s = wait_s;
	if (wait_s > 0)
		sessions_log_attempt(call->request_id, NULL, "limited", address, true);
	return false;
}

bool
fcgi_sessions_ask(struct fcgi_call *call, GError **error)
{
	char text[ADDRESS_TEXT_SIZE];
	struct input input = {0};

	if (!json_fields_read(call->json, link_fields, G_N_ELEMENTS(link_fields), &input, error))
		return false;
	g_autofree char *email = person_contact_address(input.email, error);
	if (!email)
		return false;
	bool known = fcgi_request_address(call->request, call->service->settings, text);
	const char *address = known ? text : NULL;
	if (!service_ensure(call->service, error) ||
	    (!is_known_browser(call, email) && !count(call, email, address, error)))
		return false;
	accept_link(call, g_steal_pointer(&email), address);
	return true;
}

static void
sessions_write_person(struct json_writer *writer, const struct store_member *member)
{
	json_writer_begin_object(writer, "user");
	json_view_write_members(writer, &service_user_person, member, NULL);
	json_writer_end_object(writer);
}

static void
write_workspace(struct json_writer *writer, const char *key,
    const struct store_user_workspace *membership, bool has_role)
{
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, key);
	json_writer_string(writer, "id", base_id_format(&membership->workspace_id, id));
	json_writer_string(writer, "name", membership->workspace);
	if (has_role)
		json_writer_string(writer, "role", store_role_name(membership->role));
	json_writer_end_object(writer);
}

static void
write_workspaces(struct json_writer *writer, const GPtrArray *memberships)
{
	json_writer_begin_array(writer, "workspaces");
	for (guint i = 0; i < memberships->len; i++)
		write_workspace(writer, NULL, memberships->pdata[i], true);
	json_writer_end_array(writer);
}

static void
write_invitations(struct json_writer *writer, const GPtrArray *invitations)
{
	json_writer_begin_array(writer, "invitations");
	for (guint i = 0; i < invitations->len; i++) {
		const struct store_user_workspace *invitation = invitations->pdata[i];

		json_writer_begin_object(writer, NULL);
		write_workspace(writer, "workspace", invitation, false);
		json_writer_string(writer, "role", store_role_name(invitation->role));
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static const struct store_user_workspace *
membership_of(const struct store_session *session, const GPtrArray *memberships)
{
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_user_workspace *membership = memberships->pdata[i];

		if (base_id_equal(&membership->workspace_id, &session->workspace_id))
			return membership;
	}
	return NULL;
}

/* Replies with the session. */
static bool
reply_session(
    struct fcgi_call *call, const struct store_session *session, const char *csrf, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct db *db = call->service->db;
	char id[ID_TEXT_SIZE];
	AUTO(store_member)
	member = store_user_get(db, &session->workspace_id, &session->user_id, error);
	g_autoptr(GPtrArray) memberships =
	    member ? store_user_workspaces(db, session->email, error) : NULL;
	g_autoptr(GPtrArray) invitations =
	    memberships ? store_user_invitations(db, session->email, error) : NULL;
	const struct store_user_workspace *here =
	    invitations ? membership_of(session, memberships) : NULL;

	if (!invitations)
		return false;
	if (!here)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Workspace not found");
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&session->id, id));
	sessions_write_person(writer, member);
	write_workspace(writer, "workspace", here, false);
	json_writer_string(writer, "role", store_role_name(here->role));
	write_workspaces(writer, memberships);
	write_invitations(writer, invitations);
	json_writer_string(writer, "csrf", csrf);
	json_writer_integer(writer, "created", session->created);
	json_writer_integer(writer, "last_seen", session->last_seen);
	json_writer_integer(writer, "expires", fcgi_session_end(call->service->settings, session));
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

/* The text of the User-Agent header, as far as it is kept. The caller owns it. */
static char *
user_agent_of(const struct fcgi_call *call)
{
	const char *header = fcgi_request_header(call->request, "HTTP_USER_AGENT");
	g_autofree char *valid = header ? g_utf8_make_valid(header, -1) : NULL;

	return valid ? g_utf8_substring(valid, 0, MIN(USER_AGENT_LENGTH, g_utf8_strlen(valid, -1)))
		     : NULL;
}

/* Replies to a link that is refused. */
static bool
sessions_refuse(struct fcgi_call *call, const struct store_sign_in *use, GError **error)
{
	bool is_browser = use->outcome == SIGN_IN_BROWSER;

	sessions_log_attempt(call->request_id, use->is_known ? &use->session.user_id : NULL,
	    is_browser ? "link_browser" : "link_invalid", use->address, true);
	return count(call, NULL, use->address, error) &&
	       sessions_deny(call, is_browser ? DENIAL_BROWSER : DENIAL_LINK);
}

static bool
begin_session(struct fcgi_call *call, struct store_sign_in *use, const char *cookie,
    const guint8 cookie_hash[SHA256_SIZE], GError **error)
{
	const struct config_settings *settings = call->service->settings;
	char csrf[LINK_SIGN_IN_TOKEN_SIZE];

	if (!store_sign_in_use(call->service->db, use, error))
		return false;
	if (use->outcome != SIGN_IN_DONE)
		return sessions_refuse(call, use, error);
	sessions_log_attempt(
	    call->request_id, &use->session.user_id, "signed_in", use->address, false);
	fcgi_session_csrf(settings, cookie_hash, csrf);
	if (!reply_session(call, &use->session, csrf, error))
		return false;
	g_autofree char *proof = submit_sign_in_proof(call->service, use->session.email);
	fcgi_session_set_cookie(settings, cookie, call->reply);
	fcgi_session_set_known(settings, proof, call->reply);
	return true;
}

/* Uses a token. One that has not the form of a token has no hash, and so none knows it. */
static bool
use_token(struct fcgi_call *call, const char *token, GError **error)
{
	guint8 hash[SHA256_SIZE] = {0}, browser[SHA256_SIZE], session[SHA256_SIZE];
	char cookie[LINK_SIGN_IN_TOKEN_SIZE], text[ADDRESS_TEXT_SIZE];
	g_autofree char *given = NULL, *user_agent = user_agent_of(call);
	bool has_address = fcgi_request_address(call->request, call->service->settings, text);
	struct store_sign_in use = {
	    .hash = hash,
	    .cookie = session,
	    .now = base_clock_now(),
	    .longest_ms =
		config_settings_number(call->service->settings, SETTING_SESSION_LONGEST) * 1000,
	    .address = has_address ? text : NULL,
	    .user_agent = user_agent,
	    .request_id = call->request_id,
	};

	submit_sign_in_hash(token, hash);
	submit_sign_in_token(cookie, session);
	fcgi_session_cookie(call->request, FCGI_SESSION_BROWSER, &given);
	if (given && submit_sign_in_hash(given, browser))
		use.browser = browser;
	bool done = service_ensure(call->service, error) &&
		    begin_session(call, &use, cookie, session, error);
	store_session_clear(&use.session);
	return done;
}

bool
fcgi_sessions_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};

	return json_fields_read(
		   call->json, token_fields, G_N_ELEMENTS(token_fields), &input, error) &&
	       use_token(call, input.token, error);
}

bool
fcgi_sessions_get(struct fcgi_call *call, GError **error)
{
	return reply_session(call, &call->session, call->csrf, error);
}

bool
fcgi_sessions_patch(struct fcgi_call *call, GError **error)
{
	struct store_session *session = &call->session;
	struct base_id workspace = {{0}};
	struct input input = {0};

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &input, error))
		return false;
	base_id_parse(input.workspace_id, &workspace);
	return store_session_move(call->service->db, session, &workspace, error) &&
	       reply_session(call, session, call->csrf, error);
}

bool
fcgi_sessions_answer_invitation(struct fcgi_call *call, GError **error)
{
	struct base_id workspace = {{0}};
	struct input input = {0};
	char address[ADDRESS_TEXT_SIZE];

	if (!json_fields_read(
		call->json, answer_fields, G_N_ELEMENTS(answer_fields), &input, error))
		return false;
	base_id_parse(call->arguments[0], &workspace);
	struct store_audit audit =
	    fcgi_audit_client(call, input.accept ? call->route->audit : "user.removed", address);
	audit.workspace_id = workspace;
	audit.actor_id = NULL;
	return store_user_answer(call->service->db, &workspace, call->session.email, input.accept,
		   &audit, error) &&
	       reply_session(call, &call->session, call->csrf, error);
}

/* Ends one of the person's sessions. */
static bool
sessions_end(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	char address[ADDRESS_TEXT_SIZE];
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);

	audit.target_type = "session";
	return store_session_end(call->service->db, call->session.email, id, &audit, error);
}

bool
fcgi_sessions_leave(struct fcgi_call *call, GError **error)
{
	if (!sessions_end(call, &call->session.id, error))
		return false;
	fcgi_session_set_cookie(call->service->settings, NULL, call->reply);
	fcgi_reply_message(call->reply, "Signed out");
	return true;
}

bool
fcgi_sessions_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	if (!sessions_end(call, &id, error))
		return false;
	if (base_id_equal(&id, &call->session.id))
		fcgi_session_set_cookie(call->service->settings, NULL, call->reply);
	fcgi_reply_message(call->reply, "Session ended");
	return true;
}

static void
sessions_write_row(
    struct json_writer *writer, const struct fcgi_call *call, const struct store_session *session)
{
	bool is_current = base_id_equal(&session->id, &call->session.id);
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&session->id, id));
	json_writer_integer(writer, "created", session->created);
	json_writer_integer(
	    writer, "last_seen", is_current ? call->session.last_seen : session->last_seen);
	json_writer_integer(writer, "expires",
	    fcgi_session_end(call->service->settings, is_current ? &call->session : session));
	json_writer_string(writer, "address", session->address);
	json_writer_string(writer, "user_agent", session->user_agent);
	json_writer_boolean(writer, "current", is_current);
	json_writer_end_object(writer);
}

bool
fcgi_sessions_list(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	const struct store_session *last = NULL;
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) sessions = store_session_page(call->service->db, call->session.email,
	    fcgi_session_seen_after(call->service->settings), given ? &before : NULL,
	    LIMIT_PAGE + 1, error);
	if (!sessions)
		return false;
	guint count = MIN(sessions->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "sessions");
	for (guint i = 0; i < count; i++)
		sessions_write_row(writer, call, sessions->pdata[i]);
	if (sessions->len > count)
		last = sessions->pdata[count - 1];
	fcgi_page_end(call, writer, true, count, last ? &last->id : NULL);
	return true;
}
