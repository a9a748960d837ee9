/* SPDX-License-Identifier: MIT */
/* Makes, changes and removes people, each in one transaction. */
#include "automation/person.h"

#include <string.h>

#include "rule/properties.h"
#include "base/clock.h"
#include "consent/consent.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "person/contact.h"
#include "person/person.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/feedback.h"
#include "store/automation/own.h"
#include "store/consent/choice_part.h"
#include "store/person/contact.h"
#include "store/person/membership.h"
#include "store/person/people.h"
#include "store/webhook/enqueue.h"
#include "text/language.h"

struct work {
	struct service *service;
	const struct base_id *workspace;
	const char *address, *email;
	const struct automation_person_data *data;
	struct store_person *person; /* the result */
	guint cancelled;	     /* executions */
};

bool
automation_person_check(struct service *service, const struct base_id *workspace,
    const struct automation_person_data *data, GError **error)
{
	const struct person_contact_fields names = {NULL, data->first_name, data->last_name};
	char *address;

	return person_contact_check(&names, &address, error) &&
	       person_check_language(data->language, error) &&
	       person_check_time_zone(data->time_zone, error) &&
	       person_check_properties(service, workspace, data->properties, error);
}

/* Merges the properties of the request into those of the person. */
static bool
person_merge(struct store_person *person, const struct json *patch, GError **error)
{
	if (json_member_count(patch) == 0)
		return true;
	AUTO(json) now =
	    json_parse_as("properties", person->properties, strlen(person->properties), error);
	if (!now)
		return false;
	g_autofree char *merged = rule_properties_merge(now, patch);
	if (!person_check_size(merged, error))
		return false;
	AUTO(json) then = json_parse_as("properties", merged, strlen(merged), error);
	if (!then)
		return false;
	g_free(person->properties);
	person->properties = g_steal_pointer(&merged);
	return true;
}

static void
automation_person_set(char **slot, bool given, const char *text)
{
	if (!given)
		return;
	g_free(*slot);
	*slot = g_strdup(text);
}

static bool
person_lay_over(
    struct store_person *person, const struct automation_person_data *data, GError **error)
{
	g_autofree char *language = text_language_standard(data->language);

	automation_person_set(&person->first_name, data->first_name_given, data->first_name);
	automation_person_set(&person->last_name, data->last_name_given, data->last_name);
	automation_person_set(&person->language, data->language_given, language);
	automation_person_set(&person->time_zone, data->time_zone_given, data->time_zone);
	return person_merge(person, data->properties, error);
}

/* Reads the person after all changes into the result. */
static bool
person_finish(struct db *db, struct work *work, GError **error)
{
	g_clear_pointer(&work->person, store_person_free);
	work->person = store_people_get(db, work->workspace, work->address, error);
	return work->person != NULL;
}

/* Changes the consent that the request names. A new person has left what its address has left. */
static bool
consent(struct db *db, const struct work *work, bool is_new, GError **error)
{
	const struct automation_person_data *data = work->data;
	const char *address = work->address;

	if (data->subscribed_given
		? !consent_subscribe(db, work->service,
		      &(struct consent_subject){
			  work->workspace, address, data->act, data->override},
		      data->subscribed, error)
		: is_new && !consent_flag(db, work->service, work->workspace, &address, 1, error))
		return false;
	return data->topic_count == 0 || consent_topics(db, work->service,
					     &(struct consent_subject){work->workspace,
						 work->address, data->act, data->override},
					     data->topics, data->topic_count, error);
}

static bool
person_create(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(store_person) person = g_new0(struct store_person, 1);

	person->workspace_id = *work->workspace;
	person->email = g_strdup(work->email);
	person->address = g_strdup(work->address);
	person->properties = g_strdup("{}");
	person->is_subscribed = !work->data->subscribed_given || work->data->subscribed;
	person->agreed = person->is_subscribed ? AGREEMENT_SAID : AGREEMENT_NONE;
	return person_lay_over(person, work->data, error) &&
	       store_people_insert(db, person, error) &&
	       store_own_people_created(db, work->workspace, &person->id, 1,
		   work->data->act ? work->data->act->source : CONSENT_BY_API, error) &&
	       consent(db, work, true, error) &&
	       store_webhook_enqueue_person(
		   db, work->workspace, work->address, WEBHOOK_PERSON_CREATED, 0, error) &&
	       person_finish(db, work, error);
}

struct store_person *
automation_person_create(struct service *service, const struct base_id *workspace,
    const char *email, const struct automation_person_data *data, GError **error)
{
	g_autofree char *address = person_contact_recipient(email, error);
	struct work work = {.service = service,
	    .workspace = workspace,
	    .address = address,
	    .email = email,
	    .data = data};

	if (!address || !automation_person_check(service, workspace, data, error))
		return NULL;
	if (!db_transact(service->db, person_create, &work, error))
		g_clear_pointer(&work.person, store_person_free);
	return work.person;
}

/* The normal form of an email; NULL with NOT_FOUND when it is no address. The caller owns it. */
static char *
person_find_address(const char *email, GError **error)
{
	char *address = person_contact_address(email, NULL);

	if (!address)
		store_people_missing(error);
	return address;
}

/* Changes a person's own data. */
static bool
change_data(struct db *db, struct store_person *person, const struct automation_person_data *data,
    GError **error)
{
	g_autofree char *first = g_strdup(person->first_name), *last = g_strdup(person->last_name);
	g_autofree char *properties = g_strdup(person->properties);

	if (!person_lay_over(person, data, error) || !store_people_change(db, person, error))
		return false;
	guint changed = (g_strcmp0(first, person->first_name) != 0 ? CHANGED_FIRST_NAME : 0) |
			(g_strcmp0(last, person->last_name) != 0 ? CHANGED_LAST_NAME : 0);
	bool is_other = changed != 0 || strcmp(properties, person->properties) != 0;
	return store_membership_tell_names(
		   db, &person->workspace_id, person->address, NULL, changed, error) &&
	       (!is_other || store_webhook_enqueue_person(db, &person->workspace_id,
				 person->address, WEBHOOK_PERSON_UPDATED, 0, error));
}

bool
automation_person_rename(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct json *names, GError **error)
{
	const struct automation_person_data data = {
	    .first_name = json_string(json_member_get(names, "first_name"), NULL),
	    .last_name = json_string(json_member_get(names, "last_name"), NULL),
	    .first_name_given = json_member_has(names, "first_name"),
	    .last_name_given = json_member_has(names, "last_name"),
	};
	AUTO(store_person) person = store_people_get_id(db, workspace, id, error);

	return person && change_data(db, person, &data, error);
}

static bool
person_change(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	const struct automation_person_data *data = work->data;
	AUTO(store_person) person = store_people_lock(db, work->workspace, work->address, error);

	if (!person || !change_data(db, person, data, error) || !consent(db, work, false, error))
		return false;
	/* Consent alone changes more of the row. */
	if (data->subscribed_given || data->topic_count > 0)
		return person_finish(db, work, error);
	g_clear_pointer(&work->person, store_person_free);
	work->person = g_steal_pointer(&person);
	return true;
}

struct store_person *
automation_person_change(struct service *service, const struct base_id *workspace,
    const char *email, const struct automation_person_data *data, GError **error)
{
	g_autofree char *address = NULL;
	struct work work = {.service = service, .workspace = workspace, .data = data};

	if (!automation_person_check(service, workspace, data, error) ||
	    !(address = person_find_address(email, error)))
		return NULL;
	work.address = address;
	if (!db_transact(service->db, person_change, &work, error))
		g_clear_pointer(&work.person, store_person_free);
	return work.person;
}

static bool
person_remove(struct db *db, const struct store_person *person, const struct store_consent_act *act,
    guint *cancelled_r, GError **error)
{
	const struct base_id *workspace = &person->workspace_id;
	const char *address = person->address;

	return store_webhook_enqueue_person(
		   db, workspace, address, WEBHOOK_PERSON_DELETED, 0, error) &&
	       store_choice_part_forget(db, workspace, address, error) &&
	       store_contact_remove_all(db, workspace, address, act, error) &&
	       store_execution_cancel_contact(
		   db, &person->id, base_clock_now(), cancelled_r, error) &&
	       store_automation_feedback_forget(db, &person->id, error) &&
	       store_person_remove(db, workspace, &person->id, false, error);
}

bool
automation_person_remove_by(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_consent_act *act, guint *cancelled_r,
    GError **error)
{
	AUTO(store_person) person = store_people_get_id(db, workspace, id, error);

	return person && person_remove(db, person, act, cancelled_r, error);
}

static bool
person_remove_one(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(store_person) person = store_people_lock(db, work->workspace, work->address, error);

	return person && person_remove(db, person, work->data->act, &work->cancelled, error);
}

bool
automation_person_remove(struct service *service, const struct base_id *workspace,
    const char *email, const struct store_consent_act *act, GError **error)
{
	g_autofree char *address = person_find_address(email, error);
	const struct automation_person_data data = {.act = act};
	struct work work = {
	    .service = service, .workspace = workspace, .address = address, .data = &data};

	if (!address || !db_transact(service->db, person_remove_one, &work, error))
		return false;
	if (work.cancelled > 0)
		service_metrics_add(METRIC_EXECUTIONS_ENDED, work.cancelled, "cancelled", NULL);
	return true;
}

struct store_person *
automation_person_get(
    struct service *service, const struct base_id *workspace, const char *email, GError **error)
{
	g_autofree char *address = person_find_address(email, error);

	return address ? store_people_get(service->db, workspace, address, error) : NULL;
}
