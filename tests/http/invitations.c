/* SPDX-License-Identifier: MIT */
/* Invitations of those who are users elsewhere, and workspaces that want to keep others' users out.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/fixture.h"
#include "tests/http/person.h"
#include "tests/support/db.h"

FIXTURE_SUITE(invitations, 900);

#define UNKNOWN "/v1/session/invitations/01890a5d-ac96-774b-bcce-b302099a8057"
#define NONE "{'message':'Invitation not found'}"

/* An address of this test alone. */
static char *
invitations_own_address(void)
{
	return g_strdup_printf("i%s@example.net", fixture->name);
}

static void
add_by_operator(const struct fixture *where, const char *email, const char *role)
{
	g_free(TEST_RUN(where->instance, "posthouse", "user", "add", email, "--role", role,
	    "--workspace", where->name));
}

static void
invitations_give_sender(const struct fixture *where, const char *name)
{
	g_autofree char *sender = g_strdup_printf("%s <desk@" FIXTURE_DOMAIN ">", name);

	g_free(TEST_RUN(where->instance, "posthouse", "workspace", "sender", sender, "--workspace",
	    where->name));
}

/* Adds a user, and gives the path of the user. The caller owns it. */
static char *
invitations_add(const char *email, const char *role, const char *want_status)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s','role':'%s'}", email, role);
	g_autofree char *want = g_strdup_printf("status = '%s'", want_status);
	const struct exchange exchange = {
	    "add", "POST", "/v1/users", body, 200, .want = {want, "last_seen : null"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strconcat("/v1/users/", answer_text(answer, "id"), NULL);
}

static char *
invitation_path(void)
{
	char id[ID_TEXT_SIZE];

	return g_strconcat("/v1/session/invitations/", base_id_format(&fixture->id, id), NULL);
}

/* Expects invitations of the person, and workspaces. */
static void
invitations_expect_person(const struct person *person, guint invitations, guint workspaces)
{
	AUTO(answer) session = person_expect(fixture, person, "GET", "/v1/session", NULL, 200);
	gsize invited = json_array_length(answer_at(session, "invitations"));
	gsize members = json_array_length(answer_at(session, "workspaces"));

	cr_expect(invited == invitations && members == workspaces, "%s", session->body);
}

Test(invitations, give_nothing_before_they_are_accepted)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address(), *path = invitation_path();
	char id[ID_TEXT_SIZE];

	add_by_operator(home, email, "owner");
	AUTO(person) ada = person_open(home, email, NULL);
	g_autofree char *user = invitations_add(email, "viewer", "invited");
	g_autofree char *again = g_strdup_printf("{'email':'%s'}", email);
	g_autofree char *go =
	    g_strdup_printf("{'workspace_id':'%s'}", base_id_format(&fixture->id, id));
	const struct exchange by_key[] = {
	    {"twice", "POST", "/v1/users", again, 409, "{'message':'User already exists'}"},
	    {"list", "GET", "/v1/users", NULL, 200,
		.want = {"users[0].status = 'invited'", "users[1].status = 'active'", "count = 2"}},
	    {"a key answers nothing", "POST", path, "{'accept':true}", 403,
		.want = {"code = 'session_required'"}},
	};
	EXPECT_ALL(fixture, by_key);
	AUTO(answer) session = person_expect(home, ada, "GET", "/v1/session", NULL, 200);
	cr_expect_str_eq(
	    answer_text(session, "invitations[0].workspace.id"), base_id_format(&fixture->id, id));
	cr_expect_str_eq(answer_text(session, "invitations[0].workspace.name"), fixture->name);
	cr_expect_str_eq(answer_text(session, "invitations[0].role"), "viewer");
	invitations_expect_person(ada, 1, 1);
	answer_free(person_expect(home, ada, "PATCH", "/v1/session", go, 404));

	AUTO(person) other = person_open(home, "eve@example.net", "owner");
	const struct {
		const struct person *who;
		const char *path, *body;
		guint want;
		const char *message;
	} wrong[] = {
	    {other, path, "{'accept':true}", 404, "Invitation not found"},
	    {ada, UNKNOWN, "{'accept':true}", 404, "Invitation not found"},
	    {ada, "/v1/session/invitations/x", "{'accept':true}", 404, "Invitation not found"},
	    {ada, path, "{}", 400, "accept is required"},
	    {ada, path, "{'accept':'yes'}", 400, "accept must be a boolean"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
		AUTO(answer)
		answer = person_expect(
		    home, wrong[i].who, "POST", wrong[i].path, wrong[i].body, wrong[i].want);
		cr_expect_str_eq(answer_text(answer, "message"), wrong[i].message);
	}

	AUTO(answer) accepted = person_expect(home, ada, "POST", path, "{'accept':true}", 200);
	cr_expect_str_eq(answer_text(accepted, "workspace.name"), home->name);
	invitations_expect_person(ada, 0, 2);
	answer_free(person_expect(home, ada, "POST", path, "{'accept':true}", 404));
	answer_free(person_expect(home, ada, "PATCH", "/v1/session", go, 200));
	const struct exchange after[] = {
	    {"list", "GET", "/v1/users", NULL, 200, .want = {"users[0].status = 'active'"}},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'user.changed'", "audit[0].actor.type = 'user'",
		    "audit[1].action = 'user.added'", "audit[1].actor.type = 'key'"}},
	};
	EXPECT_ALL(fixture, after);
}

Test(invitations, are_declined_and_made_again)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address(), *path = invitation_path();

	add_by_operator(home, email, "owner");
	AUTO(person) ada = person_open(home, email, NULL);
	g_free(invitations_add(email, "member", "invited"));
	AUTO(answer) declined = person_expect(home, ada, "POST", path, "{'accept':false}", 200);
	cr_expect_eq(json_array_length(answer_at(declined, "invitations")), 0);
	invitations_expect_person(ada, 0, 1);
	const struct exchange left[] = {
	    {"list", "GET", "/v1/users", NULL, 200, .want = {"count = 1"}},
	    {"audit", "GET", "/v1/audit", NULL, 200, .want = {"audit[0].action = 'user.removed'"}},
	};
	EXPECT_ALL(fixture, left);
	g_free(invitations_add(email, "member", "invited"));
	invitations_expect_person(ada, 1, 1);
	/* The operator asks nobody. */
	add_by_operator(fixture, email, "member");
	invitations_expect_person(ada, 0, 2);
}

/* An invited owner is no owner yet; who invites may change the invitation and take it back. */
Test(invitations, are_no_owners)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address();

	add_by_operator(home, email, "owner");
	AUTO(person) ada = person_open(home, email, NULL);
	const struct exchange list = {"list", "GET", "/v1/users", NULL, 200};
	AUTO(answer) users = exchange_expect(fixture, &list);
	g_autofree char *first = g_strconcat("/v1/users/", answer_text(users, "users[0].id"), NULL);
	g_autofree char *invited = invitations_add(email, "owner", "invited");
	const struct exchange cases[] = {
	    {"the last owner", "DELETE", first, NULL, 409,
		"{'message':'A workspace needs an owner'}"},
	    {"change", "PATCH", invited, "{'role':'viewer','first_name':'Ada'}", 200,
		.want = {"role = 'viewer'", "first_name = 'Ada'", "status = 'invited'"}},
	    {"take back", "DELETE", invited, NULL, 200, "{'message':'User removed'}"},
	    {"gone", "DELETE", invited, NULL, 404},
	};
	EXPECT_ALL(fixture, cases);
	invitations_expect_person(ada, 0, 1);
	g_autofree char *listed = NULL;
	g_free(invitations_add(email, "member", "invited"));
	listed =
	    TEST_RUN(fixture->instance, "posthouse", "user", "list", "--workspace", fixture->name);
	cr_expect(strstr(listed, "member, invited"), "%s", listed);
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "remove", email, "--workspace", fixture->name));
	invitations_expect_person(ada, 0, 1);
}

/* A person who is new to the installation, or is in no other workspace any more, is a user at once.
 */
Test(invitations, are_for_users_of_other_workspaces_alone)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address(), *fresh = g_strconcat("n", email, NULL);

	g_free(invitations_add(fresh, "member", "active"));
	add_by_operator(home, email, "viewer");
	g_free(invitations_add(email, "member", "invited"));
	g_free(TEST_RUN(
	    home->instance, "posthouse", "user", "remove", email, "--workspace", home->name));
	AUTO(person) ada = person_open(fixture, email, NULL);
	invitations_expect_person(ada, 0, 1);
}

/* The mail names the workspace, and has no link that signs anybody in: a mailbox that is full sends
   it back to the workspace that invites. */
Test(invitations, come_by_mail)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address();
	g_autofree char *subject = g_strdup_printf("Invitation to %s in Posthouse", fixture->name);

	invitations_give_sender(fixture, "Inviting");
	add_by_operator(home, email, "owner");
	g_free(invitations_add(email, "member", "invited"));
	g_autofree char *mail = person_mail(fixture, email, subject);
	g_autofree char *link = g_strconcat(fixture->instance->url, "/dashboard/", NULL);
	cr_expect(strstr(mail, "From: Inviting <desk@" FIXTURE_DOMAIN ">"), "%s", mail);
	cr_expect(strstr(mail, link), "%s", mail);
	cr_expect(!strstr(mail, "signin#"), "%s", mail);
	const struct exchange list = {
	    "no email of the workspace", "GET", "/v1/emails", NULL, 200, .want = {"count = 0"}};
	answer_free(exchange_expect(fixture, &list));
}

/* Whom an owner adds in the dashboard, and who is a user nowhere else, is told where to sign in; a
   program tells those whom it adds itself. */
Test(invitations, come_by_mail_to_who_is_new)
{
	g_autofree char *owner = g_strdup_printf("o%s@example.net", fixture->name);
	g_autofree char *email = invitations_own_address(), *quiet = g_strconcat("q", email, NULL);
	g_autofree char *subject = g_strdup_printf("Invitation to %s in Posthouse", fixture->name);
	g_autofree char *body = g_strdup_printf("{'email':'%s','role':'member'}", email);
	g_autofree char *link = g_strconcat(fixture->instance->url, "/dashboard/", NULL);
	AUTO(person) ada = person_open(fixture, owner, "owner");

	invitations_give_sender(fixture, "Inviting");
	g_free(invitations_add(quiet, "member", "active"));
	answer_free(person_expect(fixture, ada, "POST", "/v1/users", body, 200));
	g_autofree char *mail = person_mail(fixture, email, subject);
	cr_expect(strstr(mail, "You are a user of the workspace"), "%s", mail);
	cr_expect(strstr(mail, "From: Inviting <desk@" FIXTURE_DOMAIN ">"), "%s", mail);
	cr_expect(strstr(mail, link), "%s", mail);
	cr_expect(!strstr(mail, "signin#"), "%s", mail);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM recipient WHERE address LIKE 'qi%@example.net'"),
	    0);
}

static void
invitations_ask_link(const char *email)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	const struct exchange exchange = {
	    "link", "POST", "/v1/session/link", body, 202, .headers = {"Authorization:"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* Suppresses an address, and takes away all by which the workspace sends. */
static void
break_workspace(const struct fixture *where, const char *email)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	const struct exchange suppress = {"suppress", "POST", "/v1/suppressions", body, 200};

	answer_free(exchange_expect(where, &suppress));
	test_db_plain(
	    where->db, "UPDATE domain SET trusted = 0, status = 4 WHERE workspace_id = @workspace");
	test_db_plain(where->db, "INSERT INTO email_quota (workspace_id, period, start, used, most)"
				 " VALUES (@workspace, 1, 0, 1, 1)");
}

/* A workspace invites a user of another one, suppresses the address and breaks its own sender: the
   mail comes all the same, from the other workspace, and nothing in the first one tells that it was
   asked for. */
Test(invitations, let_no_workspace_keep_a_user_of_others_out)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address();

	invitations_give_sender(home, "Home");
	invitations_give_sender(fixture, "Attacker");
	add_by_operator(home, email, "owner");
	g_free(invitations_add(email, "member", "invited"));
	break_workspace(fixture, email);
	g_autofree char *before = fixture_rows(fixture);
	invitations_ask_link(email);
	g_autofree char *mail = person_mail(fixture, email, "Sign in to Posthouse");
	cr_expect(strstr(mail, "From: Home <desk@" FIXTURE_DOMAIN ">"), "%s", mail);
	g_autofree char *after = fixture_rows(fixture);
	cr_expect_str_eq(after, before);
}

/* The broken one of two workspaces of a person is passed over; a suppression by the one that sends
   does not count either. */
Test(invitations, pass_over_a_workspace_that_cannot_send)
{
	AUTO(fixture) home = fixture_open();
	g_autofree char *email = invitations_own_address();

	invitations_give_sender(fixture, "Attacker");
	invitations_give_sender(home, "Home");
	add_by_operator(fixture, email, "member");
	add_by_operator(home, email, "owner");
	break_workspace(fixture, email);
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	const struct exchange suppress = {"suppress", "POST", "/v1/suppressions", body, 200};
	answer_free(exchange_expect(home, &suppress));
	invitations_ask_link(email);
	g_autofree char *mail = person_mail(fixture, email, "Sign in to Posthouse");
	cr_expect(strstr(mail, "From: Home <desk@" FIXTURE_DOMAIN ">"), "%s", mail);
}
