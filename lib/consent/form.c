/* SPDX-License-Identifier: MIT */
/* Checks forms, and takes their submissions. A stranger may submit any address. So a submission
   changes nobody's data: what it brings waits until the person confirms it. */
#include "consent/form.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/secret.h"
#include "config/settings.h"
#include "consent/opt_in.h"
#include "db/transaction.h"
#include "email/draft.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/choose.h"
#include "person/contact.h"
#include "person/person.h"
#include "person/suppress.h"
#include "property/property.h"
#include "service/service.h"
#include "store/automation/own.h"
#include "store/consent/confirmation.h"
#include "store/consent/form.h"
#include "store/consent/opt_in.h"
#include "store/person/contact.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"
#include "submit/submit.h"
#include "text/hostname.h"
#include "text/network.h"

static bool
form_is_new(const char *const *texts, guint i)
{
	for (guint k = 0; k < i; k++)
		if (g_ascii_strcasecmp(texts[k], texts[i]) == 0)
			return false;
	return true;
}

/* Prints each text once; ids may differ in case. */
static char *
print_list(const char *const *texts)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_array(writer, NULL);
	for (guint i = 0; texts && texts[i]; i++)
		if (form_is_new(texts, i))
			json_writer_string(writer, NULL, texts[i]);
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

char *
consent_form_topics(
    struct db *db, const struct base_id *workspace, const char *const *ids, GError **error)
{
	struct base_id id;

	for (guint i = 0; ids && ids[i]; i++) {
		g_autoptr(GError) failure = NULL;
		AUTO(store_topic)
		topic = base_id_parse(ids[i], &id) ? store_topic_get(db, workspace, &id, &failure)
						   : NULL;

		if (topic)
			continue;
		if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
			g_propagate_error(error, g_steal_pointer(&failure));
		else
			base_invalid(error, "Topic not found");
		return NULL;
	}
	return print_list(ids);
}

static const struct store_property *
form_find_property(const GPtrArray *properties, const char *key)
{
	for (guint i = 0; i < properties->len; i++) {
		const struct store_property *property = properties->pdata[i];

		if (strcmp(property->key, key) == 0)
			return property;
	}
	return NULL;
}

static bool
form_is_name(const char *key)
{
	return strcmp(key, "first_name") == 0 || strcmp(key, "last_name") == 0;
}

char *
consent_form_fields(
    struct db *db, const struct base_id *workspace, const char *const *keys, GError **error)
{
	g_autoptr(GPtrArray) properties = store_property_list(db, workspace, error);

	if (!properties)
		return NULL;
	for (guint i = 0; keys && keys[i]; i++)
		if (!form_is_name(keys[i]) && !form_find_property(properties, keys[i])) {
			base_invalid(error,
			    "fields[%u] must be first_name, last_name or the key of a property", i);
			return NULL;
		}
	return print_list(keys);
}

bool
consent_form_check_redirect(const char *url, GError **error)
{
	g_autoptr(GUri) uri = *url ? g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL) : NULL;
	const char *scheme = uri ? g_uri_get_scheme(uri) : "";
	const char *host = uri ? g_uri_get_host(uri) : NULL;

	if (!*url)
		return true;
	if ((strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) || !host || !*host)
		return base_invalid(error, "redirect_url must be an http or https URL");
	g_autofree char *origin = text_hostname_origin(url, true);
	return origin || base_invalid(error,
			     "redirect_url must have a host of letters, digits, dots and hyphens, "
			     "and no user");
}

/* An origin as browsers send it: in lower case, without a final slash and without the port of its
   scheme. NULL for anything else. The caller owns it. */
static char *
form_read_origin(const char *text)
{
	g_autoptr(GUri) uri = g_uri_parse(text, G_URI_FLAGS_ENCODED, NULL);
	g_autofree char *origin = text_hostname_origin(text, true);
	bool bare = origin &&
		    (strcmp(g_uri_get_path(uri), "") == 0 || strcmp(g_uri_get_path(uri), "/") == 0);

	if (!bare || g_uri_get_query(uri) || g_uri_get_fragment(uri))
		return NULL;
	bool is_https = strcmp(g_uri_get_scheme(uri), "https") == 0;
	if (g_uri_get_port(uri) == (is_https ? 443 : 80))
		*strrchr(origin, ':') = '\0';
	return g_ascii_strdown(origin, -1);
}

char *
consent_form_origins(const char *const *origins, GError **error)
{
	g_autoptr(GPtrArray) read = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; origins[i]; i++) {
		char *origin = form_read_origin(origins[i]);

		if (!origin) {
			base_invalid(error,
			    "origins[%u] must be an origin, such as https://www.example.com", i);
			return NULL;
		}
		g_ptr_array_add(read, origin);
	}
	g_ptr_array_add(read, NULL);
	return print_list((const char *const *)read->pdata);
}

const char *
consent_form_allows(const struct store_form *form, const char *origin)
{
	AUTO(json) list = json_parse_any(form->origins, strlen(form->origins), NULL);

	if (json_kind(list) != JSON_ARRAY)
		return "*";
	for (gsize i = 0; i < json_array_length(list); i++)
		if (g_strcmp0(json_string(json_array_at(list, i), NULL), origin) == 0)
			return origin;
	return NULL;
}

char *
consent_form_url(const struct service *service, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	return g_strdup_printf("%s/f/%s",
	    config_settings_text(service->settings, SETTING_SERVICE_URL), base_id_format(id, text));
}

static char *
form_make_url(const void *row, const void *context)
{
	return consent_form_url(context, &((const struct store_form *)row)->id);
}

static struct json_view_value
form_read_redirect(const void *row)
{
	const struct store_form *form = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = *form->redirect_url ? form->redirect_url : NULL};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_form, id),
    {"url", VIEW_TEXT, .make = form_make_url},
    JSON_VIEW_MEMBER("name", VIEW_TEXT, struct store_form, name),
    JSON_VIEW_MEMBER("audience_id", VIEW_ID, struct store_form, audience_id),
    JSON_VIEW_MEMBER("topics", VIEW_JSON, struct store_form, topics),
    JSON_VIEW_MEMBER("fields", VIEW_JSON, struct store_form, fields),
    {"redirect_url", VIEW_MADE, .read = form_read_redirect},
    JSON_VIEW_MEMBER("origins", VIEW_JSON, struct store_form, origins),
    JSON_VIEW_MEMBER("double_opt_in", VIEW_TRUTH, struct store_form, double_opt_in),
    JSON_VIEW_MEMBER("per_network", VIEW_INTEGER, struct store_form, per_network),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_form, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_form, updated),
};
const struct json_view consent_form_view = JSON_VIEW(members);

#define STAMP_PURPOSE "time of a form"
#define STAMP_TAG_SIZE 16

/* A time, and the tag over it and the form. */
struct stamp {
	guint64 time; /* epoch ms, in network order */
	guint8 tag[STAMP_TAG_SIZE];
};

/* The bytes that the tag authenticates. */
struct stamped {
	guint64 time;
	struct base_id form;
};

G_STATIC_ASSERT(sizeof(struct stamp) == sizeof(guint64) + STAMP_TAG_SIZE);
G_STATIC_ASSERT(sizeof(struct stamped) == sizeof(guint64) + sizeof(struct base_id));

char *
consent_form_stamp(const struct service *service, const struct base_id *form)
{
	const struct stamped stamped = {GUINT64_TO_BE((guint64)base_clock_now()), *form};
	struct stamp stamp = {.time = stamped.time};

	base_secret_sign(config_settings_secret(service->settings), STAMP_PURPOSE, &stamped,
	    sizeof(stamped), stamp.tag, sizeof(stamp.tag));
	return base_secret_base64url(&stamp, sizeof(stamp));
}

bool
consent_form_stamp_is_good(
    const struct service *service, const struct base_id *form, const char *text)
{
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	struct stamp stamp;

	if (!bytes || g_bytes_get_size(bytes) != sizeof(stamp))
		return false;
	memcpy(&stamp, g_bytes_get_data(bytes, NULL), sizeof(stamp));
	const struct stamped stamped = {stamp.time, *form};
	gint64 age = base_clock_now() - (gint64)GUINT64_FROM_BE(stamp.time);
	return base_secret_verify(config_settings_secret(service->settings), STAMP_PURPOSE,
		   &stamped, sizeof(stamped), stamp.tag, sizeof(stamp.tag)) &&
	       age >= LIMIT_FORM_AGE_MIN_MS && age <= LIMIT_FORM_AGE_MAX_MS;
}

/* The hash under which uses are counted: kind is "network" or "address". */
static void
hash_who(const struct service *service, const char *kind, const void *data, gsize size,
    guint8 who_r[FORM_WHO_SIZE])
{
	base_secret_sign(
	    config_settings_secret(service->settings), kind, data, size, who_r, FORM_WHO_SIZE);
}

/* Leaves of an address its network: /24 of IPv4, /64 of IPv6. */
static void
form_mask(struct text_network_address *address)
{
	guint kept = address->size == 4 ? 3 : 8;

	memset(address->bytes + kept, 0, sizeof(address->bytes) - kept);
}

bool
consent_form_count(struct service *service, const struct store_form *form, const char *ip,
    gint64 *wait_ms_r, GError **error)
{
	struct text_network_address address = {.size = 0};
	guint8 who[FORM_WHO_SIZE];
	guint use;

	*wait_ms_r = 0;
	if (!ip || !text_network_address(ip, &address))
		return true;
	form_mask(&address);
	hash_who(service, "network of a form", address.bytes, address.size, who);
	if (!store_form_use(service->db, form, who, &use, wait_ms_r, error))
		return false;
	return use <= form->per_network ||
	       base_fail(error, PH_ERROR_LIMITED, "Too many submissions. Please try again later");
}

/* Writes the value of a property, if there is one of its type. */
static void
form_write_property(
    struct json_writer *writer, const struct store_property *property, const char *text)
{
	g_autofree char *value =
	    text && *text ? property_value(property->key, property->type, text, NULL) : NULL;

	if (value && strlen(value) <= LIMIT_PROPERTY_DEFAULT_BYTES)
		json_writer_raw(writer, property->key, value, strlen(value));
}

static void
form_write_name(struct json_writer *writer, const char *key, const char *text)
{
	const struct person_contact_fields fields = {.first_name = text};
	g_autofree char *address = NULL;

	if (text && *text && person_contact_check(&fields, &address, NULL))
		json_writer_string(writer, key, text);
}

/* Writes the topics that the form offers and the person wants. */
static void
form_write_topics(
    struct json_writer *writer, const struct store_form *form, const GPtrArray *wanted)
{
	AUTO(json) offered = json_parse_any(form->topics, strlen(form->topics), NULL);

	json_writer_begin_array(writer, "topics");
	for (gsize i = 0; i < json_array_length(offered); i++) {
		const char *id = json_string(json_array_at(offered, i), NULL);

		for (guint k = 0; k < wanted->len; k++)
			if (g_ascii_strcasecmp(wanted->pdata[k], id) == 0) {
				json_writer_string(writer, NULL, id);
				break;
			}
	}
	json_writer_end_array(writer);
}

/* Writes those of the form's fields that are names (names), or properties. */
static void
form_write_fields(struct json_writer *writer, const struct store_form *form,
    const struct consent_form_entry *entry, const GPtrArray *properties, bool names)
{
	AUTO(json) fields = json_parse_any(form->fields, strlen(form->fields), NULL);

	for (gsize i = 0; i < json_array_length(fields); i++) {
		const char *key = json_string(json_array_at(fields, i), NULL);
		const struct store_property *property = form_find_property(properties, key);
		const char *text = g_hash_table_lookup(entry->values, key);

		if (names && form_is_name(key))
			form_write_name(writer, key, text);
		else if (!names && !form_is_name(key) && property)
			form_write_property(writer, property, text);
	}
}

/* The names, properties and topics that are to wait, as JSON. The caller owns it. */
static char *
given_of(struct service *service, const struct store_form *form,
    const struct consent_form_entry *entry, GError **error)
{
	g_autoptr(GPtrArray) properties =
	    store_property_list(service->db, &form->workspace_id, error);
	AUTO(json_writer) writer = json_writer_new();

	if (!properties)
		return NULL;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "email", entry->email);
	form_write_fields(writer, form, entry, properties, true);
	json_writer_begin_object(writer, "properties");
	form_write_fields(writer, form, entry, properties, false);
	json_writer_end_object(writer);
	form_write_topics(writer, form, entry->topics);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* A submission on its way. */
struct submission {
	struct service *service;
	const struct store_form *form;
	const struct consent_form_entry *entry;
	const char *given;
	const struct base_id *id; /* of the confirmation */
	bool asks;		  /* everybody has to confirm */
	struct submit_sending *mail;
	bool sends; /* the result */
};

static struct store_consent_act
form_act_of(const struct submission *submission)
{
	return (struct store_consent_act){.source = CONSENT_BY_FORM,
	    .author = CONSENT_OF_PERSON,
	    .form = &submission->form->id,
	    .ip = submission->entry->ip,
	    .user_agent = submission->entry->user_agent};
}

/* Counts a mail to the address; *first_r: it is the first one in an hour. */
static bool
count_mail(struct db *db, const struct submission *submission, bool *first_r, GError **error)
{
	const char *address = submission->entry->address;
	guint8 who[FORM_WHO_SIZE];
	gint64 left_ms;
	guint use;

	hash_who(submission->service, "address of a form", address, strlen(address), who);
	bool done = store_form_use(db, submission->form, who, &use, &left_ms, error);
	*first_r = done && use == 1;
	return done;
}

static bool
form_tell_created(struct db *db, const struct submission *submission, const struct base_id *contact,
    GError **error)
{
	return store_webhook_enqueue_contact(
	    db, &submission->form->workspace_id, contact, WEBHOOK_CONTACT_CREATED, 0, error);
}

/* Stores a membership. *id_r: of the contact. */
static bool
form_insert(struct db *db, const struct submission *submission, bool pending, struct base_id *id_r,
    GError **error)
{
	AUTO(store_contact) contact = g_new0(struct store_contact, 1);

	contact->workspace_id = submission->form->workspace_id;
	contact->audience_id = submission->form->audience_id;
	contact->email = g_strdup(submission->entry->email);
	contact->address = g_strdup(submission->entry->address);
	contact->is_subscribed = !pending;
	contact->is_pending = pending;
	contact->source = CONSENT_BY_FORM;
	if (!store_contact_insert(db, contact, error))
		return false;
	*id_r = contact->id;
	return true;
}

/* Stores what waits, and the mail; now NULL: the membership is made for it. */
static bool
store_waiting(struct db *db, struct submission *submission, const struct store_membership *now,
    GError **error)
{
	const struct store_form *form = submission->form;
	const struct store_consent_act act = form_act_of(submission);
	struct store_confirmation confirmation = {
	    .id = *submission->id,
	    .workspace_id = form->workspace_id,
	    .audience_id = form->audience_id,
	    .has_form = true,
	    .form_id = form->id,
	    .address = (char *)submission->entry->address,
	    .given = (char *)submission->given,
	};

	if (now)
		confirmation.contact_id = now->contact_id;
	else if (!form_insert(db, submission, true, &confirmation.contact_id, error) ||
		 !form_tell_created(db, submission, &confirmation.contact_id, error))
		return false;
	/* Not before the membership began to wait. */
	confirmation.created = base_clock_now();
	submission->sends = true;
	return (!now || now->pending ||
		   store_membership_wait(
		       db, &form->workspace_id, &now->contact_id, confirmation.created, error)) &&
	       consent_opt_in_begin(db, &confirmation, &act, error) &&
	       consent_opt_in_store(submission->service, submission->mail, error);
}

/* Asks the person of a membership to confirm, once in an hour. */
static bool
form_ask(struct db *db, struct submission *submission, const struct store_membership *now,
    GError **error)
{
	bool first;

	return count_mail(db, submission, &first, error) &&
	       (!first || store_waiting(db, submission, now, error));
}

/* Subscribes a person who has no membership and has left nothing. A person whom the workspace knows
   keeps names and properties. */
static bool
form_join(struct db *db, const struct submission *submission, const struct person_chooser *chooser,
    GError **error)
{
	struct store_person *known;
	struct base_id contact;

	if (!store_person_lock(db, chooser->workspace, submission->entry->address, &known, error))
		return false;
	AUTO(store_person) person = known;
	return form_insert(db, submission, false, &contact, error) &&
	       (person || consent_opt_in_take(db, chooser, submission->given, error)) &&
	       form_tell_created(db, submission, &contact, error) &&
	       consent_opt_in_tell_form(db, chooser, &submission->form->id,
		   &submission->form->audience_id, submission->given, error);
}

static const struct store_membership *
form_find_membership(const GPtrArray *memberships, const struct base_id *audience)
{
	for (guint i = 0; i < memberships->len; i++) {
		const struct store_membership *now = memberships->pdata[i];

		if (base_id_equal(&now->audience_id, audience))
			return now;
	}
	return NULL;
}

/* Nothing changes for a member, for an address to which nothing may be sent, and for one that has
   had a mail in this hour. */
static bool
form_submit(struct db *db, void *context, GError **error)
{
	struct submission *submission = context;
	const struct store_form *form = submission->form;
	const struct store_consent_act act = form_act_of(submission);
	AUTO(person_suppress_keys)
	keys = person_suppress_keys(submission->service, &submission->entry->address, 1);
	const struct person_chooser chooser = {
	    &form->workspace_id, person_suppress_key(keys, 0), &act, false, NULL};
	struct store_choice choice;

	submission->sends = false;
	if (submission->mail->draft->count == 0)
		return true;
	if (!store_choice_find(
		db, chooser.workspace, chooser.key, &form->audience_id, &choice, error))
		return false;
	g_autoptr(GPtrArray) memberships =
	    store_membership_list(db, chooser.workspace, chooser.key->address, true, error);
	if (!memberships)
		return false;
	const struct store_membership *now = form_find_membership(memberships, &form->audience_id);
	if (now && now->is_subscribed)
		return true;
	return submission->asks || now || choice.all || choice.part
		   ? form_ask(db, submission, now, error)
		   : form_join(db, submission, &chooser, error);
}

/* A name for the mail, if it reads as one. A stranger may have written it, so it must not hold what
   mail programs show as a link. The caller owns it. */
static char *
mail_name_of(const struct consent_form_entry *entry, const char *field)
{
	const char *name = g_hash_table_lookup(entry->values, field);

	return name && !g_regex_match_simple("[/:@\\\\]|\\.\\S|www", name, G_REGEX_CASELESS, 0)
		   ? g_strdup(name)
		   : NULL;
}

/* Composes the mail in the language of the person, else of the browser. */
static struct submit_sending *
form_compose(struct service *service, const struct store_form *form,
    const struct consent_form_entry *entry, const struct store_opt_in *opt_in,
    const struct base_id *id, GError **error)
{
	g_autofree char *first_name = mail_name_of(entry, "first_name");
	g_autofree char *last_name = mail_name_of(entry, "last_name");
	const struct consent_opt_in_mail mail = {.workspace = &form->workspace_id,
	    .opt_in = opt_in,
	    .to = entry->email,
	    .id = id,
	    .address = entry->address,
	    .first_name = first_name,
	    .last_name = last_name,
	    .language = entry->language};

	return consent_opt_in_compose(service, &mail, true, error);
}

/* Runs the transaction; another one may store the same membership meanwhile. */
static bool
form_run(struct submission *submission, GError **error)
{
	g_autoptr(GError) failure = NULL;

	for (guint tries = 1;; tries++) {
		g_clear_error(&failure);
		if (db_transact(submission->service->db, form_submit, submission, &failure))
			return true;
		if (tries < 3 && g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
			continue;
		consent_opt_in_failed(submission->service, submission->mail, failure);
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
}

bool
consent_form_submit(struct service *service, const struct store_form *form,
    const struct consent_form_entry *entry, struct submit_sending **mail_r, GError **error)
{
	struct base_id id = base_id_new();
	AUTO(store_opt_in)
	opt_in = store_opt_in_get(service->db, &form->workspace_id, &form->audience_id, error);
	g_autofree char *given = opt_in ? given_of(service, form, entry, error) : NULL;

	*mail_r = NULL;
	if (!given)
		return false;
	struct submission submission = {.service = service,
	    .form = form,
	    .entry = entry,
	    .given = given,
	    .id = &id,
	    .asks = form->double_opt_in || opt_in->required};
	submission.mail = form_compose(service, form, entry, opt_in, &id, error);
	/* The address is right; so it is the installation that cannot send. */
	if (!submission.mail && error && g_error_matches(*error, PH_ERROR, PH_ERROR_INVALID))
		(*error)->code = PH_ERROR_FAILED;
	if (!submission.mail)
		return false;
	bool done = form_run(&submission, error);
	if (done && submission.sends)
		*mail_r = submission.mail;
	else
		service_once_free(&submission.mail->request);
	return done;
}
