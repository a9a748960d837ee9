/* SPDX-License-Identifier: MIT */
/* Makes the messages of a broadcast's part, each for its person. */
#include "delivery/part.h"

#include <string.h>

#include "content/defaults.h"
#include "content/template_render.h"
#include "content/variables.h"
#include "json/strict.h"
#include "json/value.h"
#include "link/utm.h"
#include "mail/address.h"
#include "person/contact_field.h"
#include "service/service.h"
#include "store/broadcast/part.h"
#include "store/email/email.h"
#include "store/person/person.h"
#include "text/width.h"

#define UNSUBSCRIBE "unsubscribe_url" /* always filled in when it is composed */

struct delivery_part {
	struct store_email *email;
	struct store_broadcast_part *rows;
	struct json *defaults; /* of defined properties, by key */
};

void
delivery_part_free(struct delivery_part *part)
{
	g_clear_pointer(&part->email, store_email_free);
	g_clear_pointer(&part->rows, store_broadcast_part_free);
	g_clear_pointer(&part->defaults, json_free);
	g_free(part);
}

bool
delivery_part_has(const struct delivery_part *part, const struct store_outbox_entry *entry)
{
	return base_id_equal(&part->email->id, &entry->email_id);
}

static bool
part_read_rows(struct service *service, struct delivery_part *part,
    const struct store_outbox_entry *entries, guint count, GError **error)
{
	const struct store_email *email = part->email;
	g_autofree guint *numbers = g_new(guint, count);
	guint found = 0;

	for (guint i = 0; i < count; i++)
		if (delivery_part_has(part, &entries[i]) && entries[i].count > 0)
			numbers[found++] = entries[i].recipients[0];
	part->rows = store_broadcast_part_read(
	    service->db, &email->workspace_id, &email->id, numbers, found, error);
	return part->rows != NULL;
}

/* Gives the email what all messages of the broadcast have. */
static void
part_set_broadcast(struct delivery_part *part)
{
	const struct store_broadcast_part *rows = part->rows;
	struct store_email *email = part->email;
	AUTO(json) utm = rows->utm ? json_parse(rows->utm, strlen(rows->utm), NULL) : NULL;

	email->has_broadcast = true;
	email->broadcast_id = rows->broadcast_id;
	email->variant = rows->variant;
	email->list_id = rows->list_id;
	email->list = g_strdup(rows->list);
	email->sending = g_strdup(rows->sending);
	email->utm = utm ? link_utm_read(utm) : NULL;
}

struct delivery_part *
delivery_part_read(struct service *service, struct store_email *email,
    const struct store_outbox_entry *entries, guint count, GError **error)
{
	AUTO(delivery_part) part = g_new0(struct delivery_part, 1);

	part->email = email;
	if (!store_email_read_contents(service->db, email, error) ||
	    !part_read_rows(service, part, entries, count, error))
		return NULL;
	part_set_broadcast(part);
	part->defaults = content_defaults_read(service->db, &email->workspace_id, error);
	return part->defaults ? g_steal_pointer(&part) : NULL;
}

/* The lookup of one person's variables. */
struct lookup {
	const struct delivery_part *part;
	struct person_contact_texts fields;
	struct json *properties;
};

/* The field that a name in capitals stands for; NULL: none. */
static const char *
part_capital_field(const char *name)
{
	static const char *const fields[][2] = {
	    {"FIRST_NAME", "first_name"}, {"LAST_NAME", "last_name"}, {"EMAIL", "email"}};

	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		if (strcmp(fields[i][0], name) == 0)
			return fields[i][1];
	return NULL;
}

bool
delivery_part_knows(const char *name)
{
	return strcmp(name, UNSUBSCRIBE) == 0 || part_capital_field(name) ||
	       person_contact_field_is_short(name) ||
	       (g_str_has_prefix(name, PERSON_CONTACT_PREFIX) &&
		   person_contact_field_is(name + strlen(PERSON_CONTACT_PREFIX)));
}

static struct content_variables_found
part_find_value(const char *name, void *context)
{
	struct lookup *lookup = context;
	struct content_variables_found found = {0};
	const char *field = part_capital_field(name);

	if (strcmp(name, UNSUBSCRIBE) == 0)
		return found;
	if (g_str_has_prefix(name, PERSON_CONTACT_PREFIX)) {
		found.text =
		    person_contact_field(&lookup->fields, name + strlen(PERSON_CONTACT_PREFIX));
		return found;
	}
	found.value = json_member_find(lookup->properties, name);
	if (!found.value && (field || person_contact_field_is_short(name)))
		found.text = person_contact_field(&lookup->fields, field ? field : name);
	found.is_default = !found.value && !found.text;
	if (found.is_default)
		found.value = json_member_get(lookup->part->defaults, name);
	return found;
}

static bool
resolve_body(struct content_variables *variables, const struct store_email *email,
    enum store_email_part_role role, struct lookup *lookup, GError **error)
{
	const struct store_body *body = store_email_body(email, role);
	gsize size = 0;
	const char *text = body ? g_bytes_get_data(body->data, &size) : NULL;

	return size == 0 ||
	       content_variables_resolve(variables, text, size, part_find_value, lookup, error);
}

static bool
fill_with(struct content_variables *variables, struct store_email *email, struct lookup *lookup,
    GError **error)
{
	if (!content_variables_resolve(variables, email->subject, strlen(email->subject),
		part_find_value, lookup, error) ||
	    !resolve_body(variables, email, PART_HTML, lookup, error) ||
	    !resolve_body(variables, email, PART_TEXT, lookup, error))
		return false;
	g_free(email->variables);
	email->variables = content_variables_print(variables);
	char *subject = content_template_render_subject(email->subject, variables, error);
	if (!subject)
		return false;
	g_free(email->subject);
	email->subject = subject;
	return true;
}

/* Gives an email the person's variables, and the subject filled with them. */
static bool
part_fill_reader(const struct delivery_part *part, const struct store_broadcast_reader *reader,
    struct store_email *email, GError **error)
{
	AUTO(content_variables) variables = content_variables_parse(email->variables, error);
	struct lookup lookup = {.part = part,
	    .fields = {.email = reader->email,
		.first_name = reader->first_name,
		.last_name = reader->last_name,
		.language = reader->language,
		.time_zone = reader->time_zone,
		.subscribed = reader->email ? "true" : NULL}}; /* nobody else gets one */

	if (!variables)
		return false;
	person_contact_field_set_created(&lookup.fields, reader->created);
	lookup.properties = json_parse(reader->properties, strlen(reader->properties), NULL);
	bool done = fill_with(variables, email, &lookup, error);
	g_clear_pointer(&lookup.properties, json_free);
	return done;
}

bool
delivery_part_fill(const GPtrArray *properties, const struct store_person *person,
    struct store_email *email, GError **error)
{
	AUTO(json) defaults = content_defaults_of(properties);
	const struct delivery_part part = {.defaults = defaults};
	const struct store_broadcast_reader reader =
	    person ? (struct store_broadcast_reader){.id = person->id,
			 .email = person->email,
			 .first_name = person->first_name,
			 .last_name = person->last_name,
			 .language = person->language,
			 .time_zone = person->time_zone,
			 .properties = person->properties,
			 .created = person->created}
		   : (struct store_broadcast_reader){.properties = (char *)"{}"};

	return part_fill_reader(&part, &reader, email, error);
}

char *
delivery_part_subject(const GPtrArray *properties, const struct store_person *person,
    const char *subject, const char *variables, GError **error)
{
	g_autoptr(GPtrArray) parts = g_ptr_array_new();
	struct store_email email = {
	    .subject = g_strdup(subject), .variables = g_strdup(variables), .parts = parts};
	bool done = delivery_part_fill(properties, person, &email, error);

	g_free(email.variables);
	if (!done)
		g_clear_pointer(&email.subject, g_free);
	return email.subject;
}

/* The To field: the address with the person's names, which may have line breaks. The caller owns
   it. */
static char *
format_to(const char *address, const struct store_broadcast_reader *reader)
{
	const char *first = reader->first_name ? reader->first_name : "";
	const char *last = reader->last_name ? reader->last_name : "";
	g_autofree char *names = g_strconcat(first, *first && *last ? " " : "", last, NULL);
	g_autofree char *name = text_width_line(names);
	const struct mail_address to = {name, (char *)address};

	return mail_address_format(&to);
}

struct store_email *
delivery_part_email(const struct delivery_part *part, const struct store_outbox_entry *entry,
    struct delivery_part_recipient *recipient_r, GError **fault_r)
{
	guint number = entry->count > 0 ? entry->recipients[0] : G_MAXUINT16;
	const struct store_broadcast_reader *reader =
	    number < part->rows->readers->len ? part->rows->readers->pdata[number] : NULL;
	struct store_email *email = store_email_share(part->email);
	const char *address = store_email_address(email, number);

	*fault_r = NULL;
	*recipient_r = (struct delivery_part_recipient){.is_set = true,
	    .id = part->rows->broadcast_id,
	    .variant = part->rows->variant,
	    .status = part->rows->status,
	    .due = reader ? reader->due : 0,
	    .reason = reader && address ? reader->reason : REASON_DELETED};
	if (number < part->rows->people->len)
		recipient_r->person_id = g_array_index(part->rows->people, struct base_id, number);
	if (reader && address) {
		g_free(email->to);
		email->to = format_to(address, reader);
		part_fill_reader(part, reader, email, fault_r);
	}
	return email;
}
