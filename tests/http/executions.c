/* SPDX-License-Identifier: MIT */
/* Executions and their emails, as they are read. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8057"
#define MISSING "{'error':'Execution not found'}"
#define NONE "{'executions':[],'count':0,'cursor':null}"
#define CONTACT "/v1/automation/contacts/ada@example.net/executions"

static struct fixture *fixture;
static struct base_id workflow, contact;
static char *of_workflow; /* the path of its executions */

static void
executions_begin(void)
{
	fixture = fixture_open();
	workflow = automation_workflow(fixture, "Welcome");
	contact = automation_contact(fixture, "ada@example.net");
	g_autofree char *id = automation_text(&workflow);
	of_workflow = g_strdup_printf("/v1/workflows/%s/executions", id);
}

static void
executions_end(void)
{
	g_free(of_workflow);
	fixture_close(fixture);
}

TestSuite(executions, .init = executions_begin, .fini = executions_end, .timeout = 900);

static struct base_id
executions_add(enum store_execution_status status)
{
	return automation_execution(fixture, &workflow, &contact, status);
}

static char *
executions_path_of(const struct base_id *execution, const char *suffix)
{
	g_autofree char *id = automation_text(execution);

	return g_strconcat("/v1/executions/", id, suffix, NULL);
}

/* The members that depend on the status. */
static const struct {
	const char *name, *completed, *error, *reason, *wait_until;
} states[] = {
    [EXECUTION_IN_PROGRESS] = {"IN_PROGRESS", "null", "null", "null", NULL},
    [EXECUTION_WAITING] = {"WAITING", "null", "null", "null", "9000"},
    [EXECUTION_COMPLETED] = {"COMPLETED", "2000", "null", "null", NULL},
    [EXECUTION_FAILED] = {"FAILED", "2000", "{'step_id':'n2','message':'It broke'}", "null", NULL},
    [EXECUTION_CANCELLED] = {"CANCELLED", "2000", "null", "'manual'", NULL},
};

static char *
head_of(const struct base_id *execution, guint status)
{
	g_autofree char *id = automation_text(execution), *of = automation_text(&workflow),
			*workspace = automation_text(&fixture->id);

	return g_strdup_printf("'execution_id':'%s','workflow_id':'%s','workspace_id':'%s',"
			       "'version_used':1,'status':'%s','current_step_id':'n2'",
	    id, of, workspace, states[status].name);
}

static char *
tail_of(guint status)
{
	return g_strdup_printf("'created_at':1000,'updated_at':2000,'completed_at':%s,'error':%s,"
			       "'cancellation_reason':%s,'completion_reason':%s,'key':null,"
			       "'goal_at':null,'start_id':null",
	    states[status].completed, states[status].error, states[status].reason,
	    status == EXECUTION_COMPLETED ? "'end'" : "null");
}

Test(executions, are_read_in_each_status)
{
	for (guint status = 1; status < G_N_ELEMENTS(states); status++) {
		struct base_id execution = executions_add((enum store_execution_status)status);
		g_autofree char *id = automation_text(&execution),
				*path = executions_path_of(&execution, "");
		g_autofree char *head = head_of(&execution, status), *tail = tail_of(status);
		const char *until = states[status].wait_until;
		g_autofree char *want =
		    g_strdup_printf("{%s,'context':{'email':'ada@example.net','stepCount':2},%s,"
				    "'wait_until':%s,'schedule_name':'schedule-%s'}",
			head, tail, until ? until : "null", id);
		const struct exchange exchange = {
		    states[status].name, "GET", path, NULL, 200, want};
		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(executions, are_listed_by_status)
{
	for (guint status = 1; status < G_N_ELEMENTS(states); status++) {
		struct base_id execution = executions_add((enum store_execution_status)status);
		g_autofree char *head = head_of(&execution, status), *tail = tail_of(status);
		const char *until = states[status].wait_until;
		g_autofree char *row =
		    g_strdup_printf("{%s,'email':'ada@example.net','step_count':2,%s%s%s}", head,
			tail, until ? ",'wait_until':" : "", until ? until : "");
		g_autofree char *want =
		    g_strdup_printf("{'executions':[%s],'count':1,'cursor':null}", row);
		g_autofree char *first =
		    g_strconcat(of_workflow, "?status=", states[status].name, NULL);
		g_autofree char *second =
		    g_strconcat(CONTACT "?status=", states[status].name, NULL);
		const struct exchange exchanges[] = {
		    {first, "GET", first, NULL, 200, want},
		    {second, "GET", second, NULL, 200, want},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

/* A wait for an event without timeout has no end. */
Test(executions, may_wait_without_end)
{
	struct base_id execution = executions_add(EXECUTION_WAITING);
	g_autofree char *path = executions_path_of(&execution, "");
	const struct exchange exchanges[] = {
	    {"one", "GET", path, NULL, 200, .want = {"wait_until = null", "status = 'WAITING'"}},
	    {"list", "GET", of_workflow, NULL, 200, .want = {"executions[0].wait_until = null"}},
	};

	test_db_plain(
	    fixture->db, "UPDATE execution SET wait_until = NULL WHERE workspace_id = @workspace");
	EXPECT_ALL(fixture, exchanges);
}

/* Lists of a workflow and of a contact, with and without a status, among other executions. */
Test(executions, are_listed_by_pages)
{
	struct base_id other = automation_workflow(fixture, "Other");
	struct base_id bob = automation_contact(fixture, "bob@example.net");
	g_autoptr(GString) all = g_string_new(NULL), waiting = g_string_new(NULL);

	for (guint i = 0; i < 2 * LIMIT_PAGE + 1; i++) {
		bool waits = i % 2 == 0;
		struct base_id id = executions_add(waits ? EXECUTION_WAITING : EXECUTION_COMPLETED);
		g_autofree char *text = automation_text(&id);

		g_string_prepend(all, i > 0 ? " " : "");
		g_string_prepend(all, text);
		if (waits) {
			g_string_prepend(waiting, i > 0 ? " " : "");
			g_string_prepend(waiting, text);
		}
		automation_execution(fixture, &other, &bob, EXECUTION_WAITING);
	}
	const struct {
		const char *path, *query, *want;
	} cases[] = {
	    {of_workflow, "", all->str},
	    {of_workflow, "status=WAITING&", waiting->str},
	    {of_workflow, "status=FAILED&", ""},
	    {CONTACT, "", all->str},
	    {CONTACT, "status=WAITING&", waiting->str},
	    {CONTACT, "status=CANCELLED&", ""},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = automation_walk(
		    fixture, cases[i].path, cases[i].query, "executions", "execution_id");
		cr_expect_str_eq(got, cases[i].want, "%s?%s: got %s, want %s", cases[i].path,
		    cases[i].query, got, cases[i].want);
	}
}

/* New executions do not shift the pages. */
Test(executions, are_listed_on_from_where_a_page_ended)
{
	const struct exchange first = {"first", "GET", of_workflow, NULL, 200};
	guint left = 7;

	for (guint i = 0; i < left; i++)
		executions_add(EXECUTION_WAITING);
	struct base_id oldest_of_page = executions_add(EXECUTION_WAITING);
	for (guint i = 1; i < LIMIT_PAGE; i++)
		executions_add(EXECUTION_WAITING);
	AUTO(answer) page = exchange_expect(fixture, &first);
	g_autofree char *oldest = automation_text(&oldest_of_page);
	cr_expect_str_eq(answer_text(page, "executions[49].execution_id"), oldest);
	for (guint i = 0; i < 3; i++)
		executions_add(EXECUTION_WAITING);
	g_autofree char *path =
	    g_strdup_printf("%s?cursor=%s", of_workflow, answer_text(page, "cursor"));
	const struct exchange next = {
	    "next", "GET", path, NULL, 200, .want = {"count = 7", "cursor = null"}};
	answer_free(exchange_expect(fixture, &next));
}

/* A full last page has no cursor. */
Test(executions, have_fifty_a_page)
{
	const struct exchange full[] = {
	    {"workflow", "GET", of_workflow, NULL, 200, .want = {"count = 50", "cursor = null"}},
	    {"contact", "GET", CONTACT, NULL, 200, .want = {"count = 50", "cursor = null"}},
	};
	const struct exchange more[] = {
	    {"workflow", "GET", of_workflow, NULL, 200, .want = {"count = 50", "cursor : string"}},
	    {"contact", "GET", CONTACT, NULL, 200, .want = {"count = 50", "cursor : string"}},
	};

	for (guint i = 0; i < LIMIT_PAGE; i++)
		executions_add(EXECUTION_COMPLETED);
	EXPECT_ALL(fixture, full);
	executions_add(EXECUTION_COMPLETED);
	EXPECT_ALL(fixture, more);
	AUTO(answer) page = exchange_expect(fixture, &more[0]);
	gsize size;
	g_autofree guchar *decoded = g_base64_decode(answer_text(page, "cursor"), &size);
	cr_expect(size > 0 && strlen(answer_text(page, "cursor")) % 4 == 0, "no base64");
}

/* An unfinished execution of a deleted workflow is shown as cancelled. */
Test(executions, of_a_deleted_workflow_are_cancelled)
{
	struct base_id running = executions_add(EXECUTION_IN_PROGRESS),
		       waiting = executions_add(EXECUTION_WAITING),
		       done = executions_add(EXECUTION_COMPLETED),
		       cancelled = executions_add(EXECUTION_CANCELLED);
	struct base_id stays = automation_workflow(fixture, "Stays");
	struct base_id kept = automation_execution(fixture, &stays, &contact, EXECUTION_WAITING);
	g_autofree char *first = executions_path_of(&running, ""),
			*second = executions_path_of(&waiting, ""),
			*third = executions_path_of(&done, "");
	g_autofree char *a = automation_text(&running), *b = automation_text(&waiting),
			*c = automation_text(&done), *d = automation_text(&cancelled),
			*e = automation_text(&kept);
#define GONE                                                                                       \
	"status = 'CANCELLED'", "cancellation_reason = 'workflow_deleted'", "completed_at = 5000", \
	    "updated_at = 5000", "wait_until = null"
	const struct exchange exchanges[] = {
	    {"running", "GET", first, NULL, 200, .want = {GONE}},
	    {"waiting", "GET", second, NULL, 200, .want = {GONE}},
	    {"done", "GET", third, NULL, 200,
		.want = {"status = 'COMPLETED'", "completed_at = 2000"}},
	    {"list", "GET", CONTACT, NULL, 200,
		.want = {"count = 5", "executions[0].status = 'WAITING'",
		    "executions[1].cancellation_reason = 'manual'",
		    "executions[2].status = 'COMPLETED'", "executions[3].status = 'CANCELLED'",
		    "executions[3].wait_until : absent",
		    "executions[4].cancellation_reason = 'workflow_deleted'"}},
	    {"of the workflow", "GET", of_workflow, NULL, 404,
		"{'error':'Failed to list executions','details':'Workflow not found'}"},
	};
#undef GONE

	automation_delete(fixture, &workflow);
	EXPECT_ALL(fixture, exchanges);
	g_autofree char *want = g_strjoin(" ", d, b, a, NULL);
	const struct {
		const char *query, *want;
	} cases[] = {
	    {"status=CANCELLED&", want},
	    {"status=WAITING&", e},
	    {"status=IN_PROGRESS&", ""},
	    {"status=COMPLETED&", c},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    automation_walk(fixture, CONTACT, cases[i].query, "executions", "execution_id");
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].query, got, cases[i].want);
	}
}

Test(executions, that_are_deleted_with_their_workflow_have_pages)
{
	g_autoptr(GString) want = g_string_new(NULL);

	for (guint i = 0; i < 2 * LIMIT_PAGE + 1; i++) {
		struct base_id id =
		    executions_add(i % 3 == 0 ? EXECUTION_CANCELLED : EXECUTION_WAITING);
		g_autofree char *text = automation_text(&id);
		g_string_prepend(want, i > 0 ? " " : "");
		g_string_prepend(want, text);
	}
	automation_delete(fixture, &workflow);
	g_autofree char *got =
	    automation_walk(fixture, CONTACT, "status=CANCELLED&", "executions", "execution_id");
	cr_expect_str_eq(got, want->str, "got %s, want %s", got, want->str);
}

#define LIST "'error':'Failed to list executions'"
#define OF_CONTACT "'error':'Failed to list contact executions'"
#define STATUSES "'status must be one of IN_PROGRESS, WAITING, COMPLETED, FAILED, CANCELLED'"
#define MALFORMED "'details':'cursor is malformed'"

Test(executions, say_what_is_wrong)
{
	struct base_id execution = executions_add(EXECUTION_WAITING);
	g_autofree char *id = automation_text(&execution);
	g_autofree char *status = g_strconcat(of_workflow, "?status=waiting", NULL);
	g_autofree char *cursor = g_strconcat(of_workflow, "?cursor=x", NULL);
	g_autofree char *plain = g_strconcat(of_workflow, "?cursor=", id, NULL);
	g_autofree char *cut = g_strconcat(of_workflow, "?cursor=MDE4OTBhNWQt", NULL);
	g_autofree char *empty = g_strconcat(of_workflow, "?cursor=&status=", NULL);
	const struct exchange exchanges[] = {
	    {"unknown", "GET", "/v1/executions/" UNKNOWN, NULL, 404, MISSING},
	    {"no id", "GET", "/v1/executions/x", NULL, 404, MISSING},
	    {"status", "GET", status, NULL, 400, "{" LIST ",'details':" STATUSES "}"},
	    {"cursor", "GET", cursor, NULL, 400, "{" LIST "," MALFORMED "}"},
	    {"cursor that is an id", "GET", plain, NULL, 400, "{" LIST "," MALFORMED "}"},
	    {"cursor of no id", "GET", cut, NULL, 400, "{" LIST "," MALFORMED "}"},
	    {"empty", "GET", empty, NULL, 200, .want = {"count = 1"}},
	    {"unknown workflow", "GET", "/v1/workflows/" UNKNOWN "/executions", NULL, 404,
		"{" LIST ",'details':'Workflow not found'}"},
	    {"no id of a workflow", "GET", "/v1/workflows/x/executions", NULL, 404,
		"{" LIST ",'details':'Workflow not found'}"},
	    {"cursor before workflow", "GET", "/v1/workflows/x/executions?cursor=x", NULL, 400,
		"{" LIST "," MALFORMED "}"},
	    {"contact, status", "GET", CONTACT "?status=x", NULL, 400,
		"{" OF_CONTACT ",'details':" STATUSES "}"},
	    {"contact, cursor", "GET", CONTACT "?cursor=x", NULL, 400,
		"{" OF_CONTACT "," MALFORMED "}"},
	    {"unknown contact", "GET", "/v1/automation/contacts/eve@example.net/executions", NULL,
		404, "{'error':'Contact not found'}"},
	    {"no email", "GET", "/v1/automation/contacts/eve/executions", NULL, 404,
		"{'error':'Contact not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(executions, are_of_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	struct base_id execution = executions_add(EXECUTION_WAITING);
	g_autofree char *path = executions_path_of(&execution, ""),
			*emails = executions_path_of(&execution, "/emails");
	const struct exchange exchanges[] = {
	    {"one", "GET", path, NULL, 404, MISSING},
	    {"emails", "GET", emails, NULL, 404, MISSING},
	    {"contact", "GET", CONTACT, NULL, 404, "{'error':'Contact not found'}"},
	};
	const struct exchange same_email = {"same email", "GET", CONTACT, NULL, 200, NONE};

	automation_email(fixture, &workflow, &execution);
	EXPECT_ALL(other, exchanges);
	automation_contact(other, "ada@example.net");
	answer_free(exchange_expect(other, &same_email));
}
