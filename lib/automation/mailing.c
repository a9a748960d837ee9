/* SPDX-License-Identifier: MIT */
/* Composes the email of a send_email step, with the properties of contact and event as variables.
 */
#include "automation/mailing.h"

#include <string.h>

#include "automation/answer.h"
#include "automation/batch.h"
#include "automation/node.h"
#include "rule/properties.h"
#include "automation/results.h"
#include "base/error.h"
#include "content/defaults.h"
#include "email/draft.h"
#include "email/submission.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/contact.h"
#include "person/contact_field.h"
#include "person/suppress.h"
#include "sending/rules.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/feedback.h"
#include "store/email/email.h"
#include "store/person/people.h"
#include "store/workspace/workspace.h"

#define EVENT_PREFIX "event."
#define UNSUBSCRIBE                                                                                \
	"unsubscribe_url" /* always filled in by service, never from a contact's property */

/* The lookup of the variables' values. */
struct lookup {
	const struct automation_mailing *mailing;
	struct json *defaults;		    /* of defined properties; NULL until one is asked for */
	struct store_person *person;	    /* the contact; NULL until a field is asked for */
	struct person_contact_texts fields; /* of the contact */
	GError *failure; /* of the database, when it read the event, the defaults or the person */
};

/* Writes a text or a number; a boolean as a text; null for anything else. */
static void
write_scalar(struct json_writer *writer, const char *key, const struct json *value)
{
	if (json_kind(value) == JSON_BOOLEAN)
		json_writer_string(writer, key, rule_properties_text(value));
	else
		json_writer_value(writer, key, rule_properties_text(value) ? value : NULL);
}

/* The properties of the event; NULL when there are none, or it could not be read. */
static const struct json *
mailing_read_event(struct lookup *lookup)
{
	const struct automation_mailing *mailing = lookup->mailing;

	return lookup->failure ? NULL : mailing->event(mailing->event_context, &lookup->failure);
}

/* Reads the contact, once. Returns whether it could be read. */
static bool
read_person(struct lookup *lookup)
{
	const struct store_execution *e = lookup->mailing->execution;

	if (!lookup->person && !lookup->failure)
		lookup->person = store_people_get_id(lookup->mailing->batch->service->db,
		    &e->workspace_id, &e->contact_id, &lookup->failure);
	return lookup->person;
}

/* A field of the contact; NULL when it has none of this name. */
static const char *
find_field(struct lookup *lookup, const char *name)
{
	struct person_contact_texts *fields = &lookup->fields;

	if (strcmp(name, "email") == 0)
		return lookup->mailing->execution->email;
	if (!person_contact_field_is(name) || !read_person(lookup))
		return NULL;
	const struct store_person *person = lookup->person;
	*fields = (struct person_contact_texts){
	    .first_name = person->first_name,
	    .last_name = person->last_name,
	    .language = person->language,
	    .time_zone = person->time_zone,
	    .subscribed = person->is_subscribed ? "true" : "false",
	};
	person_contact_field_set_created(fields, person->created);
	return person_contact_field(fields, name);
}

/* The default that the definition of a property gives. */
static const struct json *
mailing_find_default(struct lookup *lookup, const char *name)
{
	if (!lookup->defaults && !lookup->failure)
		lookup->defaults = content_defaults_read(lookup->mailing->batch->service->db,
		    &lookup->mailing->execution->workspace_id, &lookup->failure);
	return json_member_get(lookup->defaults, name);
}

#define EVENTS "events"

/* The events of the last digest, or a part of them; NULL: the name is another, or there are none.
 */
static const struct json *
mailing_find_events(struct lookup *lookup, const char *name)
{
	const struct automation_mailing *mailing = lookup->mailing;

	if (!mailing->results || lookup->failure ||
	    (strcmp(name, EVENTS) != 0 && !g_str_has_prefix(name, EVENTS ".")))
		return NULL;
	const struct automation_results *results =
	    mailing->results(mailing->event_context, &lookup->failure);
	return results ? rule_properties_get(automation_results_digest(results), name) : NULL;
}

/* A property of the contact goes before a field, and both before the default. */
static struct content_variables_found
find_of_contact(struct lookup *lookup, const char *name)
{
	struct content_variables_found found = {
	    .value = rule_properties_get(lookup->mailing->properties, name)};

	if (!found.value && g_str_has_prefix(name, PERSON_CONTACT_PREFIX))
		found.text = find_field(lookup, name + strlen(PERSON_CONTACT_PREFIX));
	else if (!found.value && person_contact_field_is_short(name))
		found.text = find_field(lookup, name);
	if (!found.value && !found.text)
		found.value = mailing_find_events(lookup, name);
	found.is_default = !found.value && !found.text;
	if (found.is_default)
		found.value = mailing_find_default(lookup, name);
	return found;
}

/* Whether the name is the result of a step, whose value is then set. */
static bool
mailing_find_result(struct lookup *lookup, const char *name, const struct json **value_r)
{
	const struct automation_mailing *mailing = lookup->mailing;

	*value_r = NULL;
	if (!mailing->results || lookup->failure ||
	    !g_str_has_prefix(name, AUTOMATION_RESULTS_PREFIX))
		return false;
	const struct automation_results *results =
	    mailing->results(mailing->event_context, &lookup->failure);
	return automation_results_find(results, name, value_r);
}

static struct content_variables_found
mailing_find_value(const char *name, void *context)
{
	struct lookup *lookup = context;
	const struct automation_mailing *mailing = lookup->mailing;
	bool of_event = g_str_has_prefix(name, EVENT_PREFIX);
	struct content_variables_found found = {0};

	if (strcmp(name, PERSON_CONTACT_PREFIX "email") == 0)
		found.text = mailing->execution->email;
	else if (of_event)
		found.value =
		    rule_properties_get(mailing_read_event(lookup), name + strlen(EVENT_PREFIX));
	else if (!mailing_find_result(lookup, name, &found.value) && strcmp(name, UNSUBSCRIBE) != 0)
		found = find_of_contact(lookup, name);
	return found;
}

/* Writes the value of a path: that of the contact, or, behind "event.", of the event. */
static void
write_found(struct json_writer *writer, const char *key, const char *path, struct lookup *lookup)
{
	const struct content_variables_found found = mailing_find_value(path, lookup);

	if (found.text)
		json_writer_string(writer, key, found.text);
	else if (json_kind(found.value) == JSON_ARRAY)
		json_writer_value(writer, key, found.value);
	else
		write_scalar(writer, key, found.value);
}

/* The variables of a published template. */
static struct json *
mailing_read_variables(struct lookup *lookup)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(lookup->mailing->email->variables);
	const struct json *value;
	const char *name;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &value)) {
		const char *path = json_string(json_member_get(value, "var"), NULL);

		if (path)
			write_found(writer, name, path, lookup);
		else
			write_scalar(writer, name, value);
	}
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse(text, strlen(text), NULL);
}

static bool
is_mailing(const struct automation_node_email *email)
{
	return !email->is_transactional || email->topic_id;
}

/* Whether the contact would not get the email anyway. snoozed_r: as of automation_mailing_draft. */
static bool
is_suppressed(const struct automation_mailing *mailing, gint64 *snoozed_r)
{
	const struct store_execution *e = mailing->execution;
	g_autofree char *address = person_contact_address(e->email, NULL);
	bool suppressed = false, mails = is_mailing(mailing->email);

	return address &&
	       person_suppress_match(mailing->batch->service, &e->workspace_id,
		   &(struct person_suppress_search){(const char *const *)&address, 1, mails, NULL},
		   &suppressed, mails ? snoozed_r : NULL, NULL) &&
	       (suppressed || *snoozed_r);
}

/* The rules of sending that the design gives; NULL: none. */
static char *
mailing_print_sending(const struct automation_mailing *mailing)
{
	const struct sending_own own = {
	    *mailing->hours, mailing->email->ignores_cap, mailing->email->priority};

	return sending_own_print(&own);
}

static bool
mailing_add(const struct automation_mailing *mailing, struct email_draft *draft, GError **error)
{
	const struct store_execution *e = mailing->execution;
	const struct store_sent_email sent = {
	    .email_id = draft->email->id,
	    .workspace_id = e->workspace_id,
	    .workflow_id = e->workflow_id,
	    .execution_id = e->id,
	    .contact_id = e->contact_id,
	    .step_id = g_string_chunk_insert(mailing->batch->texts, e->step_id),
	    .depth = e->depth,
	};

	if (mailing->has_endings && store_email_is_mailing(draft->email))
		draft->email->tracking |= TRACK_ENDS;
	draft->email->step_id = g_strdup(e->step_id);
	if (store_email_is_mailing(draft->email))
		draft->email->sending = mailing_print_sending(mailing);
	return automation_batch_email(mailing->batch, draft, &sent, error);
}

static enum email_purpose
mailing_purpose(const struct automation_mailing *mailing)
{
	if (mailing->email->is_transactional)
		return mailing->compat_tests ? EMAIL_PURPOSE_COMPAT_STEP : EMAIL_PURPOSE_STEP;
	return mailing->compat_tests ? EMAIL_PURPOSE_COMPAT_STEP_MAILING
				     : EMAIL_PURPOSE_STEP_MAILING;
}

bool
automation_mailing_draft(
    const struct automation_mailing *mailing, gint64 *snoozed_r, GError **error)
{
	const struct automation_node_email *email = mailing->email;
	const struct store_execution *e = mailing->execution;
	struct lookup lookup = {.mailing = mailing};
	const char *to[] = {e->email, NULL};
	AUTO(json) variables = NULL;
	AUTO(json) headers = NULL;
	g_autofree char *sender = NULL;
	GError *failure = NULL;

	*snoozed_r = 0;
	if (!email->from &&
	    !store_workspace_sender(mailing->batch->service->db, &e->workspace_id, &sender, error))
		return false;
	if (mailing->answers && !automation_answer_headers(mailing->batch->service,
				    &e->workspace_id, mailing_read_event(&lookup), &headers, error))
		return false;
	if (email->published)
		variables = mailing_read_variables(&lookup);
	const struct email_submission submission = {
	    .purpose = mailing_purpose(mailing),
	    .from = email->from	       ? email->from
		    : email->published ? NULL
		    : sender	       ? sender
				       : "",
	    .default_from = sender,
	    .to = to,
	    .reply_to = email->reply_to,
	    .subject = email->subject,
	    .html = email->html,
	    .text = email->text,
	    .template_id = email->template_id,
	    .published = email->published,
	    .variables = variables,
	    .headers = headers,
	    .resolve = mailing_find_value,
	    .resolve_context = &lookup,
	    .topic_id = email->topic_id,
	    .workflow = &e->workflow_id,
	};
	struct email_draft *draft =
	    email_draft_new(mailing->batch->service, &e->workspace_id, &submission, &failure);
	g_clear_pointer(&lookup.defaults, json_free);
	g_clear_pointer(&lookup.person, store_person_free);
	if (draft && !lookup.failure && draft->count > 0)
		return mailing_add(mailing, draft, error);
	if (draft)
		*snoozed_r = draft->snoozed[0];
	g_clear_pointer(&draft, email_draft_free);
	if (lookup.failure) {
		g_clear_error(&failure);
		g_propagate_error(error, lookup.failure);
		return false;
	}
	if (failure && is_suppressed(mailing, snoozed_r))
		g_clear_error(&failure);
	if (!failure)
		return true;
	g_propagate_error(error, failure);
	return false;
}

struct automation_mailing_lookup {
	struct lookup lookup;
};

struct automation_mailing_lookup *
automation_mailing_lookup_new(const struct automation_mailing *mailing)
{
	struct automation_mailing_lookup *lookup = g_new0(struct automation_mailing_lookup, 1);

	lookup->lookup.mailing = mailing;
	return lookup;
}

void
automation_mailing_lookup_free(struct automation_mailing_lookup *lookup)
{
	g_clear_pointer(&lookup->lookup.defaults, json_free);
	g_clear_pointer(&lookup->lookup.person, store_person_free);
	g_clear_error(&lookup->lookup.failure);
	g_free(lookup);
}

struct content_variables_found
automation_mailing_find(const char *name, void *lookup)
{
	return mailing_find_value(name, &((struct automation_mailing_lookup *)lookup)->lookup);
}

bool
automation_mailing_lookup_done(struct automation_mailing_lookup *lookup, GError **error)
{
	if (!lookup->lookup.failure)
		return true;
	g_propagate_error(error, g_steal_pointer(&lookup->lookup.failure));
	return false;
}
