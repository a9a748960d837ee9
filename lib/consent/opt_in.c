/* SPDX-License-Identifier: MIT */
/* Stores memberships that wait, and confirms them. */
#include "consent/opt_in.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "json/merge.h"
#include "json/strict.h"
#include "json/writer.h"
#include "link/token.h"
#include "person/choose.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/automation/own.h"
#include "store/consent/confirmation.h"
#include "store/consent/opt_in.h"
#include "store/person/contact.h"
#include "store/person/membership.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"
#include "submit/submit.h"

bool
consent_opt_in_begin(struct db *db, const struct store_confirmation *confirmation,
    const struct store_consent_act *act, GError **error)
{
	const struct store_consent_about about = {
	    .contact = &confirmation->contact_id, .audience = &confirmation->audience_id};

	return store_confirmation_insert(db, confirmation, error) &&
	       store_consent_record(db,
		   &(struct store_consent_change){&confirmation->workspace_id,
		       confirmation->address, CONSENT_PENDING, &about, act},
		   error);
}

/* Work on one contact and its mail. */
struct work {
	struct service *service;
	struct store_contact *contact;
	const struct store_consent_act *act;
	const struct base_id *id; /* of the confirmation */
	struct submit_sending *mail;
};

static bool
opt_in_wait_for(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	struct store_contact *contact = work->contact;

	if (!store_contact_insert(db, contact, error))
		return false;
	const struct store_confirmation confirmation = {
	    .id = *work->id,
	    .workspace_id = contact->workspace_id,
	    .audience_id = contact->audience_id,
	    .contact_id = contact->id,
	    .address = contact->address,
	    .given = (char *)"{}",
	    .created = contact->created,
	};
	return consent_opt_in_begin(db, &confirmation, work->act, error) &&
	       store_webhook_enqueue_contact(
		   db, &contact->workspace_id, &contact->id, WEBHOOK_CONTACT_CREATED, 0, error) &&
	       consent_opt_in_store(work->service, work->mail, error);
}

static void
free_mail(struct submit_sending *mail)
{
	if (mail)
		service_once_free(&mail->request);
}

/* Composes the mail of a contact. */
static struct submit_sending *
opt_in_compose(struct service *service, const struct store_contact *contact,
    const struct base_id *id, bool claim, GError **error)
{
	AUTO(store_opt_in)
	opt_in =
	    store_opt_in_get(service->db, &contact->workspace_id, &contact->audience_id, error);
	const struct consent_opt_in_mail mail = {.workspace = &contact->workspace_id,
	    .opt_in = opt_in,
	    .to = contact->email,
	    .id = id,
	    .address = contact->address,
	    .first_name = contact->first_name,
	    .last_name = contact->last_name};

	return opt_in ? consent_opt_in_compose(service, &mail, claim, error) : NULL;
}

/* Runs a transaction that stores the mail, which the caller gets if mail_r is given. */
static bool
store_with(struct service *service, db_body body, struct work *work, struct submit_sending **mail_r,
    GError **error)
{
	GError *failure = NULL;

	if (db_transact(service->db, body, work, &failure)) {
		if (mail_r)
			*mail_r = work->mail;
		else
			free_mail(work->mail);
		return true;
	}
	consent_opt_in_failed(service, work->mail, failure);
	free_mail(work->mail);
	g_propagate_error(error, failure);
	return false;
}

bool
consent_opt_in_wait(struct service *service, struct store_contact *contact,
    const struct store_consent_act *act, struct submit_sending **mail_r, GError **error)
{
	struct base_id id = base_id_new();
	struct work work = {service, contact, act, &id, NULL};

	contact->is_subscribed = false;
	contact->is_pending = true;
	work.mail = opt_in_compose(service, contact, &id, mail_r != NULL, error);
	return work.mail && store_with(service, opt_in_wait_for, &work, mail_r, error);
}

/* The membership that the confirmation is about; NULL: it is gone. */
static const struct store_membership *
opt_in_find_membership(const GPtrArray *memberships, const struct base_id *contact)
{
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];

		if (base_id_equal(&now->contact_id, contact))
			return now;
	}
	return NULL;
}

/* A mail that is sent again. */
struct again {
	struct work work;
	bool pending;
	gint64 wait_ms; /* 0: it may be sent */
};

/* A link that is void is replaced by a new one. */
static bool
opt_in_renew(struct db *db, struct store_confirmation *confirmation, gint64 now, GError **error)
{
	confirmation->id = base_id_new();
	confirmation->created = now;
	confirmation->used = 0;
	return store_confirmation_insert(db, confirmation, error);
}

/* Marks the newest confirmation of the contact, and makes its mail. */
static bool
mark_again(struct db *db, struct again *again, GError **error)
{
	const struct store_contact *contact = again->work.contact;
	struct store_confirmation *found;
	gint64 now = base_clock_now();

	if (!store_confirmation_of_contact(db, &contact->workspace_id, &contact->id, &found, error))
		return false;
	AUTO(store_confirmation) confirmation = found;
	again->pending = confirmation != NULL;
	if (!confirmation)
		return true;
	again->wait_ms = MAX(confirmation->resent + LIMIT_CONFIRM_AGAIN_MS - now, 0);
	if (again->wait_ms > 0)
		return true;
	if (confirmation->used && !opt_in_renew(db, confirmation, now, error))
		return false;
	confirmation->resent = now;
	free_mail(again->work.mail);
	again->work.mail =
	    opt_in_compose(again->work.service, contact, &confirmation->id, true, error);
	return again->work.mail && store_confirmation_mark(db, confirmation, error) &&
	       consent_opt_in_store(again->work.service, again->work.mail, error);
}

static bool
send_again(struct db *db, void *context, GError **error)
{
	struct again *again = context;
	const struct store_contact *contact = again->work.contact;
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, &contact->workspace_id, contact->address, true, error);

	if (!memberships)
		return false;
	const struct store_membership *now = opt_in_find_membership(memberships, &contact->id);
	again->pending = now && now->pending;
	again->wait_ms = 0;
	return !again->pending || mark_again(db, again, error);
}

bool
consent_opt_in_again(struct service *service, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *contact, struct submit_sending **mail_r,
    gint64 *wait_ms_r, GError **error)
{
	AUTO(store_contact) found =
	    store_contact_get(service->db, workspace, audience, contact, error);
	struct again again = {.work = {.service = service, .contact = found}};
	GError *failure = NULL;

	if (!found)
		return false;
	bool done = db_transact(service->db, send_again, &again, &failure);
	if (!done && again.work.mail)
		consent_opt_in_failed(service, again.work.mail, failure);
	*wait_ms_r = again.wait_ms;
	if (done && again.pending && again.wait_ms == 0) {
		*mail_r = again.work.mail;
		return true;
	}
	free_mail(again.work.mail);
	if (done && !again.pending)
		return base_fail(error, PH_ERROR_CONFLICT, "Contact is not pending");
	if (done)
		return base_fail(
		    error, PH_ERROR_LIMITED, "The confirmation was sent less than an hour ago");
	g_propagate_error(error, failure);
	return false;
}

void
consent_opt_in_view_free(struct consent_opt_in_view *view)
{
	g_free(view->address);
	g_free(view->audience);
	g_free(view->language);
	g_free(view);
}

static enum consent_opt_in_state
opt_in_state_of(const struct store_membership *now, const struct store_confirmation *confirmation)
{
	if (now->pending && now->pending <= confirmation->created && !confirmation->used)
		return OPT_IN_WAITS;
	return now->is_subscribed ? OPT_IN_DONE : OPT_IN_OVER;
}

static bool
opt_in_not_found(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
}

static struct consent_opt_in_view *
view_of(struct service *service, const struct store_confirmation *confirmation,
    const struct store_membership *now, GError **error)
{
	AUTO(consent_opt_in_view) view = g_new0(struct consent_opt_in_view, 1);
	AUTO(store_opt_in)
	opt_in = store_opt_in_get(
	    service->db, &confirmation->workspace_id, &confirmation->audience_id, error);

	if (!opt_in || !store_person_language(service->db, &confirmation->workspace_id,
			   confirmation->address, &view->language, error))
		return NULL;
	view->workspace_id = confirmation->workspace_id;
	view->address = g_strdup(confirmation->address);
	view->audience = g_steal_pointer(&opt_in->audience);
	view->by_link = opt_in->by_link;
	view->state = opt_in_state_of(now, confirmation);
	return g_steal_pointer(&view);
}

static bool
opt_in_read_token(
    const struct service *service, const char *text, struct link_token *token_r, GError **error)
{
	return link_token_read(
		   config_settings_secret(service->settings), TOKEN_CONFIRM, text, NULL, token_r) ||
	       opt_in_not_found(error);
}

struct consent_opt_in_view *
consent_opt_in_look(struct service *service, const char *text, GError **error)
{
	struct link_token token;

	if (!opt_in_read_token(service, text, &token, error))
		return NULL;
	AUTO(store_confirmation)
	confirmation = store_confirmation_get(service->db, &token.email, false, error);
	g_autoptr(GPtrArray) memberships =
	    confirmation ? store_membership_list(service->db, &confirmation->workspace_id,
			       confirmation->address, false, error)
			 : NULL;
	if (!memberships)
		return NULL;
	const struct store_membership *now =
	    opt_in_find_membership(memberships, &confirmation->contact_id);
	if (now)
		return view_of(service, confirmation, now, error);
	opt_in_not_found(error);
	return NULL;
}

/* Wants the topics that were given, as far as they are there. */
static bool
take_topics(
    struct db *db, const struct person_chooser *chooser, const struct json *given, GError **error)
{
	gsize count = given ? json_array_length(given) : 0;
	struct base_id id;
	bool changed;

	if (count == 0)
		return true;
	g_autoptr(GPtrArray) topics =
	    store_topic_choices(db, chooser->workspace, chooser->key, error);
	for (gsize k = 0; topics && k < count; k++)
		for (guint i = 0; i < topics->len; i++) {
			const struct store_topic_choice *now = topics->pdata[i];

			if (base_id_parse(json_string(json_array_at(given, k), NULL), &id) &&
			    base_id_equal(&id, &now->topic.id) &&
			    !person_choose_topic(db, chooser, now, true, &changed, error))
				return false;
		}
	return topics != NULL;
}

/* The names that the person gets, and has not; of enum store_webhook_changed. */
static guint
opt_in_new_names(const struct store_person *known, const struct store_person_names *given)
{
	const char *first = known ? known->first_name : NULL;
	const char *last = known ? known->last_name : NULL;

	return (given->first_name && g_strcmp0(given->first_name, first) != 0 ? CHANGED_FIRST_NAME
									      : 0) |
	       (given->last_name && g_strcmp0(given->last_name, last) != 0 ? CHANGED_LAST_NAME : 0);
}

/* The changes of a person who takes the names and properties that waited. */
struct taken {
	guint names;   /* of enum store_webhook_changed */
	bool is_other; /* a name, or a property */
};

/* Whether a merge patch changes the properties of a person; NULL: nobody is known. */
static bool
opt_in_changes(const struct store_person *known, const struct json *patch)
{
	AUTO(json) before =
	    known ? json_parse(known->properties, strlen(known->properties), NULL) : NULL;
	g_autofree char *merged = json_merge(before, patch, false);
	g_autofree char *same = json_merge(before, NULL, false);

	return strcmp(merged, same) != 0;
}

/* Takes the names and properties that waited. */
static bool
opt_in_take_data(struct db *db, const struct person_chooser *chooser, const struct json *given,
    struct taken *taken_r, GError **error)
{
	const char *email = json_string(json_member_get(given, "email"), NULL);
	const struct json *properties = json_member_get(given, "properties");
	const struct store_person_names names = {.address = chooser->key->address,
	    .email = email,
	    .first_name = json_string(json_member_get(given, "first_name"), NULL),
	    .last_name = json_string(json_member_get(given, "last_name"), NULL),
	    .time = base_clock_now()};
	g_autofree char *merged = properties ? json_print(properties) : NULL;
	struct store_person *found;

	if (!store_person_lock(db, chooser->workspace, chooser->key->address, &found, error))
		return false;
	AUTO(store_person) known = found;
	taken_r->names = email ? opt_in_new_names(known, &names) : 0;
	taken_r->is_other =
	    taken_r->names != 0 || (properties && opt_in_changes(known, properties));
	return (!email ||
		   store_person_put(db, PERSON_GIVE, chooser->workspace, &names, 1, error)) &&
	       (!merged || store_person_merge(
			       db, chooser->workspace, chooser->key->address, merged, error));
}

bool
consent_opt_in_take(
    struct db *db, const struct person_chooser *chooser, const char *text, GError **error)
{
	AUTO(json) given = json_parse(text, strlen(text), NULL);
	struct taken taken;

	return opt_in_take_data(db, chooser, given, &taken, error) &&
	       take_topics(db, chooser, json_member_get(given, "topics"), error);
}

static void
opt_in_write_id(struct json_writer *writer, const char *key, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, base_id_format(id, text));
}

static void
opt_in_write_json(struct json_writer *writer, const char *key, const struct json *value)
{
	g_autofree char *text = json_print(value);

	json_writer_raw(writer, key, text, strlen(text));
}

/* Writes the names and properties beside one another. */
static void
opt_in_write_given(struct json_writer *writer, const struct json *given)
{
	static const char *const names[] = {"first_name", "last_name"};
	struct json_iterator properties = json_members(json_member_get(given, "properties"));
	const struct json *value;
	const char *key;

	json_writer_begin_object(writer, "fields");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if ((value = json_member_get(given, names[i])))
			opt_in_write_json(writer, names[i], value);
	while (json_iterator_next(&properties, &key, &value))
		opt_in_write_json(writer, key, value);
	json_writer_end_object(writer);
}

bool
consent_opt_in_tell_form(struct db *db, const struct person_chooser *chooser,
    const struct base_id *form, const struct base_id *audience, const char *given, GError **error)
{
	AUTO(json) json = json_parse(given, strlen(given), NULL);
	const struct json *topics = json_member_get(json, "topics");
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	opt_in_write_id(writer, "form_id", form);
	opt_in_write_id(writer, "audience_id", audience);
	opt_in_write_given(writer, json);
	if (topics)
		opt_in_write_json(writer, "topics", topics);
	else
		json_writer_raw(writer, "topics", "[]", 2);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return store_own_form_submitted(db, chooser->workspace, chooser->key->address, text, error);
}

/* A confirmation by its person. */
struct confirming {
	struct service *service;
	const struct base_id *id;
	const char *ip, *user_agent;
};

static bool
opt_in_subscribe(struct db *db, const struct person_chooser *chooser,
    const struct store_membership *now, struct store_confirmation *confirmation, GError **error)
{
	const struct store_consent_about about = {
	    .contact = &now->contact_id, .audience = &now->audience_id};
	struct store_consent_turn turn = {
	    .subscribed = true, .author = CONSENT_OF_PERSON, .source = CONSENT_BY_CONFIRMATION};
	const char *text = confirmation->given;
	AUTO(json) given = json_parse(text, strlen(text), NULL);
	struct taken taken;

	confirmation->used = base_clock_now();
	if (!store_own_confirm(db, chooser->workspace, chooser->key->address,
		(enum store_consent_source)now->source, error) ||
	    !person_choose_open(db, chooser, &about, error) ||
	    !opt_in_take_data(db, chooser, given, &taken, error))
		return false;
	turn.names = taken.names;
	return (!taken.is_other || store_webhook_enqueue_person(db, chooser->workspace,
				       chooser->key->address, WEBHOOK_PERSON_UPDATED, 0, error)) &&
	       store_membership_tell_names(db, chooser->workspace, chooser->key->address,
		   &now->contact_id, turn.names, error) &&
	       store_membership_set(db, chooser->workspace, now, &turn, error) &&
	       store_own_contact_confirmed(db, chooser->workspace, &now->contact_id,
		   confirmation->has_form ? &confirmation->form_id : NULL, error) &&
	       store_consent_record(db,
		   &(struct store_consent_change){chooser->workspace, chooser->key->address,
		       CONSENT_CONFIRMED, &about, chooser->act},
		   error) &&
	       take_topics(db, chooser, json_member_get(given, "topics"), error) &&
	       (!confirmation->has_form ||
		   consent_opt_in_tell_form(db, chooser, &confirmation->form_id,
		       &confirmation->audience_id, confirmation->given, error)) &&
	       store_confirmation_mark(db, confirmation, error);
}

/* Locks the choice before the membership (store/consent/choice.h). */
static bool
opt_in_confirm(struct db *db, void *context, GError **error)
{
	const struct confirming *confirming = context;
	AUTO(store_confirmation)
	confirmation = store_confirmation_get(db, confirming->id, true, error);
	struct store_choice choice;

	if (!confirmation)
		return false;
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(
	    confirming->service, (const char *const *)&confirmation->address, 1);
	const struct store_consent_act act = {.source = CONSENT_BY_CONFIRMATION,
	    .author = CONSENT_OF_PERSON,
	    .form = confirmation->has_form ? &confirmation->form_id : NULL,
	    .ip = confirming->ip,
	    .user_agent = confirming->user_agent};
	const struct person_chooser chooser = {
	    &confirmation->workspace_id, person_suppress_key(keys, 0), &act, false, NULL};
	if (!store_choice_find(db, chooser.workspace, chooser.key, NULL, &choice, error))
		return false;
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, chooser.workspace, chooser.key->address, true, error);
	if (!memberships)
		return false;
	const struct store_membership *now =
	    opt_in_find_membership(memberships, &confirmation->contact_id);
	if (!now)
		return opt_in_not_found(error);
	return opt_in_state_of(now, confirmation) != OPT_IN_WAITS ||
	       opt_in_subscribe(db, &chooser, now, confirmation, error);
}

struct consent_opt_in_view *
consent_opt_in_confirm(struct service *service, const char *text, const char *ip,
    const char *user_agent, GError **error)
{
	struct link_token token;
	struct confirming confirming = {service, &token.email, ip, user_agent};

	return opt_in_read_token(service, text, &token, error) &&
		       db_transact(service->db, opt_in_confirm, &confirming, error)
		   ? consent_opt_in_look(service, text, error)
		   : NULL;
}
