/* SPDX-License-Identifier: MIT */
/* Creates the rows that the paths of openapi.json need. */
#include "tests/http/openapi_path.h"

#include <criterion/criterion.h>
#include <string.h>

#include "config/settings.h"
#include "email/attachment.h"
#include "feedback/provider.h"
#include "link/token.h"
#include "received/door.h"
#include "received/view.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "tests/http/automation.h"
#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/http/person.h"
#include "tests/support/db.h"
#include "tests/support/deliveries.h"

/* Posts a body, and returns a member of the reply, which the caller owns. */
static char *
make(struct fixture *fixture, const char *path, const char *body, const char *member)
{
	const struct exchange exchange = {path, "POST", path, body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, member));
}

/* An email that can be moved and cancelled, or one that has events. */
static char *
openapi_path_make_email(struct fixture *fixture, const char *method, const char *path)
{
	if (strcmp(method, "GET") == 0)
		return email_send(fixture, NULL);
	g_autofree char *at =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);

	return email_send(fixture, at);
}

static char *
make_held(struct fixture *fixture, const char *method, const char *path)
{
	char *id = openapi_path_make_email(fixture, method, path);

	test_db_plain(fixture->db,
	    "UPDATE outbox SET ready_at = NULL, turn_at = NULL WHERE workspace_id = @workspace");
	return id;
}

/* The rest of an attachment's URL. The attachment is {}, since answers that are no page have to be
   JSON here. */
static char *
make_download(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *id =
	    email_send(fixture, "'attachments':[{'filename':'a.json','content':'e30='}]");
	g_autofree char *list = g_strdup_printf("/resend/emails/%s/attachments", id);
	const struct exchange exchange = {list, "GET", list, .want_status = 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const char *url = answer_text(answer, "data[0].download_url");

	return g_strdup(strstr(url, "/t/a/") + strlen("/t/a/"));
}

static char *
make_template(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/templates",
	    "{'name':'N','html':'<p>{{x}}</p>','text':'T','subject':'S','variables':{'x':1}}",
	    "id");
}

static char *
openapi_path_make_key(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/keys", "{'name':'N'}", "id");
}

static char *
openapi_path_make_audience(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/audiences", "{'name':'N'}", "id");
}

static char *
make_import(struct fixture *fixture, const char *method, const char *path)
{
	static const char form[] =
	    "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n"
	    "email\na@example.net\r\n--XX--\r\n";
	g_autoptr(GBytes) bytes = g_bytes_new_static(form, strlen(form));
	const struct exchange exchange = {"import", "POST", "/v1/imports", NULL, 200,
	    .headers = {"Content-Type: multipart/form-data; boundary=XX"}, .bytes = bytes};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

static char *
openapi_path_make_contact(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, path, "{'email':'a@example.net','first_name':'A'}", "id");
}

/* A contact that waits to be confirmed. path: of the audience's contacts. */
static char *
make_waiting(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *parent = g_path_get_dirname(path);
	g_autofree char *opt_in = g_strconcat(parent, "/opt-in", NULL);
	const struct exchange ask = {
	    opt_in, "PUT", opt_in, "{'required':true,'from':'a@" FIXTURE_DOMAIN "'}", 200};

	answer_free(exchange_expect(fixture, &ask));
	return openapi_path_make_contact(fixture, method, path);
}

/* The token of a contact that waits. */
static char *
make_confirmation(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *audience = openapi_path_make_audience(fixture, method, path);
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	g_autofree char *contact = make_waiting(fixture, method, contacts);
	g_autofree char *sql = g_strdup_printf(
	    "SELECT INSERT(INSERT(INSERT(INSERT(LOWER(HEX(id)), 9, 0, '-'), 14, 0, '-'),"
	    " 19, 0, '-'), 24, 0, '-') FROM confirmation"
	    " WHERE contact_id = UNHEX(REPLACE('%s', '-', ''))",
	    contact);
	g_autofree char *id = test_db_text(fixture->db, g_intern_string(sql));
	struct link_token token = {.kind = TOKEN_CONFIRM};
	char text[TOKEN_TEXT_SIZE];

	cr_assert(base_id_parse(id, &token.email));
	link_token_write(config_settings_secret(fixture->settings), &token, NULL, text);
	return g_strdup(text);
}

static char *
openapi_path_make_form(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *audience = openapi_path_make_audience(fixture, method, path);
	g_autofree char *body = g_strdup_printf("{'name':'F','audience_id':'%s'}", audience);

	return make(fixture, "/v1/forms", body, "id");
}

static char *
openapi_path_make_topic(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/topics", "{'name':'News'}", "id");
}

static char *
openapi_path_make_person(struct fixture *fixture, const char *method, const char *path)
{
	const struct exchange exchange = {
	    "person", "POST", "/v1/people", "{'email':'person@example.net'}", 0};
	AUTO(answer) answer = exchange_ask(fixture, &exchange);

	cr_assert(answer->status == 200 || answer->status == 409, "%s", answer->body);
	return g_strdup("person@example.net");
}

static char *
openapi_path_make_property(struct fixture *fixture, const char *method, const char *path)
{
	static guint count;
	g_autofree char *body = g_strdup_printf("{'key':'p%u','type':'string'}", ++count);

	return make(fixture, "/v1/properties", body, "key");
}

static char *
openapi_path_make_segment(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/segments", "{'name':'x','rules':{'rules':[]}}", "id");
}

static char *
make_suppression(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/suppressions", "{'email':'a@example.net'}", "email");
}

static char *
openapi_path_make_domain(struct fixture *fixture, const char *method, const char *path)
{
	static guint count;
	g_autofree char *body = g_strdup_printf("{'name':'d%u.example.net'}", ++count);

	return make(fixture, "/v1/domains", body, "id");
}

static char *
make_picture(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *audience = openapi_path_make_audience(fixture, method, path);
	const struct exchange exchange = {"list", "GET", "/v1/audiences", NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_path_get_basename(answer_text(answer, "audiences[0].created_by.profile_picture"));
}

static char *
openapi_path_make_workflow(struct fixture *fixture, const char *method, const char *path)
{
	struct base_id id = automation_workflow(fixture, "N");

	return automation_text(&id);
}

/* A workflow with two designs, neither of which is whole. */
static char *
make_draft(struct fixture *fixture, const char *method, const char *path)
{
	static const char design[] = "{'name':'N','design':{'nodes':[],'edges':[]}}";

	/* The number of the version, behind the id. */
	if (g_str_has_suffix(path, "/versions"))
		return g_strdup("2");
	char *id = make(fixture, "/v1/workflows", design, "workflow_id");
	g_autofree char *one = g_strconcat("/v1/workflows/", id, NULL);
	const struct exchange exchange = {"design", "PATCH", one, design, 200};
	answer_free(exchange_expect(fixture, &exchange));
	return id;
}

static char *
make_version(struct fixture *fixture, const char *method, const char *path)
{
	return g_strdup("2");
}

/* Each template and broadcast has it when it is made. */
static char *
make_first_version(struct fixture *fixture, const char *method, const char *path)
{
	return g_strdup("1");
}

static char *
make_note_kind(struct fixture *fixture, const char *method, const char *path)
{
	return g_strdup("template");
}

static char *
make_note(struct fixture *fixture, const char *method, const char *path)
{
	test_db_plain(fixture->db,
	    "REPLACE INTO note (user_id, kind, name, workspace_id, data, created, updated)"
	    " SELECT id, 1, 'welcome', workspace_id, '{}', 1, 1 FROM user"
	    " WHERE workspace_id = @workspace");
	return g_strdup("welcome");
}

static char *
openapi_path_make_webhook(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, "/v1/webhooks", "{'url':'https://nobody.invalid/'}", "id");
}

/* path ends in the webhook's id and "/deliveries". */
static char *
make_delivery(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *parent = g_path_get_dirname(path), *id = g_path_get_basename(parent);
	struct test_delivery delivery = {.status = DELIVERY_FAILED, .attempts = 1};

	cr_assert(base_id_parse(id, &delivery.webhook));
	test_delivery_store(fixture->db, &fixture->id, &delivery);
	return automation_text(&delivery.id);
}

/* Creates a contact with a waiting execution, which has sent an email. */
static char *
make_execution(struct fixture *fixture, const char *method, const char *path)
{
	static guint count;
	g_autofree char *email = g_strdup_printf("e%u@example.net", ++count);
	struct base_id workflow = automation_workflow(fixture, "N");
	struct base_id contact = automation_contact(fixture, email);
	struct base_id id = automation_execution(fixture, &workflow, &contact, EXECUTION_WAITING);

	automation_email(fixture, &workflow, &id);
	return automation_text(&id);
}

static char *
make_automation_contact(struct fixture *fixture, const char *method, const char *path)
{
	static guint count;
	char *email = g_strdup_printf("c%u@example.net", ++count);
	struct base_id workflow = automation_workflow(fixture, "N");
	struct base_id contact = automation_contact(fixture, email);

	automation_event(fixture, &contact, "seen");
	automation_execution(fixture, &workflow, &contact, EXECUTION_FAILED);
	return email;
}

/* The path with a token of this kind for an email's first recipient. */
static char *
make_token(struct fixture *fixture, enum link_token_kind kind, const char *destination)
{
	g_autofree char *id = email_send(fixture, NULL);
	struct link_token token = {.kind = kind};
	char text[TOKEN_TEXT_SIZE];

	cr_assert(base_id_parse(id, &token.email));
	link_token_write(config_settings_secret(fixture->settings), &token, destination, text);
	return destination ? g_strdup_printf("%s?d=aHR0cDovL3gub3JnLw", text) : g_strdup(text);
}

static char *
make_pixel(struct fixture *fixture, const char *method, const char *path)
{
	return make_token(fixture, TOKEN_OPEN, NULL);
}

static char *
openapi_path_make_link(struct fixture *fixture, const char *method, const char *path)
{
	return make_token(fixture, TOKEN_CLICK, "http://x.org/");
}

static char *
make_page(struct fixture *fixture, const char *method, const char *path)
{
	return make_token(fixture, TOKEN_UNSUBSCRIBE, NULL);
}

static char *
make_provider(struct fixture *fixture, const char *method, const char *path)
{
	return g_strdup("brevo");
}

static char *
make_endpoint(struct fixture *fixture, const char *method, const char *path)
{
	AUTO(service) service = service_open(fixture->settings);
	struct feedback_provider_added added;

	cr_assert(service_ensure(service, NULL) &&
		  feedback_provider_add(service, PROVIDER_BREVO, "a", NULL, &added, NULL));
	char *token = g_strdup(strrchr(added.url, '/') + 1);
	feedback_provider_added_clear(&added);
	return token;
}

static char *
make_user(struct fixture *fixture, const char *method, const char *path)
{
	static guint count;
	g_autofree char *body = g_strdup_printf("{'email':'u%u@example.net'}", ++count);

	return make(fixture, "/v1/users", body, "id");
}

static char *
make_session(struct fixture *fixture, const char *method, const char *path)
{
	AUTO(person) ann = person_open(fixture, "ann@example.com", NULL);

	return g_strdup(ann->session);
}

/* Another workspace invites the person who signs in for the tests of sessions. */
static char *
make_invitation(struct fixture *fixture, const char *method, const char *path)
{
	AUTO(fixture) inviting = fixture_open();
	char id[ID_TEXT_SIZE];

	test_db_plain(inviting->db,
	    "UPDATE user SET removed = 1, invited = 1 WHERE workspace_id = @workspace");
	return g_strdup(base_id_format(&inviting->id, id));
}

/* A draft that can be sent. */
static char *
openapi_path_make_broadcast(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *audience = openapi_path_make_audience(fixture, method, path);
	g_autofree char *body = g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN
						"','subject':'S','html':'{{unsubscribe_url}}',"
						"'variants':[{},{'subject':'T'}],'audiences':'%s'}",
	    audience);

	return make(fixture, "/v1/broadcasts", body, "id");
}

/* A broadcast with this status, a number of enum store_broadcast_status. */
static char *
make_broadcast_in(struct fixture *fixture, int status)
{
	char *id = openapi_path_make_broadcast(fixture, "POST", "");
	g_autofree char *sql = g_strdup_printf(
	    "UPDATE broadcast SET status = %d WHERE id = UNHEX(REPLACE('%s', '-', ''))", status,
	    id);

	test_db_plain(fixture->db, sql);
	return id;
}

static char *
make_scheduled(struct fixture *fixture, const char *method, const char *path)
{
	return make_broadcast_in(fixture, BROADCAST_SCHEDULED);
}

static char *
make_sending(struct fixture *fixture, const char *method, const char *path)
{
	return make_broadcast_in(fixture, BROADCAST_SENDING);
}

static char *
make_paused(struct fixture *fixture, const char *method, const char *path)
{
	return make_broadcast_in(fixture, BROADCAST_PAUSED);
}

static char *
make_testing(struct fixture *fixture, const char *method, const char *path)
{
	return make_broadcast_in(fixture, BROADCAST_TESTING);
}

static char *
make_stream(struct fixture *fixture, const char *method, const char *path)
{
	return g_strdup("broadcast");
}

static char *
make_secret(struct fixture *fixture, const char *method, const char *path)
{
	static const struct exchange exchange = {
	    "secret", "PUT", "/v1/secrets/crm", "{'value':'Bearer 1'}", 200};

	exchange_expect_all(fixture, &exchange, 1);
	return g_strdup("crm");
}

static char *
make_route(struct fixture *fixture, const char *method, const char *path)
{
	return make(fixture, path, "{'match':'somebody'}", "id");
}

/* A mail with an attachment that came to the fixture's domain. */
static struct base_id
receive_mail(struct fixture *fixture)
{
	static const char text[] =
	    "From: nobody\r\nMessage-ID: <1@x.org>\r\nContent-Type: application/pdf\r\n"
	    "Content-Disposition: attachment; filename=a.pdf\r\n\r\nhello\r\n";
	AUTO(service) service = service_open(fixture->settings);
	struct received_session session = {.is_pipe = true};
	g_autoptr(GString) reply = g_string_new(NULL);
	AUTO(received_route) route = NULL;
	g_autofree char *refused = NULL;
	struct base_id id;

	test_db_plain(fixture->db,
	    "UPDATE domain SET receiving = 1, trusted = 1 WHERE workspace_id = @workspace");
	test_db_plain(fixture->db,
	    "INSERT INTO receiving_route (id, workspace_id, domain_id, pattern, action, created)"
	    " SELECT UNHEX(MD5(RAND())), workspace_id, id, LOWER(HEX(workspace_id)), 1, 0"
	    " FROM domain WHERE workspace_id = @workspace");
	g_autoptr(GString) address = g_string_new(NULL);
	for (gsize i = 0; i < sizeof(fixture->id.bytes); i++)
		g_string_append_printf(address, "%02x", fixture->id.bytes[i]);
	g_string_append(address, "@" FIXTURE_DOMAIN);
	cr_assert(service_ensure(service, NULL) && received_route_find(service, address->str,
						       &route, &refused, NULL) == RECEIVED_ROUTE);
	cr_assert(received_take(service, &session,
	    &(struct received_taking){"a@x.org", &route, 1, text, strlen(text)}, reply, &id, NULL));
	test_db_plain(fixture->db, "DELETE FROM receiving_route WHERE workspace_id = @workspace");
	test_db_plain(fixture->db, "DELETE FROM received_known WHERE workspace_id = @workspace");
	return id;
}

static char *
make_received(struct fixture *fixture, const char *method, const char *path)
{
	struct base_id id = receive_mail(fixture);
	char text[ID_TEXT_SIZE];

	return g_strdup(base_id_format(&id, text));
}

/* The attachment of the mail that the path names. */
static char *
make_received_attachment(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *given = g_strndup(path + strlen("/v1/received/"), ID_TEXT_SIZE - 1);
	char text[ID_TEXT_SIZE];
	struct base_id id;

	cr_assert(base_id_parse(given, &id), "%s", path);
	id = email_attachment_id(&id, 0);
	return g_strdup(base_id_format(&id, text));
}

static char *
make_received_download(struct fixture *fixture, const char *method, const char *path)
{
	AUTO(service) service = service_open(fixture->settings);
	struct base_id id = receive_mail(fixture);
	gint64 expires = g_get_real_time() / 1000 + 3600000;
	g_autofree char *url = received_view_url(service, &id, 0, expires);

	return g_strdup(strstr(url, "/t/r/") + strlen("/t/r/"));
}

/* A start that is not over. Its workflow is the path's. */
static char *
make_start(struct fixture *fixture, const char *method, const char *path)
{
	g_autofree char *workflow = g_strndup(path, strlen(path) - strlen("/starts"));
	g_autofree char *at = g_strconcat(workflow, "/executions", NULL);

	return make(fixture, at, "{'emails':['ada@example.net']}", "id");
}

/* The function that creates the row for each path prefix; it gets the path before the {name}. */
static const struct {
	const char *path;
	char *(*make)(struct fixture *fixture, const char *method, const char *path);
} makers[] = {
    {"/v1/emails/{id}/release", make_held},
    {"/v1/emails/{id}", openapi_path_make_email},
    {"/v1/domains/{id}", openapi_path_make_domain},
    {"/v1/domains/{id}/routes/{route}", make_route},
    {"/v1/received/{id}", make_received},
    {"/v1/received/{id}/attachments/{attachment}", make_received_attachment},
    {"/avatar/{file}", make_picture},
    {"/t/o/{token}", make_pixel},
    {"/t/a/{token}", make_download},
    {"/t/r/{token}", make_received_download},
    {"/t/c/{token}", openapi_path_make_link},
    {"/t/u/{token}", make_page},
    {"/in/{provider}", make_provider},
    {"/in/{provider}/{token}", make_endpoint},
    {"/v1/templates/{id}", make_template},
    {"/v1/templates/{id}/versions/{version}", make_first_version},
    {"/v1/audiences/{id}", openapi_path_make_audience},
    {"/v1/audiences/{id}/contacts/{contact}/confirm", make_waiting},
    {"/v1/audiences/{id}/contacts/{contact}", openapi_path_make_contact},
    {"/t/s/{token}", make_confirmation},
    {"/f/{id}", openapi_path_make_form},
    {"/v1/forms/{id}", openapi_path_make_form},
    {"/v1/imports/{id}", make_import},
    {"/v1/topics/{id}", openapi_path_make_topic},
    {"/v1/people/{email}", openapi_path_make_person},
    {"/v1/properties/{key}", openapi_path_make_property},
    {"/v1/segments/{id}", openapi_path_make_segment},
    {"/v1/suppressions/{email}", make_suppression},
    {"/v1/keys/{id}", openapi_path_make_key},
    {"/v1/users/{id}", make_user},
    {"/v1/session/invitations/{workspace}", make_invitation},
    {"/v1/session/notes/{kind}", make_note_kind},
    {"/v1/session/notes/{kind}/{id}", make_note},
    {"/v1/sessions/{id}", make_session},
    {"/v1/broadcasts/{id}/unschedule", make_scheduled},
    {"/v1/broadcasts/{id}/cancel", make_scheduled},
    {"/v1/broadcasts/{id}/pause", make_sending},
    {"/v1/broadcasts/{id}/resume", make_paused},
    {"/v1/broadcasts/{id}/winner", make_testing},
    {"/v1/broadcasts/{id}", openapi_path_make_broadcast},
    {"/v1/broadcasts/{id}/versions/{version}", make_first_version},
    {"/v1/webhooks/{id}", openapi_path_make_webhook},
    {"/v1/webhooks/{id}/deliveries/{delivery}", make_delivery},
    {"/v1/workflows/{id}/versions/{version}/restore", make_draft},
    {"/v1/workflows/{id}/versions/{version}/restore", make_draft},
    {"/v1/workflows/{id}", openapi_path_make_workflow},
    {"/v1/workflows/{id}/versions/{version}", make_version},
    {"/v1/workflows/{id}/starts/{start}", make_start},
    {"/v1/executions/{id}", make_execution},
    {"/v1/secrets/{name}", make_secret},
    {"/v1/streams/{name}", make_stream},
    {"/v1/automation/contacts/{email}", make_automation_contact},
};

char *
openapi_path_make(struct fixture *fixture, const char *method, const char *path)
{
	GString *made = g_string_new(path);

	for (gsize i = 0; i < G_N_ELEMENTS(makers); i++) {
		char *brace = strchr(made->str, '{');
		if (!brace || !g_str_has_prefix(path, makers[i].path))
			continue;
		g_autofree char *before = g_strndup(made->str, brace - 1 - made->str);
		g_autofree char *name = g_strndup(brace, strcspn(brace, "}") + 1);
		g_autofree char *value = makers[i].make(fixture, method, before);
		g_string_replace(made, name, value, 1);
	}
	cr_assert_null(strchr(made->str, '{'), "%s: nothing is known to be there", path);
	return g_string_free(made, FALSE);
}
