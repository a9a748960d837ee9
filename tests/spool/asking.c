/* SPDX-License-Identifier: MIT */
/* Workflows whose step asks a receiver, and looks at what became of it. */
#include "tests/spool/asking.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/event.h"
#include "automation/secret.h"
#include "automation/workflow.h"
#include "base/clock.h"
#include "json/strict.h"
#include "service/service.h"
#include "store/automation/secret.h"
#include "tests/support/db.h"

/* A design whose request has this data, with "'" for quotation marks, and goes on by both ways. */
#define DESIGN                                                                                     \
	"{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'order'}},"                      \
	"{'id':'r','type':'request','data':{%s}},"                                                 \
	"{'id':'y','type':'update_contact','data':{'copy':{'status':'step.r.status',"              \
	"'body':'step.r.body'}}}%s],"                                                              \
	"'edges':[{'source':'t','target':'r'},{'source':'r','sourceHandle':'ok','target':'y'}%s]}"
#define FAILED_NODE                                                                                \
	",{'id':'n','type':'update_contact','data':{'copy':{'failed':'step.r.status',"             \
	"'body':'step.r.body'}}}"
#define FAILED_EDGE ",{'source':'r','sourceHandle':'failed','target':'n'}"

struct base_id
asking_workflow(struct test_house *house, const char *data, bool has_failed)
{
	const struct automation_workflow_author author = {"ann@example.org", AUTHOR_USER};
	g_autoptr(GString) design = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	struct base_id id;

	g_string_printf(
	    design, DESIGN, data, has_failed ? FAILED_NODE : "", has_failed ? FAILED_EDGE : "");
	g_strdelimit(design->str, "'", '"');
	const struct automation_workflow_change change = {
	    .name = "W", .status = "active", .design = design->str, .design_size = design->len};
	bool is_made = automation_workflow_create(
	    house->service, &house->workspace, &author, &change, &id, &error);
	telling_must(is_made, error);
	return id;
}

void
asking_happen(struct test_house *house, const char *email, const char *properties)
{
	g_autofree char *text = g_strdelimit(g_strdup(properties), "'", '"');
	g_autoptr(GError) error = NULL;
	AUTO(json) document = json_parse(text, strlen(text), &error);
	const struct automation_event_input input = {"order", email, document};
	struct automation_recording *event =
	    automation_event_check(house->service, &house->workspace, &input, NULL, &error);
	AUTO(service_once) request = event ? &event->request : NULL;

	cr_assert(request && service_once_store_one(house->service, request, &error), "%s",
	    error ? error->message : "");
}

void
asking_secret(struct test_house *house, const char *name, const char *value)
{
	const struct automation_secret_input input = {&house->workspace, name, value, NULL};
	struct automation_secret_stored stored;
	g_autoptr(GError) error = NULL;

	bool is_put = automation_secret_put(house->service, &input, &stored, &error);
	telling_must(is_put, error);
	store_secret_free(stored.secret);
	g_free(stored.value);
}

/* The data of a request to the receiver; more is appended. */
char *
asking_data(struct receiver *receiver, const char *path, const char *more)
{
	return g_strdup_printf(
	    "'url':'http://127.0.0.1:%u/%s'%s", receiver_port(receiver), path, more);
}

void
asking_begin(struct test_house *house, struct receiver *receiver, const char *path,
    const char *more, bool has_failed)
{
	g_autofree char *data = asking_data(receiver, path, more);

	base_clock_set(BEFORE);
	asking_workflow(house, data, has_failed);
	asking_happen(house, "ann@example.org", "{'id':7,'name':'A/b c'}");
}

void
asking_expect(struct test_house *house, const char *name, const char *want)
{
	static const char sql[] =
	    "SELECT CONCAT(CASE e.status WHEN 1 THEN 'IN_PROGRESS' WHEN 3 THEN 'COMPLETED'"
	    " WHEN 4 THEN 'FAILED' ELSE 'OTHER' END, ' ', e.step_id,"
	    " IFNULL(CONCAT(' ', e.error_message), '')) FROM execution e";
	g_autofree char *got = test_db_text(house->db, sql);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

void
asking_expect_properties(struct test_house *house, const char *name, const char *want)
{
	g_autofree char *got =
	    test_db_text(house->db, "SELECT JSON_REMOVE(properties, '$.id', '$.name') FROM person");
	g_autofree char *text = g_strdelimit(g_strdup(want), "'", '"');

	cr_expect_str_eq(got, text, "%s: got %s, want %s", name, got, text);
}

void
asking_expect_header(const struct receiver_request *request, const char *name, const char *want)
{
	g_autofree char *got = receiver_header(request, name);

	cr_expect_str_eq(got ? got : "-", want, "%s: got %s, want %s", name, got, want);
}

char *
asking_say_id(guint number, const struct receiver_request *request, void *data)
{
	return receiver_say(200, "{\"id\": [1, \"x\"]}");
}
