/* SPDX-License-Identifier: MIT */
/* /v1/imports, whose files the spool reads */
#include <criterion/criterion.h>
#include <string.h>

#include "base/id.h"
#include "base/limits/import.h"
#include "base/limits/unit.h"
#include "import/contacts.h"
#include "person/erase.h"
#include "service/service.h"
#include "store/person/contact.h"
#include "tests/http/alone.h"
#include "tests/http/audience.h"
#include "tests/http/automation.h"
#include "tests/http/exchange.h"
#include "tests/support/db.h"
#include "upkeep/retention.h"

#define PATH "/v1/imports"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FORM "Content-Type: multipart/form-data; boundary=XX"
#define MESSAGE(text) "{'message':'" text "'}"

FIXTURE_SUITE(import_files, 900);

/* A form with a file (NULL: none) and options (NULL: none), with ' in place of " there. */
static GBytes *
import_files_form_of(const char *file, gssize size, const char *options)
{
	GString *form = g_string_new(NULL);

	if (file) {
		g_string_append(form, "--XX\r\nContent-Disposition: form-data; name=\"file\";"
				      " filename=\"C:\\lists\\people.csv\"\r\n\r\n");
		g_string_append_len(form, file, size < 0 ? (gssize)strlen(file) : size);
		g_string_append(form, "\r\n");
	}
	if (options) {
		g_autofree char *json = exchange_quoted(options);
		g_string_append_printf(form,
		    "--XX\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n%s\r\n", json);
	}
	g_string_append(form, "--XX--\r\n");
	return g_string_free_to_bytes(form);
}

/* Asks for an import, and returns the answer, which the caller owns. */
static struct answer *
http_import_files_ask(
    const char *name, guint status, const char *want, const char *file, const char *options)
{
	g_autoptr(GBytes) form = import_files_form_of(file, -1, options);
	const struct exchange exchange = {
	    name, "POST", PATH, NULL, status, want, .headers = {FORM}, .bytes = form};

	return exchange_expect(fixture, &exchange);
}

/* Asks for an import and does it. Returns its path, which the caller owns. */
static char *
import_files_import(const char *file, const char *options)
{
	AUTO(answer) answer =
	    http_import_files_ask(options ? options : "import", 200, NULL, file, options);
	char *path = g_strconcat(PATH "/", answer_text(answer, "id"), NULL);

	alone_spool(fixture, 0);
	return path;
}

#define COUNTS(lines, added, changed, same, refused, kept)                                         \
	"counts = {'lines':" #lines ",'added':" #added ",'changed':" #changed ",'same':" #same     \
	",'refused':" #refused ",'kept_choice':" #kept "}"

Test(import_files, show_the_plan_at_once_and_the_result_later)
{
	g_autofree char *audience = audience_new(fixture, "Readers");
	g_autofree char *options = g_strdup_printf("{'audience_id':'%s'}", audience);
	static const char file[] =
	    "E-Mail;Vorname;Note;properties.age;Subscribed\r\n"
	    "Ada@x.org;Ada;n;36;yes\r\n;;;;\r\nbob;B;;;\r\nbo@x.org;Bo;;;nein\r\nshort;1\r\n"
	    "cy@x.org;Cy;;;perhaps\r\n";
	AUTO(answer) asked = http_import_files_ask("ask", 200, NULL, file, options);
	g_autofree char *path = g_strconcat(PATH "/", answer_text(asked, "id"), NULL);
	g_autofree char *faults = g_strconcat(path, "/faults", NULL);
	g_autofree char *is_audience = g_strdup_printf("audience_id = '%s'", audience);
	const struct exchange pending[] = {
	    {"pending", "GET", path, NULL, 200,
		.want = {"status = 'pending'", is_audience, "filename = 'people.csv'",
		    "dry_run = false", "created : integer", "completed_at = null", "error = null",
		    COUNTS(0, 0, 0, 0, 0, 0),
		    "columns = {'E-Mail':'email','Vorname':'first_name','Note':'ignore',"
		    "'properties.age':'properties.age','Subscribed':'subscribed'}",
		    "header : absent", "sample : absent"}},
	    {"no faults yet", "GET", faults, NULL, 200, "{'faults':[],'count':0,'cursor':null}"},
	};
	const struct exchange done[] = {
	    {"done", "GET", path, NULL, 200,
		.want = {"status = 'done'", "completed_at : integer", "error = null",
		    COUNTS(5, 2, 0, 0, 3, 0)}},
	    {"listed", "GET", PATH, NULL, 200,
		.want = {"imports[0].status = 'done'", "count = 1", "cursor = null"}},
	    {"faults", "GET", faults, NULL, 200,
		.want = {"count = 3", "cursor = null", "faults[0].line = 4",
		    "faults[0].refused = true", "faults[1].line = 6",
		    "faults[1].message = 'it has 2 fields, and the first line 5'",
		    "faults[2].line = 7",
		    "faults[2].message = 'is_subscribed must be true or false'"}},
	    {"subscribed", "GET", "/v1/people/ada@x.org", NULL, 200,
		.want = {"first_name = 'Ada'", "properties = {'age':36}",
		    "audiences[0].status = 'subscribed'", "audiences[0].source = 'import'"}},
	    {"unsubscribed", "GET", "/v1/people/bo@x.org", NULL, 200,
		.want = {"audiences[0].status = 'unsubscribed'"}},
	    {"refused", "GET", "/v1/people/cy@x.org", NULL, 404},
	};

	cr_expect_str_eq(answer_text(asked, "status"), "pending");
	cr_expect_str_eq(answer_text(asked, "header[1]"), "Vorname");
	cr_expect_str_eq(answer_text(asked, "sample[0][0]"), "Ada@x.org");
	EXPECT_ALL(fixture, pending);
	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, done);
	const struct exchange csv = {
	    "as a file", "GET", faults, NULL, 200, .headers = {"Accept: text/csv"}};
	AUTO(answer) refused = exchange_ask(fixture, &csv);
	cr_expect_eq(refused->status, 200);
	g_autofree char *type = answer_header(refused, "Content-Type");
	cr_expect_str_eq(type, "text/csv; charset=utf-8");
	g_auto(GStrv) lines = g_strsplit(refused->body, "\r\n", -1);
	cr_assert_eq(g_strv_length(lines), 5, "%s", refused->body);
	cr_expect_str_eq(lines[0],
	    "\"E-Mail\",\"Vorname\",\"Note\",\"properties.age\",\"Subscribed\",\"error\"");
	cr_expect(
	    g_str_has_prefix(lines[1], "\"bob\",\"B\",\"\",\"\",\"\",\"email "), "%s", lines[1]);
	cr_expect_str_eq(
	    lines[2], "\"short\",\"1\",\"\",\"\",\"\",\"it has 2 fields, and the first line 5\"");
	/* A refused line is imported again once it is right. */
	g_autofree char *again =
	    import_files_import("email,error\nbob@x.org,email has no domain\n", options);
	const struct exchange mended[] = {
	    {"mended", "GET", again, NULL, 200, .want = {COUNTS(1, 1, 0, 0, 0, 0)}}};
	EXPECT_ALL(fixture, mended);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM contact_import_piece"
						 " WHERE workspace_id = @workspace"),
	    0, "the files are gone");
}

/* Each option, with what it changes. */
Test(import_files, take_options)
{
	static const struct {
		const char *file, *options, *counts, *path;
		const char *want;
	} cases[] = {
	    {"email,first_name\nada@x.org,Ada\n", "{'audience_id':null}", COUNTS(1, 1, 0, 0, 0, 0),
		"/v1/people/ada@x.org", "audiences = []"},
	    {"email,first_name\nada@x.org,A\n", "{'duplicates':'skip'}", COUNTS(1, 0, 0, 1, 0, 0),
		"/v1/people/ada@x.org", "first_name = 'Ada'"},
	    {"email,first_name\nada@x.org,A\nnew@x.org,N\nNEW@x.org,M\n", "{'duplicates':'refuse'}",
		COUNTS(3, 1, 0, 0, 2, 0), "/v1/people/new@x.org", "first_name = 'N'"},
	    {"email,first_name\nada@x.org,A\n", "{'duplicates':'update'}", COUNTS(1, 0, 1, 0, 0, 0),
		"/v1/people/ada@x.org", "first_name = 'A'"},
	    {"email,first_name\nada@x.org,A\n", NULL, COUNTS(1, 0, 0, 1, 0, 0),
		"/v1/people/ada@x.org", "first_name = 'A'"},
	    {"a,b,c\nx,col@x.org,pro\n",
		"{'columns':{'b':'email','a':'ignore','C':'properties.plan'}}",
		COUNTS(1, 1, 0, 0, 0, 0), "/v1/people/col@x.org", "properties = {'plan':'pro'}"},
	    {"email,first_name\nenc@x.org,Zo\xeb\n", "{'encoding':'windows-1252'}",
		COUNTS(1, 1, 0, 0, 0, 0), "/v1/people/enc@x.org", "first_name = 'Zo\xc3\xab'"},
	    {"email;first_name\nsep@x.org;a,b,c\n", "{'separator':'semicolon'}",
		COUNTS(1, 1, 0, 0, 0, 0), "/v1/people/sep@x.org", "first_name = 'a,b,c'"},
	    {"email,subscribed\nout@x.org,yes\n", "{'unsubscribed':true}", COUNTS(1, 1, 0, 0, 0, 0),
		"/v1/people/out@x.org", "subscribed = false"},
	    {"email,time_zone,language\nlen@x.org,Mars,de\n", "{'lenient':true}",
		COUNTS(1, 1, 0, 0, 0, 0), "/v1/people/len@x.org", "time_zone = null"},
	    {"email,time_zone,language\nzone@x.org,Mars,de\n", "{'lenient':false}",
		COUNTS(1, 0, 0, 0, 1, 0), "/v1/people/zone@x.org", NULL},
	    {"email\ndry@x.org\nada@x.org\nbob\n", "{'dry_run':true}", COUNTS(3, 1, 0, 1, 1, 0),
		"/v1/people/dry@x.org", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = import_files_import(cases[i].file, cases[i].options);
		const struct exchange exchanges[] = {
		    {path, "GET", path, NULL, 200, .want = {"status = 'done'", cases[i].counts}},
		    {cases[i].path, "GET", cases[i].path, NULL, cases[i].want ? 200 : 404,
			.want = {cases[i].want}},
		};

		EXPECT_ALL(fixture, exchanges);
	}
}

/* The person's own choice stands, unless there is an override. */
Test(import_files, keep_what_people_chose)
{
	static const char file[] = "email,subscribed\nleft@x.org,yes\n";
	g_free(import_files_import("email\nleft@x.org\n", NULL));
	const struct exchange leaves[] = {
	    {"leaves", "PATCH", "/v1/people/left@x.org", "{'subscribed':false}", 200}};
	EXPECT_ALL(fixture, leaves);
	test_db_plain(fixture->db, "UPDATE choice SET author = 1 WHERE workspace_id = @workspace");
	g_autofree char *kept = import_files_import(file, NULL);
	const struct exchange stays[] = {
	    {"kept", "GET", kept, NULL, 200, .want = {"counts.kept_choice = 1"}},
	    {"stays", "GET", "/v1/people/left@x.org", NULL, 200, .want = {"subscribed = false"}}};
	EXPECT_ALL(fixture, stays);
	g_autofree char *forced = import_files_import(file, "{'override':'asked by phone'}");
	const struct exchange comes[] = {
	    {"forced", "GET", forced, NULL, 200, .want = {"counts.kept_choice = 0"}},
	    {"comes", "GET", "/v1/people/left@x.org", NULL, 200, .want = {"subscribed = true"}}};
	EXPECT_ALL(fixture, comes);
}

/* The answer tells what is left out, and no refused line. */
Test(import_files, tell_what_is_left_out)
{
	g_autofree char *path = import_files_import(
	    "email,time_zone,language\na@x.org,Mars,?\nbob,,\n", "{'lenient':true}");
	g_autofree char *faults = g_strconcat(path, "/faults", NULL);
	const struct exchange told[] = {
	    {"done", "GET", path, NULL, 200, .want = {COUNTS(2, 1, 0, 0, 1, 0)}},
	    {"told", "GET", faults, NULL, 200,
		.want = {"count = 2", "faults[0].line = 2", "faults[0].refused = false",
		    "faults[0].message = 'language must be a BCP 47 language tag: it is left out; "
		    "time_zone must be an IANA time zone: it is left out'",
		    "faults[1].line = 3", "faults[1].refused = true"}}};
	const struct exchange csv = {
	    "refused alone", "GET", faults, NULL, 200, .headers = {"Accept: text/csv"}};

	EXPECT_ALL(fixture, told);
	AUTO(answer) refused = exchange_ask(fixture, &csv);
	cr_expect_eq(refused->status, 200);
	cr_expect_not(strstr(refused->body, "a@x.org"), "%s", refused->body);
	cr_expect(strstr(refused->body, "\"bob\""), "%s", refused->body);
}

/* A trial whose columns are not understood shows them, and the first lines. */
Test(import_files, show_the_begin_of_a_trial_that_is_refused)
{
#define BEGIN "'header':['E-Mail','Mail','N'],'sample':[['a@x.org','','\u00c4'],['b@x.org','1']]"
	static const char file[] = "E-Mail;Mail;N\r\na@x.org;;\u00c4\r\n;;\r\nb@x.org;1\r\n";
	static const struct {
		const char *name, *want, *file, *options;
	} cases[] = {
	    {"two emails",
		"{'message':'two columns may be the email, \\'E-Mail\\' and \\'Mail\\': name one in"
		" columns'," BEGIN "}",
		file, "{'dry_run':true}"},
	    {"two emails, no trial",
		"{'message':'two columns may be the email, \\'E-Mail\\' and \\'Mail\\': name one in"
		" columns'}",
		file, "{'dry_run':false}"},
	    {"no email",
		"{'message':'no column of the first line is the email: name it in columns',"
		"'header':['a','b'],'sample':[['1','2']]}",
		"a,b\n1,2\n", "{'dry_run':true}"},
	    {"a header alone",
		"{'message':'no column of the first line is the email: name it in columns',"
		"'header':['a'],'sample':[]}",
		"a\n", "{'dry_run':true}"},
	    {"an unknown column",
		"{'message':'columns: the first line has no column \\'x\\''," BEGIN "}", file,
		"{'dry_run':true,'columns':{'x':'email'}}"},
	    {"a property twice",
		"{'message':'two columns are the property \\'k\\', \\'E-Mail\\' and \\'N\\''," BEGIN
		"}",
		file,
		"{'dry_run':true,'columns':{'Mail':'email','E-Mail':'properties.k','N':"
		"'properties.k'}}"},
	    {"a header that is not UTF-8", NULL, "email,\xe9\n", "{'dry_run':true}"},
	    {"an empty file", MESSAGE("file is empty"), "", "{'dry_run':true}"},
	    {"an unknown use", NULL, "a,b\n1,2\n", "{'dry_run':true,'columns':{'a':'mail'}}"},
	    {"another fault", MESSAGE("separator must be comma, semicolon or tab"), "a,b\n1,2\n",
		"{'dry_run':true,'separator':'|'}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer)
		answer = http_import_files_ask(
		    cases[i].name, 400, cases[i].want, cases[i].file, cases[i].options);

		if (!cases[i].want)
			cr_expect_null(answer_at(answer, "header"), "%s", cases[i].name);
	}
	const struct exchange none = {
	    "none is stored", "GET", PATH, NULL, 200, "{'imports':[],'count':0,'cursor':null}"};
	answer_free(exchange_expect(fixture, &none));
}

Test(import_files, name_what_is_wrong)
{
#define FILE_OK "email\na@x.org\n"
	static const struct {
		const char *name;
		guint status;
		const char *want, *file, *options;
	} cases[] = {
	    {"no file", 400, MESSAGE("file is required"), NULL, "{}"},
	    {"an empty file", 400, MESSAGE("file is empty"), "", NULL},
	    {"no email", 400,
		MESSAGE("no column of the first line is the email: name it in columns"),
		"a,b\n1,2\n", NULL},
	    {"two emails", 400,
		"{'message':'two columns may be the email, \\'E-Mail\\' and "
		"\\'Mail\\': name one in columns'}",
		"E-Mail,Mail\na,b\n", NULL},
	    {"no JSON", 400, NULL, FILE_OK, "{"},
	    {"no object", 400, NULL, FILE_OK, "[]"},
	    {"columns of another type", 400, MESSAGE("columns must be an object"), FILE_OK,
		"{'columns':[]}"},
	    {"use of another type", 400, MESSAGE("columns.email must be a string"), FILE_OK,
		"{'columns':{'email':7}}"},
	    {"an unknown use", 400,
		"{'message':'columns: the use of \\'email\\' must be email, first_name, "
		"last_name, subscribed, unsubscribed, language, time_zone, properties.KEY or "
		"ignore, "
		"not \\'mail\\''}",
		FILE_OK, "{'columns':{'email':'mail'}}"},
	    {"an unknown column", 400,
		"{'message':'columns: the first line has no column \\'Mail\\''}", FILE_OK,
		"{'columns':{'Mail':'email'}}"},
	    {"encoding", 400, MESSAGE("encoding must be utf-8, windows-1252 or latin1"), FILE_OK,
		"{'encoding':'ebcdic'}"},
	    {"separator", 400, MESSAGE("separator must be comma, semicolon or tab"), FILE_OK,
		"{'separator':'|'}"},
	    {"duplicates", 400, MESSAGE("duplicates must be update, skip or refuse"), FILE_OK,
		"{'duplicates':'replace'}"},
	    {"unsubscribed", 400, MESSAGE("unsubscribed must be a boolean"), FILE_OK,
		"{'unsubscribed':'yes'}"},
	    {"lenient", 400, MESSAGE("lenient must be a boolean"), FILE_OK, "{'lenient':1}"},
	    {"dry_run", 400, MESSAGE("dry_run must be a boolean"), FILE_OK, "{'dry_run':1}"},
	    {"override", 400, MESSAGE("override must be true or a reason of 1 to 500 characters"),
		FILE_OK, "{'override':''}"},
	    {"audience", 400, MESSAGE("Audience not found"), FILE_OK,
		"{'audience_id':'" UNKNOWN "'}"},
	    {"audience of no id", 400, MESSAGE("Audience not found"), FILE_OK,
		"{'audience_id':'x'}"},
	    {"misspelled", 400,
		MESSAGE("dryRun is not a field of this request; did you mean dry_run?"), FILE_OK,
		"{'dryRun':true}"},
	    {"not UTF-8", 400, NULL, "email,n\xe4me\na@x.org,x\n", NULL},
	    {"nulls", 200, NULL, FILE_OK,
		"{'audience_id':null,'columns':null,'encoding':null,'separator':null,"
		"'duplicates':null,'unsubscribed':null,'lenient':null,'dry_run':null,"
		"'override':null}"},
	};
	static const struct exchange others[] = {
	    {"no form", "POST", PATH, "{}", 400, MESSAGE("The body must be multipart/form-data")},
	    {"no id", "GET", PATH "/x", NULL, 404, MESSAGE("Import not found")},
	    {"unknown", "GET", PATH "/" UNKNOWN, NULL, 404, MESSAGE("Import not found")},
	    {"faults of none", "GET", PATH "/" UNKNOWN "/faults", NULL, 404,
		MESSAGE("Import not found")},
	    {"cursor", "GET", PATH "?cursor=x", NULL, 400, MESSAGE("cursor is malformed")},
	    {"cursor of faults", "GET", PATH "/" UNKNOWN "/faults?cursor=x", NULL, 400,
		MESSAGE("cursor is malformed")},
	    {"method", "DELETE", PATH, NULL, 405},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		answer_free(http_import_files_ask(cases[i].name, cases[i].status, cases[i].want,
		    cases[i].file, cases[i].options));
	EXPECT_ALL(fixture, others);
}

/* Imports of /resend and of /v1 are counted together, and each shows its own. */
Test(import_files, are_at_most_ten_at_once)
{
	static const char resend[] = "/resend/contacts/imports";
	g_autoptr(GBytes) form = import_files_form_of(FILE_OK, -1, NULL);
	const struct exchange other = {
	    "of /resend", "POST", resend, NULL, 201, .headers = {FORM}, .bytes = form};
	const struct exchange over = {"over", "POST", PATH, NULL, 429,
	    MESSAGE("Limit reached: at most 10 contact imports that are not completed"),
	    .headers = {FORM}, .bytes = form, .want_header = {"Retry-After: 60"}};

	AUTO(answer) foreign = exchange_expect(fixture, &other);
	g_autofree char *path = g_strconcat(PATH "/", answer_text(foreign, "id"), NULL);
	for (guint i = 1; i < LIMIT_IMPORTS; i++)
		answer_free(http_import_files_ask("within", 200, NULL, FILE_OK, NULL));
	answer_free(exchange_expect(fixture, &over));
	const struct exchange lists[] = {
	    {"own", "GET", PATH, NULL, 200, .want = {"count = 9"}},
	    {"not of /resend", "GET", path, NULL, 404, MESSAGE("Import not found")},
	    {"of /resend", "GET", resend, NULL, 200,
		.want = {"data[0] : object", "data[1] : null"}},
	};
	EXPECT_ALL(fixture, lists);
	alone_spool(fixture, 0);
	answer_free(http_import_files_ask("when they are done", 200, NULL, FILE_OK, NULL));
}

/* One turn, which ends after one part. */
static bool
import_files_work(struct service *service)
{
	g_autoptr(GError) error = NULL;
	bool worked;

	cr_assert(
	    import_contacts_work(service, 0, &worked, &error), "%s", error ? error->message : "");
	return worked;
}

/* Parts, with lines that are wrong, are stored and counted once, also when the process is killed
   while it has claimed the import. Line numbers go on. */
Test(import_files, go_on_where_a_killed_process_was)
{
	g_autoptr(GString) file = g_string_new("email,first_name\r\n");
	AUTO(service) service = service_open(fixture->settings);

	for (guint i = 0; i < 2 * STORE_CONTACT_BATCH; i++)
		g_string_append_printf(file, "p%04u@x.org,\"two\r\nlines\"\r\n", i);
	g_string_append(file, "bob,B\r\n\r\nnew@x.org,N\r\n");
	AUTO(answer) asked = http_import_files_ask("ask", 200, NULL, file->str, NULL);
	g_autofree char *path = g_strconcat(PATH "/", answer_text(asked, "id"), NULL);
	g_autofree char *faults = g_strconcat(path, "/faults", NULL);
	const struct exchange first[] = {{"a part", "GET", path, NULL, 200,
	    .want = {"status = 'running'", COUNTS(500, 500, 0, 0, 0, 0)}}};
	const struct exchange all[] = {
	    {"done", "GET", path, NULL, 200,
		.want = {"status = 'done'", COUNTS(1002, 1001, 0, 0, 1, 0)}},
	    {"line", "GET", faults, NULL, 200, .want = {"count = 1", "faults[0].line = 2002"}},
	    {"stored", "GET", "/v1/people/p0999@x.org", NULL, 200,
		.want = {"first_name = 'two\\r\\nlines'"}},
	};

	cr_assert(service_ensure(service, NULL));
	cr_assert(import_files_work(service));
	EXPECT_ALL(fixture, first);
	/* A process that has claimed it is waited for, and takes no more once its time is over. */
	test_db_plain(fixture->db,
	    "UPDATE contact_import SET due = due + 60000 WHERE workspace_id = @workspace");
	cr_expect_not(import_files_work(service));
	test_db_plain(
	    fixture->db, "UPDATE contact_import SET due = 0 WHERE workspace_id = @workspace");
	cr_expect(import_files_work(service));
	cr_expect(import_files_work(service));
	cr_expect(import_files_work(service), "the end");
	cr_expect_not(import_files_work(service), "no more");
	EXPECT_ALL(fixture, all);
}

/* A part without anybody to store, of all wrong lines. */
Test(import_files, have_pages_of_faults)
{
	g_autoptr(GString) file = g_string_new("email\n");

	for (guint i = 0; i < 520; i++)
		g_string_append_printf(file, "bob%u\n", i);
	g_autofree char *path = import_files_import(file->str, NULL);
	g_autofree char *faults = g_strconcat(path, "/faults", NULL);
	const struct exchange first = {"first", "GET", faults, NULL, 200,
	    .want = {
		"count = 50", "faults[0].line = 2", "faults[49].line = 51", "cursor : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &first);
	g_autofree char *next =
	    g_strconcat(faults, "?cursor=", answer_text(answer, "cursor"), NULL);
	const struct exchange others[] = {
	    {"counts", "GET", path, NULL, 200, .want = {COUNTS(520, 0, 0, 0, 520, 0)}},
	    {"next", "GET", next, NULL, 200, .want = {"count = 50", "faults[0].line = 52"}},
	};
	EXPECT_ALL(fixture, others);
	const struct exchange csv = {
	    "csv", "GET", faults, NULL, 200, .headers = {"Accept: text/csv"}};
	AUTO(answer) refused = exchange_ask(fixture, &csv);
	cr_expect_eq(refused->status, 200);
	g_auto(GStrv) lines = g_strsplit(refused->body, "\r\n", -1);
	cr_expect_eq(g_strv_length(lines), 522, "all lines, the header and the end");
}

/* The first faults are kept, and all are counted. */
Test(import_files, keep_10000_faults)
{
	g_autoptr(GString) file = g_string_new("email\n");

	for (guint i = 0; i < LIMIT_IMPORT_FAULTS + 1; i++)
		g_string_append(file, "b\n");
	g_autofree char *path = import_files_import(file->str, NULL);
	const struct exchange counts[] = {{"counts", "GET", path, NULL, 200,
	    .want = {"status = 'done'", "counts.refused = 10001"}}};

	EXPECT_ALL(fixture, counts);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM contact_import_fault"
						 " WHERE workspace_id = @workspace"),
	    LIMIT_IMPORT_FAULTS);
}

Test(import_files, fail_when_the_audience_is_gone)
{
	g_autofree char *audience = audience_new(fixture, "Gone");
	g_autofree char *options = g_strdup_printf("{'audience_id':'%s'}", audience);
	g_autofree char *gone = g_strconcat("/v1/audiences/", audience, NULL);
	AUTO(answer) asked = http_import_files_ask("ask", 200, NULL, FILE_OK, options);
	g_autofree char *path = g_strconcat(PATH "/", answer_text(asked, "id"), NULL);
	const struct exchange removal[] = {{"remove", "DELETE", gone, NULL, 200}};
	const struct exchange failed[] = {{"failed", "GET", path, NULL, 200,
	    .want = {
		"status = 'failed'", "completed_at : integer", "error = 'Audience not found'"}}};

	EXPECT_ALL(fixture, removal);
	alone_spool(fixture, 0);
	EXPECT_ALL(fixture, failed);
}

/* Faults go with the person they are about, and imports after 30 days. */
Test(import_files, are_forgotten)
{
	g_autofree char *path =
	    import_files_import("email,first_name\nAda@X.org,\"a\nbob,B\n", NULL);
	AUTO(service) service = service_open(fixture->settings);
	struct store_erasure erasure;
	bool more;

	cr_assert(service_ensure(service, NULL));
	cr_assert_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM contact_import_fault"
						 " WHERE workspace_id = @workspace"),
	    1);
	cr_assert(person_erase(service, &fixture->id, "ada@x.org", &erasure, NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM contact_import_fault"
						 " WHERE workspace_id = @workspace"),
	    0);
	const struct exchange kept[] = {{"kept", "GET", path, NULL, 200}};
	EXPECT_ALL(fixture, kept);
	test_db_plain(fixture->db,
	    "UPDATE contact_import SET id = CONCAT(UNHEX('0100'), SUBSTRING(id, 3))"
	    " WHERE workspace_id = @workspace");
	do
		cr_assert(upkeep_retention(service, &more, NULL));
	while (more);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM contact_import"
						 " WHERE workspace_id = @workspace"),
	    0);
}

static void
import_files_expect_size(gsize size, guint status, const char *want)
{
	g_autofree char *rest = g_strnfill(size - strlen("email\n"), 'x');
	g_autofree char *file = g_strdup_printf("email\n%s", rest);

	answer_free(http_import_files_ask("size", status, want, file, NULL));
}

Test(import_files, take_files_of_50_mib)
{
	import_files_expect_size(LIMIT_IMPORT_BYTES, 200, NULL);
	import_files_expect_size(LIMIT_IMPORT_BYTES + 1, 413, MESSAGE("file must be at most 50MB"));
	import_files_expect_size(LIMIT_IMPORT_BYTES + 2 * LIMIT_MIB, 413, NULL);
}

Test(import_files, take_1000_columns)
{
	for (guint count = LIMIT_IMPORT_COLUMNS; count <= LIMIT_IMPORT_COLUMNS + 1; count++) {
		g_autoptr(GString) file = g_string_new("email");

		for (guint i = 1; i < count; i++)
			g_string_append_printf(file, ",c%u", i);
		g_string_append(file, "\na@x.org\n");
		answer_free(http_import_files_ask("columns",
		    count > LIMIT_IMPORT_COLUMNS ? 400 : 200,
		    count > LIMIT_IMPORT_COLUMNS ? MESSAGE("file must have at most 1000 columns")
						 : NULL,
		    file->str, NULL));
	}
	for (guint more = 0; more <= 1; more++) {
		g_autofree char *name =
		    g_strnfill(LIMIT_IMPORT_HEADER_BYTES - strlen("email") - 2 + more, 'n');
		g_autofree char *file = g_strdup_printf("email,%s\na@x.org,1\n", name);

		answer_free(http_import_files_ask("header", more ? 400 : 200,
		    more ? MESSAGE("file must have a first line of at most 65536 bytes") : NULL,
		    file, NULL));
	}
}

/* Workflows hear of an import that asks for it, and of no other. */
Test(import_files, start_workflows_if_asked)
{
	ALONE_SET(fixture, NULL);
	g_free(automation_start(fixture, "contact.updated"));
	g_free(automation_start(fixture, "person.created"));
	g_autofree char *audience = audience_new(fixture, "Readers");
	static const struct {
		const char *file, *more;
		gint64 want;
	} cases[] = {
	    {"email\nann@x.org\nbob@x.org\n", "", 0},
	    {"email,first_name\nann@x.org,Ann\ncyd@x.org,\n", ",'start_workflows':false", 0},
	    {"email,first_name\nann@x.org,A\nbob@x.org,\ndan@x.org,\n", ",'start_workflows':true",
		2},
	    {"email,first_name\nann@x.org,B\neve@x.org,\n",
		",'start_workflows':true,'dry_run':true", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *options =
		    g_strdup_printf("{'audience_id':'%s'%s}", audience, cases[i].more);

		g_free(import_files_import(cases[i].file, options));
		alone_spool(fixture, 0);
		gint64 got = test_db_number(fixture->db,
		    "SELECT COUNT(*) FROM automation_event WHERE workspace_id = @workspace");
		cr_expect_eq(got, cases[i].want, "%s: got %d", options, (int)got);
	}
	answer_free(
	    http_import_files_ask("no boolean", 400, MESSAGE("start_workflows must be a boolean"),
		"email\na@x.org\n", "{'start_workflows':1}"));
}
