/* SPDX-License-Identifier: MIT */
/* posthouse person: shows, changes, imports and exports people. */
#include "automation/person.h"

#include <string.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/export.h"
#include "cli/export_people.h"
#include "cli/grammar.h"
#include "cli/import_people.h"
#include "cli/output.h"
#include "cli/person.h"
#include "cli/text.h"
#include "consent/consent.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/history.h"
#include "person/person.h"
#include "person/snooze.h"
#include "person/view.h"
#include "property/property.h"
#include "service/service.h"
#include "store/person/people.h"
#include "store/workspace/workspace.h"

#define PERSON_EMAIL_PARAMETER                                                                     \
	{                                                                                          \
		"EMAIL", "the person's email", .type = PARAMETER_ADDRESS                           \
	}

/* A member of an object as a field. texts owns what the field borrows. */
static struct cli_field
person_field_of(const char *name, const struct json *value, GPtrArray *texts)
{
	bool is_time = strcmp(name, "created") == 0 || strcmp(name, "updated") == 0 ||
		       strcmp(name, "timestamp") == 0;

	switch (json_kind(value)) {
	case JSON_NULL:
	case JSON_STRING:
		return cli_text(name, json_string(value, NULL));
	case JSON_BOOLEAN:
		return cli_truth(name, json_boolean(value));
	case JSON_INTEGER:
		return is_time ? cli_time(name, json_integer(value))
			       : cli_number(name, json_integer(value));
	default:
		g_ptr_array_add(texts, json_print(value));
		return cli_json(name, texts->pdata[texts->len - 1]);
	}
}

#define MEMBERS 20

/* Answers with an object of the API, or a row of a list. wanted: the members for people, or NULL
   for all. */
static void
person_write_object(struct cli_call *call, const struct json *object, const char *const *wanted,
    void (*write)(struct cli_output *output, const struct cli_field *fields, gsize count))
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	struct json_iterator members = json_members(object);
	struct cli_field fields[MEMBERS];
	const struct json *value;
	const char *name;
	guint count = 0;

	while (count < MEMBERS && json_iterator_next(&members, &name, &value))
		if (call->json || !wanted || g_strv_contains(wanted, name))
			fields[count++] = person_field_of(name, value, texts);
	write(call->output, fields, count);
}

/* The object that the writer has written; the caller frees it. */
static struct json *
person_take(struct json_writer *writer)
{
	gsize size;
	g_autofree char *text = json_writer_take(writer, &size);

	return json_parse(text, size, NULL);
}

static bool
show_person(struct cli_call *call, const struct store_person *person, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	if (!person || !person_view_write(call->service, person, writer, error))
		return false;
	AUTO(json) object = person_take(writer);
	person_write_object(call, object, NULL, cli_output_thing);
	return true;
}

enum { LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

bool
cli_person_write_rows(
    struct cli_call *call, const GPtrArray *people, guint count, const char *none, GError **error)
{
	static const char *const wanted[] = {
	    "id", "email", "first_name", "last_name", "subscribed", "created", NULL};
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "people");
	if (!person_view_write_rows(call->service, people, count, writer, error))
		return false;
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	AUTO(json) object = person_take(writer);
	cli_output_list_begin(call->output, "people", none);
	for (guint i = 0; i < count; i++)
		person_write_object(call, json_array_at(json_member_get(object, "people"), i),
		    wanted, cli_output_row);
	cli_output_list_end(call->output);
	return true;
}

static bool
person_list(struct cli_call *call, GError **error)
{
	guint limit = cli_page_limit(&call->values[LIST_LIMIT]);
	g_autoptr(GPtrArray) people = store_people_list(call->db, &call->workspace->id,
	    cli_page_before(&call->values[LIST_BEFORE]), limit + 1, error);

	if (!people)
		return false;
	guint count = MIN(people->len, limit);
	if (!cli_person_write_rows(call, people, count, "There are no people yet.", error))
		return false;
	if (people->len > count)
		cli_page_rest(
		    call->output, &((const struct store_person *)people->pdata[count - 1])->id);
	return true;
}

enum { SHOW_EMAIL };
static const struct cli_parameter show_parameters[] = {
    [SHOW_EMAIL] = PERSON_EMAIL_PARAMETER,
};

static struct store_person *
person_find(struct cli_call *call, GError **error)
{
	return automation_person_get(
	    call->service, &call->workspace->id, call->values[SHOW_EMAIL].text, error);
}

static bool
person_show(struct cli_call *call, GError **error)
{
	AUTO(store_person) person = person_find(call, error);

	return show_person(call, person, error);
}

static const struct store_consent_act by_cli = {
    .source = CONSENT_BY_CLI, .author = CONSENT_OF_OPERATOR};

#define TOPIC "topics."

enum { SET_EMAIL, SET_VALUE, SET_OVERRIDE };
static const struct cli_parameter set_parameters[] = {
    [SET_EMAIL] = PERSON_EMAIL_PARAMETER,
    [SET_VALUE] = {"PAIR",
	"as KEY=VALUE; KEY is "
	"first_name, last_name, language, time_zone, subscribed, topics.ID, or else a property, "
	"whose value "
	"is read as the type of its definition, or as JSON, or as text; an empty value clears",
	.optional = true, .repeated = true, .max = LIMIT_CONTACT_PROPERTIES_BYTES},
    [SET_OVERRIDE] = PARAMETER_OVERRIDE("subscribe a person who has unsubscribed"),
};

/* Sets a field of the data. False: it has no such field. */
static bool
set_field(struct automation_person_data *data, const char *key, const char *value)
{
	const struct {
		const char *name, **text;
		bool *given;
	} fields[] = {
	    {"first_name", &data->first_name, &data->first_name_given},
	    {"last_name", &data->last_name, &data->last_name_given},
	    {"language", &data->language, &data->language_given},
	    {"time_zone", &data->time_zone, &data->time_zone_given},
	};

	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		if (strcmp(key, fields[i].name) == 0) {
			*fields[i].text = *value ? value : NULL;
			*fields[i].given = true;
			return true;
		}
	return false;
}

/* Adds the choice of a topic: topics.ID=true. */
static bool
set_topic(GArray *topics, const char *key, const char *value, GError **error)
{
	struct consent_topic topic = {.wanted = strcmp(value, "true") == 0};

	if (!base_id_parse(key + strlen(TOPIC), &topic.id))
		return base_invalid(error, "%s is not a topic", key);
	g_array_append_val(topics, topic);
	return topic.wanted || strcmp(value, "false") == 0 ||
	       base_invalid(error, "%s must be true or false", key);
}

static bool
set_subscribed(struct automation_person_data *data, const char *value, GError **error)
{
	data->subscribed = strcmp(value, "true") == 0;
	data->subscribed_given = data->subscribed || strcmp(value, "false") == 0;
	return data->subscribed_given || base_invalid(error, "subscribed must be true or false");
}

static bool
set_property(struct cli_call *call, struct json_writer *writer, const char *key, const char *value,
    GError **error)
{
	g_autofree char *what = g_strconcat("properties.", key, NULL);

	if (!*value) {
		json_writer_null(writer, key);
		return true;
	}
	AUTO(store_property) property =
	    store_property_get(call->db, &call->workspace->id, key, NULL);
	if (!property) {
		cli_value_write(writer, key, value);
		return true;
	}
	g_autofree char *typed = property_value(what, property->type, value, error);
	if (typed)
		json_writer_raw(writer, key, typed, strlen(typed));
	return typed != NULL;
}

/* Reads one KEY=VALUE. */
static bool
set_one(struct cli_call *call, struct automation_person_data *data, GArray *topics,
    struct json_writer *writer, const char *given, GError **error)
{
	const char *sign = strchr(given, '=');

	if (!sign || sign == given)
		return base_invalid(error, "PAIR must have a key and a =, not \"%s\"", given);
	g_autofree char *key = g_strndup(given, (gsize)(sign - given));
	if (strcmp(key, "subscribed") == 0)
		return set_subscribed(data, sign + 1, error);
	if (g_str_has_prefix(key, TOPIC))
		return set_topic(topics, key, sign + 1, error);
	return set_field(data, key, sign + 1) || set_property(call, writer, key, sign + 1, error);
}

/* Reads all, with the properties into *properties_r, which the caller frees. */
static bool
person_read_values(struct cli_call *call, struct automation_person_data *data, GArray *topics,
    struct json **properties_r, GError **error)
{
	char *const *given = call->values[SET_VALUE].texts;
	AUTO(json_writer) writer = json_writer_new();
	gsize size;

	json_writer_begin_object(writer, NULL);
	for (; given && *given; given++)
		if (!set_one(call, data, topics, writer, *given, error))
			return false;
	json_writer_end_object(writer);
	/* Parsing refuses keys that are given twice. */
	g_autofree char *text = json_writer_take(writer, &size);
	*properties_r = json_parse_as("PAIR", text, size, error);
	data->properties = *properties_r;
	data->topics = (const struct consent_topic *)topics->data;
	data->topic_count = topics->len;
	return *properties_r != NULL;
}

static bool
person_set(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id;
	const char *email = call->values[SET_EMAIL].text;
	struct store_consent_override override = {0};
	struct automation_person_data data = {.act = &by_cli};
	g_autoptr(GArray) topics = g_array_new(FALSE, FALSE, sizeof(struct consent_topic));
	g_autoptr(GError) failure = NULL;
	AUTO(json) properties = NULL;

	if (!consent_read(call->values[SET_OVERRIDE].text, &override, &data.override, error) ||
	    !person_read_values(call, &data, topics, &properties, error))
		return false;
	AUTO(store_person) person =
	    automation_person_change(call->service, workspace, email, &data, &failure);
	if (!person && g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		person = automation_person_create(call->service, workspace, email, &data, error);
	else if (!person)
		g_propagate_error(error, g_steal_pointer(&failure));
	call->audit = person && failure ? "person.created" : NULL;
	return show_person(call, person, error);
}

static bool
person_remove_person(struct cli_call *call, GError **error)
{
	const char *email = call->values[SHOW_EMAIL].text;

	if (!automation_person_remove(call->service, &call->workspace->id, email, &by_cli, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_text("email", email), cli_text("message", "Person deleted")),
	    "Person removed: %s", email);
	return true;
}

enum { HISTORY_EMAIL_VALUE, HISTORY_KIND, HISTORY_LIMIT };
static const struct cli_parameter history_parameters[] = {
    [HISTORY_EMAIL_VALUE] = PERSON_EMAIL_PARAMETER,
    [HISTORY_KIND] = {"--kind", "only rows of this kind: consent, email or event", "KIND",
	.max = LIMIT_NAME_LENGTH},
    [HISTORY_LIMIT] = PAGE_LIMIT,
};

static bool
history(struct cli_call *call, GError **error)
{
	static const char *const wanted[] = {"timestamp", "type", "source", "by", "about", NULL};
	struct person_history_page page = {.limit = cli_page_limit(&call->values[HISTORY_LIMIT])};
	AUTO(json_writer) writer = json_writer_new();
	struct person_history_end end;

	if (!person_history_kind(call->values[HISTORY_KIND].text, &page.kind, error))
		return false;
	AUTO(store_person) person = person_find(call, error);
	if (!person)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "history");
	if (!person_history_write(call->service, person, &page, writer, &end, error))
		return false;
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	AUTO(json) object = person_take(writer);
	cli_output_list_begin(call->output, "history", "Nothing has happened yet.");
	for (guint i = 0; i < end.count; i++)
		person_write_object(call, json_array_at(json_member_get(object, "history"), i),
		    wanted, cli_output_row);
	cli_output_list_end(call->output);
	return true;
}

enum { SNOOZE_EMAIL, SNOOZE_UNTIL, SNOOZE_END, SNOOZE_OVERRIDE };
static const struct cli_parameter snooze_parameters[] = {
    [SNOOZE_EMAIL] = PERSON_EMAIL_PARAMETER,
    [SNOOZE_UNTIL] = {"--until", "no mailings until then, at most 366 days ahead", "TIME",
	PARAMETER_TIME},
    [SNOOZE_END] = {"--end", "mailings again from now on", .type = PARAMETER_FLAG},
    [SNOOZE_OVERRIDE] = PARAMETER_OVERRIDE("shorten or end a snooze of the person's own"),
};

/* Has the audit name the person. */
static bool
note_person(struct cli_call *call, GError **error)
{
	AUTO(store_person) person = person_find(call, error);

	if (person)
		cli_output_about(call->output, &person->id, NULL);
	return person != NULL;
}

/* Says a snooze; email: of the person. */
static void
say_snooze(struct cli_call *call, const struct store_snooze *snooze, const char *email)
{
	const struct cli_thing thing = {&person_snooze_view, snooze};
	char time[CLOCK_ISO_SIZE];

	if (snooze->until)
		cli_output_say_view(call->output, &thing, "%s gets no mailings until %s.", email,
		    base_clock_format(snooze->until, time));
	else
		cli_output_say_view(call->output, &thing, "%s has not snoozed.", email);
}

static bool
person_snooze_show(struct cli_call *call, const char *email, GError **error)
{
	struct store_snooze snooze;

	if (!person_snooze_get(call->service, &call->workspace->id, email, &snooze, error))
		return false;
	call->only_read = true;
	say_snooze(call, &snooze, email);
	return true;
}

static bool
person_snooze_one(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values, *until = &values[SNOOZE_UNTIL];
	const char *email = values[SNOOZE_EMAIL].text;
	struct person_snooze_operator operator= {.act = &by_cli};
	struct store_consent_override override = {0};
	struct store_snooze snooze;

	if (until->text && values[SNOOZE_END].text) {
		call->status = EX_USAGE;
		return base_invalid(error, "--until and --end cannot be given together");
	}
	if (!until->text && !values[SNOOZE_END].text)
		return person_snooze_show(call, email, error);
	if (!consent_read(values[SNOOZE_OVERRIDE].text, &override, &operator.override, error))
		return false;
	if (!note_person(call, error))
		return false;
	if (until->text) {
		operator.until = until->number;
		if (!person_snooze(
			call->service, &call->workspace->id, email, &operator, & snooze, error))
			return false;
		say_snooze(call, &snooze, email);
		return true;
	}
	if (!person_snooze_end(call->service, &call->workspace->id, email, &operator, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_text("message", "Snooze ended")),
	    "%s gets mailings again.", email);
	return true;
}

static const struct cli_parameter import_parameters[] = {IMPORT_PEOPLE_PARAMETERS};

static bool
import_people(struct cli_call *call, GError **error)
{
	return cli_import_people(call, NULL, call->values, error);
}

enum { EXPORT_FILE, EXPORT_RAW };
static const struct cli_parameter export_parameters[] = {
    [EXPORT_FILE] = EXPORT_PARAMETER_FILE,
    [EXPORT_RAW] = EXPORT_PARAMETER_RAW,
};

static bool
export_people(struct cli_call *call, GError **error)
{
	const char *path = cli_export_path(call->values[EXPORT_FILE].text);
	const struct cli_export_people given = {
	    .path = path, .raw = call->values[EXPORT_RAW].text != NULL};
	guint64 count;

	if (!cli_export_people(call, &given, &count, error))
		return false;
	if (path)
		cli_output_say(call->output, FIELDS(cli_number("people", (gint64)count)),
		    "People written to %s: %" G_GUINT64_FORMAT ".", path, count);
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List people, newest first.", NEED_WORKSPACE, PARAMETERS(list_parameters),
	.run = person_list},
    {"show", "Show a person with memberships and topics.", NEED_WORKSPACE,
	PARAMETERS(show_parameters), .run = person_show},
    {"set", "Change a person, or make one.", NEED_WORKSPACE, PARAMETERS(set_parameters),
	.audit = "person.changed", .run = person_set},
    {"remove",
	"Remove a person with memberships, properties, events and executions. What the person left "
	"holds when the address comes again.",
	NEED_WORKSPACE, PARAMETERS(show_parameters), .audit = "person.deleted",
	.run = person_remove_person},
    {"history", "Show what happened to a person, newest first.", NEED_WORKSPACE,
	PARAMETERS(history_parameters), .run = history},
    {"snooze",
	"Show until when a person gets no mailings, or change it. A snooze of the person's own is "
	"shortened or ended with --override alone.",
	NEED_WORKSPACE, PARAMETERS(snooze_parameters), .audit = "person.changed",
	.run = person_snooze_one},
    {"import",
	"Import the people of a file, without memberships. Invalid lines are reported and skipped. "
	"If it was interrupted, run it again.",
	NEED_WORKSPACE, PARAMETERS(import_parameters), .audit = "person.created",
	.run = import_people},
    {"export", "Export people to a file that person import reads.", NEED_WORKSPACE,
	PARAMETERS(export_parameters), .run = export_people},
};

const struct cli_noun cli_noun_person = {"person", commands, G_N_ELEMENTS(commands)};
