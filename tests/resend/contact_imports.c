/* SPDX-License-Identifier: MIT */
/* /resend/contacts/imports, whose files the spool reads */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/import.h"
#include "base/limits/unit.h"
#include "fcgi/resend/limits.h"
#include "import/contacts.h"
#include "service/service.h"
#include "store/person/contact.h"
#include "store/person/import.h"
#include "tests/http/alone.h"
#include "tests/http/exchange.h"
#include "tests/support/db.h"

#define PATH "/resend/contacts/imports"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define INVALID(message) FAILURE(422, "validation_error", message)
#define FORM "Content-Type: multipart/form-data; boundary=XX"

FIXTURE_SUITE(resend_contact_imports, 900);

/* A form of these parts, "name=text" each, with ' in place of " but in the file. */
static GBytes *
contact_imports_form_of(const char *const *parts)
{
	GString *form = g_string_new(NULL);

	for (; *parts; parts++) {
		g_auto(GStrv) pair = g_strsplit(*parts, "=", 2);

		if (g_strcmp0(pair[0], "file") != 0)
			g_strdelimit(pair[1], "'", '"');
		g_string_append_printf(form,
		    "--XX\r\nContent-Disposition: form-data; name=\"%s\"%s\r\n\r\n%s\r\n", pair[0],
		    g_strcmp0(pair[0], "file") == 0 ? "; filename=\"blob\"" : "", pair[1]);
	}
	g_string_append(form, "--XX--\r\n");
	return g_string_free_to_bytes(form);
}

#define ASK(name, status, want, ...)                                                               \
	contact_imports_ask(name, status, want, (const char *const[]){__VA_ARGS__, NULL})

/* Asks for an import, and returns its path; NULL when it is refused. The caller owns it. */
static char *
contact_imports_ask(const char *name, guint status, const char *want, const char *const *parts)
{
	const struct exchange exchange = {name, "POST", PATH, NULL, status, want, .headers = {FORM},
	    .bytes = contact_imports_form_of(parts)};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const char *id = status == 201 ? answer_text(answer, "id") : NULL;

	g_bytes_unref(exchange.bytes);
	return id ? g_strconcat(PATH "/", id, NULL) : NULL;
}

static char *
resend_contact_imports_create(const char *path, const char *body)
{
	const struct exchange exchange = {body, "POST", path, body, 201};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

#define COUNTS(total, created, updated, skipped, failed)                                           \
	"counts = {'total':" #total ",'created':" #created ",'updated':" #updated                  \
	",'skipped':" #skipped ",'failed':" #failed "}"

Test(resend_contact_imports, store_people_with_segments_and_topics)
{
	g_autofree char *segment =
	    resend_contact_imports_create("/resend/segments", "{'name':'Imported'}");
	g_autofree char *topic = resend_contact_imports_create(
	    "/resend/topics", "{'name':'News','default_subscription':'opt_out'}");
	g_autofree char *segments = g_strdup_printf("segments=[{'id':'%s'}]", segment);
	g_autofree char *topics =
	    g_strdup_printf("topics=[{'id':'%s','subscription':'opt_in'}]", topic);
	g_autofree char *members = g_strdup_printf("/resend/segments/%s/contacts", segment);
	g_free(resend_contact_imports_create(
	    "/resend/contacts", "{'email':'bo@x.org','first_name':'Bo'}"));
	g_autofree char *path = ASK("create", 201, NULL,
	    "file=Mail Address,Given,Plan,Age,Off\r\n"
	    "Ada@x.org,Ada,pro,36,no\r\nbo@x.org,,free,,\r\nx,X,,,\r\ncy@x.org,Cy,,old,\r\n"
	    "di@x.org,Di,,,yes\r\nshort\r\nada@x.org,Ada L,,,\r\n",
	    "column_map={'first_name':'Given','unsubscribed':'Off','properties':{"
	    "'plan':{'column':'Plan'},'age':{'column':'Age','type':'number'}}}",
	    segments, topics, "on_conflict=upsert");
	const struct exchange queued[] = {
	    {"queued", "GET", path, NULL, 200,
		.want = {"object = 'contact_import'", "id : string", "status = 'queued'",
		    "created_at : string", "completed_at = null", COUNTS(0, 0, 0, 0, 0)}},
	    {"listed", "GET", PATH, NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].object = 'contact_import'",
		    "data[0].status = 'queued'"}},
	    {"by status", "GET", PATH "?status=completed", NULL, 200, .want = {"data = []"}},
	};
	const struct exchange done[] = {
	    {"completed", "GET", path, NULL, 200,
		.want = {"status = 'completed'", "completed_at : string", COUNTS(7, 2, 2, 0, 3)}},
	    {"by status", "GET", PATH "?status=completed&limit=1", NULL, 200,
		.want = {"data[0].status = 'completed'"}},
	    {"new", "GET", "/resend/contacts/ada@x.org", NULL, 200,
		.want = {"first_name = 'Ada L'", "unsubscribed = false",
		    "properties = {'plan':{'type':'string','value':'pro'},"
		    "'age':{'type':'number','value':36}}"}},
	    {"there already", "GET", "/resend/contacts/bo@x.org", NULL, 200,
		.want = {"first_name = 'Bo'",
		    "properties = {'plan':{'type':'string','value':'free'}}"}},
	    {"wrong type", "GET", "/resend/contacts/cy@x.org", NULL, 404},
	    {"unsubscribed", "GET", "/resend/contacts/di@x.org", NULL, 200,
		.want = {"unsubscribed = true"}},
	    {"topic", "GET", "/resend/contacts/ada@x.org/topics", NULL, 200,
		.want = {"data[0].subscription = 'opt_in'"}},
	    {"segment", "GET", members, NULL, 200,
		.want = {"data[0].email = 'di@x.org'", "data[0].unsubscribed = true",
		    "data[1].email = 'bo@x.org'", "data[1].unsubscribed = false",
		    "data[3] : null"}},
	};

	EXPECT_ALL(fixture, queued);
	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM contact_import_piece"
						 " WHERE workspace_id = @workspace"),
	    0, "the file is gone");
}

/* Own events of the workspace that wait for the spool. */
#define TOLD "SELECT COUNT(*) FROM automation_feedback WHERE workspace_id = @workspace"

/* Workflows hear what they hear of other requests, and nothing of an import. */
Test(resend_contact_imports, tell_workflows_nothing)
{
	test_db_plain(fixture->db,
	    "INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	    " is_trigger, since) SELECT @workspace, name, REPEAT(X'00', 16), @workspace, 1, 0 FROM"
	    " (SELECT 'person.created' AS name UNION SELECT 'person.updated') n");
	g_free(resend_contact_imports_create(
	    "/resend/contacts", "{'email':'told@x.org','first_name':'T'}"));
	cr_expect_eq(test_db_number(fixture->db, TOLD), 1);
	test_db_plain(
	    fixture->db, "DELETE FROM automation_feedback WHERE workspace_id = @workspace");
	g_free(ASK("create", 201, NULL,
	    "file=email,first_name,plan\r\ntold@x.org,U,pro\r\nuntold@x.org,N,pro\r\n",
	    "column_map={'first_name':'first_name','properties':{'plan':{'column':'plan'}}}",
	    "on_conflict=upsert"));
	alone_spool(fixture, 0);
	const struct exchange changed = {"changed", "GET", "/resend/contacts/told@x.org", NULL, 200,
	    .want = {"first_name = 'U'"}};
	answer_free(exchange_expect(fixture, &changed));
	cr_expect_eq(test_db_number(fixture->db, TOLD), 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_event WHERE"
						 " workspace_id = @workspace"),
	    0);
}

/* The rules of posthouse contact import hold here too. */
Test(resend_contact_imports, read_files_by_the_rules_of_all_imports)
{
	g_autofree char *path = ASK("create", 201, NULL,
	    "file=sep=;\r\nE-Mail;Vorname;Nachname;BLOCKLISTED;opt_in\r\n"
	    " ada@x.org\xc2\xa0;Ada, Countess;Lovelace;nein;Ja\r\nbo@x.org;;;Yes;\r\n;;;;\r\n"
	    "cy@x.org;;;perhaps;\r\n\r\ndi@x.org;;;;OFF\r\n");
	const struct exchange done[] = {
	    {"completed", "GET", path, NULL, 200,
		.want = {"status = 'completed'", COUNTS(4, 3, 0, 0, 1)}},
	    {"names", "GET", "/resend/contacts/ada@x.org", NULL, 200,
		.want = {"first_name = 'Ada, Countess'", "last_name = 'Lovelace'",
		    "unsubscribed = false"}},
	    {"blocked", "GET", "/resend/contacts/bo@x.org", NULL, 200,
		.want = {"unsubscribed = true"}},
	    {"no word", "GET", "/resend/contacts/cy@x.org", NULL, 404},
	    {"not opted in", "GET", "/resend/contacts/di@x.org", NULL, 200,
		.want = {"unsubscribed = true"}},
	};

	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
}

/* Each part is read as the first one. */
Test(resend_contact_imports, read_all_parts_alike)
{
	g_autoptr(GString) file = g_string_new("file=email\tfirst_name\n");

	for (guint i = 0; i <= 2 * STORE_CONTACT_BATCH; i++)
		g_string_append_printf(file, "p%04u@x.org\tA,B;C\n", i);
	g_autofree char *path = ASK("create", 201, NULL, file->str);
	const struct exchange done[] = {
	    {"completed", "GET", path, NULL, 200,
		.want = {"status = 'completed'", COUNTS(1001, 1001, 0, 0, 0)}},
	    {"the last one", "GET", "/resend/contacts/p1000@x.org", NULL, 200,
		.want = {"first_name = 'A,B;C'"}},
	};

	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
}

/* A plan of an earlier version has neither the separator nor all columns. */
Test(resend_contact_imports, go_on_with_a_plan_of_an_earlier_version)
{
	g_autofree char *path = ASK("create", 201, NULL, "file=email,first_name\na@x.org,A;B\n");
	const struct exchange done[] = {{"completed", "GET", path, NULL, 200,
	    .want = {"status = 'completed'", COUNTS(1, 1, 0, 0, 0)}}};

	test_db_plain(fixture->db,
	    "UPDATE contact_import SET plan = '{\"width\":2,\"email\":0,\"first_name\":1,"
	    "\"last_name\":-1,\"unsubscribed\":-1,\"properties\":[],\"skips\":false,"
	    "\"segments\":[],\"topics\":[]}' WHERE workspace_id = @workspace");
	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
}

/* Contacts who exist are left alone, as are repetitions in the file, unless the request says
   otherwise. */
Test(resend_contact_imports, skip_those_who_exist)
{
	g_autofree char *segment =
	    resend_contact_imports_create("/resend/segments", "{'name':'Imported'}");
	g_autofree char *segments = g_strdup_printf("segments=['%s']", segment);
	g_autofree char *members = g_strdup_printf("/resend/segments/%s/contacts", segment);
	g_free(resend_contact_imports_create(
	    "/resend/contacts", "{'email':'bo@x.org','first_name':'Bo'}"));
	g_autofree char *path = ASK("create", 201, NULL,
	    "file=email,first_name,unsubscribed\nbo@x.org,Other,yes\nada@x.org,Ada,\n"
	    "ada@x.org,Second,yes\n",
	    segments);
	const struct exchange done[] = {
	    {"completed", "GET", path, NULL, 200,
		.want = {"status = 'completed'", COUNTS(3, 1, 0, 2, 0)}},
	    {"there already", "GET", "/resend/contacts/bo@x.org", NULL, 200,
		.want = {"first_name = 'Bo'", "unsubscribed = false"}},
	    {"new", "GET", "/resend/contacts/ada@x.org", NULL, 200,
		.want = {"first_name = 'Ada'", "unsubscribed = false"}},
	    {"segment", "GET", members, NULL, 200,
		.want = {"data[0].email = 'ada@x.org'", "data[1] : null"}},
	};

	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
}

/* A person who has unsubscribed in person stays so, which is no fault of the record. */
Test(resend_contact_imports, keep_what_a_person_has_chosen)
{
	g_autofree char *topic = resend_contact_imports_create(
	    "/resend/topics", "{'name':'News','default_subscription':'opt_in'}");
	g_autofree char *topics =
	    g_strdup_printf("topics=[{'id':'%s','subscription':'opt_in'}]", topic);
	test_db_plain(fixture->db, "INSERT INTO choice (workspace_id, person, created)"
				   " VALUES (@workspace, 'left@x.org', 1)");
	g_autofree char *path = ASK("create", 201, NULL,
	    "file=email,unsubscribed\nleft@x.org,false\n", topics, "on_conflict=skip");
	const struct exchange done[] = {
	    {"completed", "GET", path, NULL, 200,
		.want = {"status = 'completed'", COUNTS(1, 1, 0, 0, 0)}},
	    {"left", "GET", "/resend/contacts/left@x.org", NULL, 200,
		.want = {"unsubscribed = true"}},
	};

	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
}

/* Asks for an import of so many people. */
static char *
ask_many(guint count, const char *segments)
{
	g_autoptr(GString) file = g_string_new("file=email\n");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(file, "p%04u@x.org\n", i);
	return ASK("create", 201, NULL, file->str, segments);
}

/* One turn, which ends after one part. */
static bool
contact_imports_work(struct service *service)
{
	g_autoptr(GError) error = NULL;
	bool worked;

	cr_assert(
	    import_contacts_work(service, 0, &worked, &error), "%s", error ? error->message : "");
	return worked;
}

/* Parts are stored and counted once, also when a process is killed between two steps of one. */
Test(resend_contact_imports, go_on_where_a_killed_process_was)
{
	g_autofree char *segment =
	    resend_contact_imports_create("/resend/segments", "{'name':'Imported'}");
	g_autofree char *segments = g_strdup_printf("segments=[{'id':'%s'}]", segment);
	g_autofree char *path = ask_many(2 * STORE_CONTACT_BATCH + 100, segments);
	const struct exchange first[] = {{"a part", "GET", path, NULL, 200,
	    .want = {"status = 'in_progress'", COUNTS(500, 500, 0, 0, 0)}}};
	const struct exchange all[] = {{"completed", "GET", path, NULL, 200,
	    .want = {"status = 'completed'", COUNTS(1100, 1100, 0, 0, 0)}}};
	AUTO(service) service = service_open(fixture->settings);

	cr_assert(service_ensure(service, NULL));
	cr_assert(contact_imports_work(service));
	EXPECT_ALL(fixture, first);
	/* A process that has claimed it is waited for. */
	test_db_plain(fixture->db,
	    "UPDATE contact_import SET due = due + 60000 WHERE workspace_id = @workspace");
	cr_expect_not(contact_imports_work(service));
	/* It was killed after it had stored the people, before they joined the segment. */
	test_db_plain(fixture->db, "UPDATE contact_import SET due = 0, is_put = 1,"
				   " created_rows = created_rows + 500, left_out = ''"
				   " WHERE workspace_id = @workspace");
	cr_expect(contact_imports_work(service));
	cr_expect(contact_imports_work(service));
	cr_expect(contact_imports_work(service), "the end");
	cr_expect_not(contact_imports_work(service), "no more");
	EXPECT_ALL(fixture, all);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM contact WHERE workspace_id = @workspace"),
	    1100);
}

Test(resend_contact_imports, fail_when_the_segment_is_gone)
{
	g_autofree char *segment =
	    resend_contact_imports_create("/resend/segments", "{'name':'Imported'}");
	g_autofree char *segments = g_strdup_printf("segments=[{'id':'%s'}]", segment);
	g_autofree char *gone = g_strconcat("/resend/segments/", segment, NULL);
	g_autofree char *path = ask_many(1, segments);
	const struct exchange removal[] = {{"remove", "DELETE", gone, NULL, 200}};
	const struct exchange done[] = {{"failed", "GET", path, NULL, 200,
	    .want = {"status = 'failed'", "completed_at : string", COUNTS(1, 1, 0, 0, 0)}}};

	EXPECT_ALL(fixture, removal);
	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
}

Test(resend_contact_imports, name_the_field_that_is_wrong)
{
#define FILE_OK "file=email\na@x.org\n"
	static const struct {
		const char *name;
		guint status;
		const char *want, *parts[3];
	} cases[] = {
	    {"no file", 422, FAILURE(422, "missing_required_field", "Missing `file` field."),
		{"on_conflict=skip"}},
	    {"an empty file", 422, INVALID("Invalid `file` field. file is empty."), {"file="}},
	    {"no email", 422, INVALID("Invalid `file` field. file has no column for the email."),
		{"file=a,b\n"}},
	    {"two emails", 422,
		INVALID("Invalid `file` field. file has two columns for email, \\\"Mail\\\" and "
			"\\\"E-Mail\\\": name one in column_map."),
		{"file=Mail,E-Mail\n"}},
	    {"no UTF-8", 422,
		INVALID(
		    "Invalid `file` field. file has a first line that cannot be read: it is not "
		    "UTF-8."),
		{"file=email,Pr\xe9nom\n"}},
	    {"no such column", 422,
		INVALID("Invalid `column_map` field. column_map.email is no column of the file."),
		{FILE_OK, "column_map={'email':'Mail'}"}},
	    {"no such column of a property", 422,
		INVALID(
		    "Invalid `column_map` field. column_map.properties.plan is no column of the "
		    "file."),
		{FILE_OK, "column_map={'properties':{'plan':{'column':'Plan'}}}"}},
	    {"no JSON", 422, INVALID("Invalid `column_map` field. column_map must be JSON."),
		{FILE_OK, "column_map={"}},
	    {"no object", 422, INVALID("Invalid `column_map` field. column_map must be an object."),
		{FILE_OK, "column_map=[1]"}},
	    {"another type", 422,
		INVALID("Invalid `column_map` field. column_map.properties.p.type must be string, "
			"number or boolean."),
		{FILE_OK, "column_map={'properties':{'p':{'column':'email','type':'date'}}}"}},
	    {"another kind", 422,
		INVALID("Invalid `column_map` field. column_map.email must be a string."),
		{FILE_OK, "column_map={'email':7}"}},
	    {"no column", 422,
		FAILURE(422, "missing_required_field",
		    "Missing `column_map.properties.p.column` field."),
		{FILE_OK, "column_map={'properties':{'p':{}}}"}},
	    {"another conflict", 422,
		INVALID("Invalid `on_conflict` field. on_conflict must be upsert or skip."),
		{FILE_OK, "on_conflict=replace"}},
	    {"no id", 422,
		INVALID("Invalid `segments` field. segments[0].id must be a valid UUID."),
		{FILE_OK, "segments=[{'id':'x'}]"}},
	    {"unknown segment", 404, FAILURE(404, "not_found", "Segment not found"),
		{FILE_OK, "segments=[{'id':'" UNKNOWN "'}]"}},
	    {"unknown topic", 422, INVALID("Invalid `topics` field. Topic not found."),
		{FILE_OK, "topics=[{'id':'" UNKNOWN "','subscription':'opt_in'}]"}},
	    {"another choice", 422,
		INVALID("Invalid `topics` field. topics[0].subscription must be opt_in or "
			"opt_out."),
		{FILE_OK, "topics=[{'id':'" UNKNOWN "','subscription':'in'}]"}},
	    {"nulls", 201, NULL, {FILE_OK, "column_map=null", "segments=null"}},
	};
	static const struct exchange others[] = {
	    {"no form", "POST", PATH, "{}", 400,
		FAILURE(400, "validation_error", "The request body must be a multipart form.")},
	    {"no UUID", "GET", PATH "/x", NULL, 422, .want = {"name = 'invalid_parameter'"}},
	    {"unknown", "GET", PATH "/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Contact import not found")},
	    {"another status", "GET", PATH "?status=done", NULL, 422,
		INVALID("Invalid `status` field. status must be queued, in_progress, completed or "
			"failed.")},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const parts[] = {
		    cases[i].parts[0], cases[i].parts[1], cases[i].parts[2], NULL};

		g_free(contact_imports_ask(cases[i].name, cases[i].status, cases[i].want, parts));
	}
	EXPECT_ALL(fixture, others);
}

Test(resend_contact_imports, are_at_most_ten_at_once)
{
	static const char *const parts[] = {FILE_OK, NULL};
	const struct exchange over = {"over", "POST", PATH, NULL, 429,
	    FAILURE(429, "rate_limit_exceeded",
		"Limit reached: at most 10 contact imports that are not completed"),
	    .headers = {FORM}, .bytes = contact_imports_form_of(parts),
	    .want_header = {"Retry-After: 60"}};

	for (guint i = 0; i < LIMIT_IMPORTS; i++)
		g_free(ASK("within", 201, NULL, FILE_OK));
	answer_free(exchange_expect(fixture, &over));
	g_bytes_unref(over.bytes);
	alone_spool(fixture, 0);
	g_free(ASK("when they are done", 201, NULL, FILE_OK));
}

/* Another workspace has ten imports when ours comes: ours is second. */
Test(resend_contact_imports, take_turns_among_workspaces)
{
	test_db_plain(fixture->db, "DELETE FROM contact_import");
	g_autofree char *ours = ASK("ours", 201, NULL, "file=email\nada@x.org\n");
	struct base_id other = base_id_new(), own;
	g_autoptr(GError) error = NULL;
	gint64 begun = base_clock_now() - 60000;
	guint turn = 0;

	/* The others are older, each by a second. */
	for (guint i = 0; i < LIMIT_IMPORTS; i++) {
		struct base_id id = base_id_new();
		char text[ID_TEXT_SIZE], workspace[ID_TEXT_SIZE];
		g_autofree char *sql = g_strdup_printf(
		    "INSERT INTO contact_import (id, workspace_id, status, plan, due) VALUES"
		    " (UNHEX(REPLACE('%s', '-', '')), UNHEX(REPLACE('%s', '-', '')), 1, '{}', "
		    "%" G_GINT64_FORMAT ")",
		    base_id_format(&id, text), base_id_format(&other, workspace),
		    begun + (gint64)i * 1000);

		test_db_plain(fixture->db, sql);
	}
	base_id_parse(strrchr(ours, '/') + 1, &own);
	for (turn = 1; turn <= LIMIT_IMPORTS; turn++) {
		struct store_contact_import *claimed;

		cr_assert(store_contact_import_claim(fixture->db, 60000, &claimed, &error));
		AUTO(store_contact_import) import = claimed;
		if (import && base_id_equal(&import->id, &own))
			break;
	}
	cr_expect_eq(turn, 2, "ours is number %u", turn);
	test_db_plain(fixture->db, "DELETE FROM contact_import");
}

/* Asks for an import of a file of this size. */
static void
contact_imports_expect_size(gsize size, guint status)
{
	g_autofree char *rest = g_strnfill(size - strlen("email\n"), 'x');
	g_autofree char *file = g_strdup_printf("file=email\n%s", rest);

	g_free(ASK("size", status, NULL, file));
}

Test(resend_contact_imports, take_files_of_50_mib)
{
	contact_imports_expect_size(LIMIT_IMPORT_BYTES, 201);
	contact_imports_expect_size(LIMIT_IMPORT_BYTES + 1, 413);
	contact_imports_expect_size(LIMIT_IMPORT_BYTES + 2 * LIMIT_MIB, 413);
}

Test(resend_contact_imports, have_at_most_100_properties)
{
	for (guint count = LIMIT_RESEND_IMPORT_KEYS; count <= LIMIT_RESEND_IMPORT_KEYS + 1;
	     count++) {
		g_autoptr(GString) map = g_string_new("column_map={'properties':{");

		for (guint i = 0; i < count; i++)
			g_string_append_printf(
			    map, "%s'p%u':{'column':'email'}", i > 0 ? "," : "", i);
		g_string_append(map, "}}");
		g_free(ASK("properties", count > LIMIT_RESEND_IMPORT_KEYS ? 422 : 201, NULL,
		    FILE_OK, map->str));
	}
}
