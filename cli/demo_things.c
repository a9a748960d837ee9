/* SPDX-License-Identifier: MIT */
/* The things of a made-up workspace: those that stand before its year, and those that come last. */
#include "cli/demo.h"

#include <string.h>

#include "automation/event.h"
#include "automation/workflow.h"
#include "base/limits/person.h"
#include "broadcast/draft.h"
#include "content/template.h"
#include "db/transaction.h"
#include "domain/domain.h"
#include "json/strict.h"
#include "json/value.h"
#include "person/suppress.h"
#include "property/property.h"
#include "segment/segment.h"
#include "service/service.h"
#include "store/consent/form.h"
#include "store/domain/domain.h"
#include "store/person/audience.h"
#include "store/template/template.h"
#include "topic/topic.h"

#define FRAME(body)                                                                                \
	"<!doctype html><html><body style=\"margin:0;background:#f4f1ea\">"                        \
	"<div style=\"max-width:560px;margin:0 auto;padding:24px;background:#ffffff;"              \
	"font-family:sans-serif;color:#222222;line-height:1.5\">"                                  \
	"<p style=\"font-weight:bold;color:#7a4a12\">Acorn, fine tools for gardens</p>" body       \
	"</div></body></html>"
#define LINK(path, text) "<a href=\"https://acorn.example/" path "\">" text "</a>"
#define LEAVE                                                                                      \
	"<p style=\"font-size:12px;color:#666666\"><a href=\"{{unsubscribe_url}}\">"               \
	"Unsubscribe</a></p>"

static const struct {
	const char *id, *name, *subject, *html;
} templates[] = {
    {"welcome", "Welcome", "Welcome, {{first_name|gardener}}",
	FRAME("<h1>Welcome, {{first_name|gardener}}</h1><p>Good that you are here.</p>"
	      "<p>" LINK("start", "Begin here") "</p>" LEAVE)},
    {"order", "Your order", "Your order {{order}}",
	FRAME("<h1>Thank you</h1><p>Order {{order}} is on its way.</p><p>" LINK(
	    "orders", "See the order") "</p>")},
    {"receipt", "Receipt", "Receipt for {{order}}",
	FRAME("<h1>Your receipt</h1>{{#if total}}<p>Total: {{number total 2}} EUR</p>{{/if}}"
	      "<p>" LINK("receipts", "Download") "</p>")},
    {"password", "New password", "Set a new password",
	FRAME("<h1>Set a new password</h1><p>" LINK("password", "Set it now") "</p>")},
    {"letter", "Letter of the month", "Letter of the month",
	FRAME("<h1>What grows now</h1><p>Hello {{first_name|there}},</p><p>" LINK(
	    "spades", "New spades") " and " LINK("seeds",
	    "seeds for the season") ".</p><p>" LINK("journal", "Read the journal") "</p>" LEAVE)},
};

static bool
make_templates(struct cli_demo *demo, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(templates); i++) {
		AUTO(store_template) template = g_new0(struct store_template, 1);

		template->workspace_id = *demo->workspace;
		template->id = g_strdup(templates[i].id);
		template->name = g_strdup(templates[i].name);
		template->subject = g_strdup(templates[i].subject);
		template->variables = g_strdup("{}");
		template->html = g_bytes_new_static(templates[i].html, strlen(templates[i].html));
		if (!content_template_check(template, error) ||
		    !store_template_create(demo->call->db, template, error))
			return false;
	}
	return true;
}

/* The domain that sends, and one that waits for its records. */
static bool
demo_things_make_domains(struct cli_demo *demo, const char *name, GError **error)
{
	const struct store_domain wish = {.name = (char *)name,
	    .trusted = true,
	    .open_tracking = true,
	    .click_tracking = true,
	    .region = (char *)STORE_DOMAIN_REGION};
	g_autofree char *other = g_strconcat("news.", name, NULL);
	struct service *service = demo->call->service;

	demo->domain = domain_register_as(service, demo->workspace,
	    &(struct domain_registration){NULL, &wish, NULL, false}, error);
	if (!demo->domain)
		return false;
	AUTO(store_domain)
	waiting = domain_register(service, demo->workspace, NULL, other, false, error);
	return waiting != NULL;
}

static bool
demo_things_make_property(struct cli_demo *demo, const char *key, const char *type, GError **error)
{
	const struct property_default none = {"default"};
	AUTO(store_property)
	property = property_create(demo->call->db, demo->workspace, key, type, &none, error);

	return property != NULL;
}

static bool
demo_things_make_topic(
    struct cli_demo *demo, const char *name, bool is_opt_in, struct base_id *id_r, GError **error)
{
	const struct topic_input input = {
	    .name = name, .is_opt_in = is_opt_in ? TOPIC_YES : TOPIC_NO};
	AUTO(store_topic) topic = topic_create(demo->call->db, demo->workspace, &input, error);

	if (!topic)
		return false;
	*id_r = topic->id;
	return true;
}

static bool
demo_things_make_segment(struct cli_demo *demo, const char *name, const char *rules,
    struct base_id *id_r, GError **error)
{
	AUTO(store_segment)
	segment = segment_create(demo->call->service, demo->workspace, name, rules, error);

	if (!segment)
		return false;
	*id_r = segment->id;
	return true;
}

bool
cli_demo_begin(struct cli_demo *demo, const char *domain, GError **error)
{
	static const char *const names[DEMO_AUDIENCES] = {"Newsletter", "Customers"};
	struct base_id other;

	for (guint i = 0; i < DEMO_AUDIENCES; i++)
		if (!store_audience_create(demo->call->db, demo->workspace, NULL, names[i],
			&demo->audiences[i], error))
			return false;
	return demo_things_make_domains(demo, domain, error) && make_templates(demo, error) &&
	       demo_things_make_property(demo, "orders", "number", error) &&
	       demo_things_make_property(demo, "plan", "string", error) &&
	       demo_things_make_topic(demo, "Letter of the month", false, &demo->topic, error) &&
	       demo_things_make_topic(demo, "Offers", true, &other, error) &&
	       demo_things_make_segment(demo, "Active readers",
		   "{\"match\":\"all\",\"rules\":[{\"email\":\"opened\",\"operator\":\"did\","
		   "\"within_days\":90}]}",
		   &demo->segment, error) &&
	       demo_things_make_segment(demo, "Plan pro, or three orders",
		   "{\"match\":\"any\",\"rules\":[{\"property\":\"plan\",\"operator\":\"equals\","
		   "\"value\":\"pro\"},{\"property\":\"orders\",\"operator\":\"greater_than\","
		   "\"value\":2}]}",
		   &other, error);
}

#define NODE(id, type, y, data)                                                                    \
	"{\"id\":\"" id "\",\"type\":\"" type "\",\"position\":{\"x\":0,\"y\":" #y                 \
	"},\"data\":" data "}"
#define EDGE(id, from, to) "{\"id\":\"" id "\",\"source\":\"" from "\",\"target\":\"" to "\"}"

/* A format of printf that takes the sender's domain twice. */
static const char design_format[] = "{\"nodes\":[" NODE(
    "trigger", "trigger", 0, "{\"eventName\":\"user.created\"}") "," NODE("welcome", "send_email",
    120, "{\"templateId\":\"welcome\",\"from\":\"Acorn <hello@%s>\"}") "," NODE("wait", "wait", 240,
    "{\"duration\":3,\"unit\":\"days\"}") "," NODE("letter", "send_email", 360,
    "{\"templateId\":\"letter\",\"from\":\"Acorn <hello@%s>\"}") "],\"edges\":[" EDGE("a",
    "trigger", "welcome") "," EDGE("b", "welcome", "wait") "," EDGE("c", "wait", "letter") "]}";

static bool
demo_things_make_workflow(struct cli_demo *demo, GError **error)
{
	const struct automation_workflow_author author = {"posthouse demo", AUTHOR_KEY};
	const char *domain = demo->domain->name;
	g_autofree char *design = g_strdup_printf(design_format, domain, domain);
	const struct automation_workflow_change change = {
	    .name = "Welcome", .status = "active", .design = design, .design_size = strlen(design)};
	struct base_id id;

	return automation_workflow_create(
	    demo->call->service, demo->workspace, &author, &change, &id, error);
}

/* Records the event that starts the workflow. */
static bool
demo_things_record(struct cli_demo *demo, const struct cli_demo_person *person, GError **error)
{
	const struct automation_event_input input = {"user.created", person->email, NULL};
	struct automation_recording *event =
	    automation_event_check(demo->call->service, demo->workspace, &input, NULL, error);
	AUTO(service_once) request = event ? &event->request : NULL;

	return request && service_once_store_one(demo->call->service, request, error);
}

#define LAST_PEOPLE 12

/* The last who came enter the workflow. */
static bool
record_last(struct cli_demo *demo, GError **error)
{
	for (guint i = demo->people->len - MIN(LAST_PEOPLE, demo->people->len);
	     i < demo->people->len; i++)
		if (!demo_things_record(
			demo, &g_array_index(demo->people, struct cli_demo_person, i), error))
			return false;
	return true;
}

static bool
demo_things_make_form(struct cli_demo *demo, GError **error)
{
	struct store_form form = {.workspace_id = *demo->workspace,
	    .name = (char *)"Join our letter",
	    .audience_id = demo->audiences[DEMO_NEWSLETTER],
	    .topics = (char *)"[]",
	    .fields = (char *)"[\"first_name\"]",
	    .redirect_url = (char *)"",
	    .double_opt_in = true,
	    .per_network = LIMIT_FORM_PER_NETWORK};

	return store_form_create(demo->call->db, &form, error);
}

/* The next broadcast, which is not sent yet. */
static bool
demo_things_make_draft(struct cli_demo *demo, GError **error)
{
	char audience[ID_TEXT_SIZE];
	g_autofree char *text =
	    g_strdup_printf("{\"name\":\"Spring sale\",\"from\":\"Acorn <letter@%s>\","
			    "\"subject\":\"Spring sale\",\"template_id\":\"letter\","
			    "\"audiences\":[\"%s\"],\"variants\":[{},"
			    "{\"subject\":\"Everything for spring\"}],\"test_share\":20}",
		demo->domain->name, base_id_format(&demo->audiences[DEMO_NEWSLETTER], audience));
	AUTO(json) given = json_parse(text, strlen(text), error);
	struct base_id id;

	return given &&
	       broadcast_create(demo->call->service, demo->workspace, given, NULL, &id, error);
}

bool
cli_demo_end(struct cli_demo *demo, GError **error)
{
	return demo_things_make_workflow(demo, error) && record_last(demo, error) &&
	       demo_things_make_form(demo, error) && demo_things_make_draft(demo, error);
}
