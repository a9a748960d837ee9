/* SPDX-License-Identifier: MIT */
/* Reads the single rules of segments, and tests properties and fields of people. */
#include "segment/leaf.h"

#include <string.h>

#include "rule/event_name.h"
#include "rule/properties.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/segment.h"
#include "base/limits/workflow.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/value.h"
#include "text/language.h"
#include "text/time_zone.h"

#define CONTACT_PREFIX "contact."
#define DAY_MS (24 * 60 * 60 * G_GINT64_CONSTANT(1000))

/* Reads a member that is one of words, NULL-terminated. */
static bool
leaf_read_word(const struct json *value, const struct json_place *parent, const char *name,
    const char *const *words, guint *index_r, GError **error)
{
	const struct json_place place = {parent, name, 0};
	const char *word = json_string(json_member_get(value, name), NULL);

	for (*index_r = 0; words[*index_r]; (*index_r)++)
		if (g_strcmp0(words[*index_r], word) == 0)
			return true;
	g_autofree char *all = g_strjoinv(", ", (char **)words);
	return json_place_fail(&place, error, "must be one of %s", all);
}

/* Reads a member that is a whole number in a range; leaves *number_r unchanged when there is none.
 */
static bool
leaf_read_number(const struct json *value, const struct json_place *parent, const char *name,
    gint64 most, gint64 *number_r, GError **error)
{
	const struct json_place place = {parent, name, 0};
	const struct json *member = json_member_get(value, name);

	if (!member)
		return true;
	if (json_kind(member) != JSON_INTEGER)
		return json_place_fail(&place, error, "must be an integer");
	*number_r = json_integer(member);
	return (*number_r >= 1 && *number_r <= most) ||
	       json_place_fail(&place, error, "must be between 1 and %" G_GINT64_FORMAT, most);
}

static const char *const contact_fields[] = {"contact.email", "contact.first_name",
    "contact.last_name", "contact.language", "contact.time_zone", "contact.created",
    "contact.subscribed", NULL};

static bool
leaf_read_path(struct segment_leaf *leaf, const struct json *value, const struct json_place *parent,
    GError **error)
{
	const struct json_place place = {parent, "property", 0};
	gsize size;
	const char *path = json_string(json_member_get(value, "property"), &size);
	guint field;

	if (!path || size == 0 || strlen(path) != size ||
	    g_utf8_strlen(path, -1) > LIMIT_PROPERTY_LENGTH)
		return json_place_fail(&place, error,
		    "must be the name of a property: 1 to %d characters, such as plan, "
		    "address.city or contact.email",
		    LIMIT_PROPERTY_LENGTH);
	leaf->kind = g_str_has_prefix(path, CONTACT_PREFIX) ? LEAF_CONTACT : LEAF_PROPERTY;
	leaf->path = path + (leaf->kind == LEAF_CONTACT ? strlen(CONTACT_PREFIX) : 0);
	return leaf->kind == LEAF_PROPERTY ||
	       leaf_read_word(value, parent, "property", contact_fields, &field, error);
}

static bool
leaf_read_operator(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *parent, GError **error)
{
	const char *names[OPERATOR_COUNT + 1] = {NULL};
	guint index;

	for (guint op = 0; op < OPERATOR_COUNT; op++)
		names[op] = rule_operator_name(op);
	if (!leaf_read_word(value, parent, "operator", names, &index, error))
		return false;
	leaf->op = (enum rule_operator)index;
	return true;
}

static bool
leaf_read_value(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "value", 0};

	leaf->value = json_member_get(value, "value");
	if (!rule_operator_takes_value(leaf->op))
		return true;
	if (!leaf->value)
		return json_place_fail(&place, error, "is required");
	return json_kind(leaf->value) < JSON_ARRAY ||
	       json_place_fail(&place, error, "must be a string, a number or a boolean");
}

/* Emails and languages compare in lower case. The caller frees it. */
static struct json *
leaf_fold(const char *text)
{
	return json_make_string(
	    g_str_is_ascii(text) ? g_ascii_strdown(text, -1) : g_utf8_strdown(text, -1));
}

static bool
is_equality(const struct segment_leaf *leaf)
{
	return leaf->op == OPERATOR_EQUALS || leaf->op == OPERATOR_NOT_EQUALS;
}

/* The functions of fields bring a value into the form in which the field is compared. They return
   the words for a value that the field can never have, else NULL. */

static const char *
fit_text(struct segment_leaf *leaf, const char *text)
{
	return text || json_kind(leaf->value) >= JSON_INTEGER ? NULL : "must be a string";
}

static const char *
fit_email(struct segment_leaf *leaf, const char *text)
{
	if (text)
		leaf->value = leaf->folded = leaf_fold(text);
	return fit_text(leaf, text);
}

static const char *
fit_language(struct segment_leaf *leaf, const char *text)
{
	fit_email(leaf, text);
	if (is_equality(leaf) && (!text || !text_language_is_tag(text)))
		return "must be a BCP 47 language tag";
	return fit_text(leaf, text);
}

static const char *
fit_time_zone(struct segment_leaf *leaf, const char *text)
{
	if (is_equality(leaf) && (!text || !text_time_zone_is_name(text)))
		return "must be an IANA time zone";
	return fit_text(leaf, text);
}

static const char *
fit_created(struct segment_leaf *leaf, const char *text)
{
	gint64 time;

	if (text && base_clock_parse(text, &time))
		leaf->value = leaf->folded = json_make_integer(time);
	else if (text ? !g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, &time, NULL)
		      : json_kind(leaf->value) < JSON_INTEGER)
		return "must be epoch milliseconds or an ISO 8601 time";
	return NULL;
}

static const char *
fit_subscribed(struct segment_leaf *leaf, const char *text)
{
	return !text && json_kind(leaf->value) == JSON_BOOLEAN ? NULL : "must be true or false";
}

static void
fit(struct segment_leaf *leaf, const struct json_place *parent)
{
	static const struct {
		const char *field;
		const char *(*fit)(struct segment_leaf *leaf, const char *text);
	} fields[] = {{"email", fit_email}, {"first_name", fit_text}, {"last_name", fit_text},
	    {"language", fit_language}, {"time_zone", fit_time_zone}, {"created", fit_created},
	    {"subscribed", fit_subscribed}};
	const struct json_place place = {parent, "value", 0};
	const char *text = json_string(leaf->value, NULL), *fault = NULL;

	if (leaf->kind != LEAF_CONTACT || !rule_operator_takes_value(leaf->op))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
		if (strcmp(leaf->path, fields[i].field) == 0)
			fault = fields[i].fit(leaf, text);
	if (!fault)
		return;
	g_autofree char *path = json_place_path(&place);
	leaf->misfit = g_strdup_printf("%s %s", path, fault);
}

bool
segment_leaf_check_fit(const struct segment_leaf *leaf, GError **error)
{
	return !leaf->misfit || base_invalid(error, "%s", leaf->misfit);
}

static bool
leaf_read_property(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *place, GError **error)
{
	if (!leaf_read_path(leaf, value, place, error) ||
	    !leaf_read_operator(leaf, value, place, error) ||
	    !leaf_read_value(leaf, value, place, error))
		return false;
	fit(leaf, place);
	return true;
}

static bool
read_target(struct segment_leaf *leaf, enum store_people_scan_fact_kind kind,
    const struct json *value, const struct json_place *parent, const char *name, GError **error)
{
	const struct json_place place = {parent, name, 0};
	const char *id = json_string(json_member_get(value, name), NULL);

	if (!id)
		return json_place_fail(&place, error, "must be a string");
	leaf->kind = LEAF_FACT;
	leaf->fact.kind = kind;
	leaf->target_place = json_place_path(&place);
	return base_id_parse(id, &leaf->fact.target) || segment_leaf_missing(leaf, error);
}

static bool
leaf_read_audience(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *place, GError **error)
{
	static const char *const words[] = {
	    "subscribed", "unsubscribed", "pending", "member", "not_member", NULL};
	static const enum store_people_scan_fact_kind kinds[] = {
	    FACT_SUBSCRIBED, FACT_UNSUBSCRIBED, FACT_PENDING, FACT_MEMBER, FACT_MEMBER};
	guint index;

	if (!read_target(leaf, FACT_MEMBER, value, place, "audience", error) ||
	    !leaf_read_word(value, place, "operator", words, &index, error))
		return false;
	leaf->fact.kind = kinds[index];
	leaf->is_negated = strcmp(words[index], "not_member") == 0;
	return true;
}

static bool
read_topic(struct segment_leaf *leaf, const struct json *value, const struct json_place *place,
    GError **error)
{
	static const char *const words[] = {"subscribed", "not_subscribed", NULL};
	guint index;

	if (!read_target(leaf, FACT_CHOSEN, value, place, "topic", error) ||
	    !leaf_read_word(value, place, "operator", words, &index, error))
		return false;
	leaf->is_negated = index == 1;
	return true;
}

static bool
read_did(struct segment_leaf *leaf, const struct json *value, const struct json_place *place,
    GError **error)
{
	static const char *const words[] = {"did", "did_not", NULL};
	gint64 days = 0;
	guint index;

	if (!leaf_read_word(value, place, "operator", words, &index, error) ||
	    !leaf_read_number(value, place, "within_days", LIMIT_SEGMENT_DAYS, &days, error))
		return false;
	leaf->is_negated = index == 1;
	leaf->within = days * DAY_MS;
	return true;
}

static bool
leaf_read_email(struct segment_leaf *leaf, const struct json *value, const struct json_place *place,
    GError **error)
{
	static const char *const words[] = {"sent", "opened", "clicked", "bounced", NULL};
	guint index;

	leaf->kind = LEAF_FACT;
	if (!leaf_read_word(value, place, "email", words, &index, error) ||
	    !read_did(leaf, value, place, error))
		return false;
	leaf->fact.kind = (enum store_people_scan_fact_kind)(FACT_SENT + index);
	return !json_member_get(value, "broadcast") ||
	       read_target(leaf, (enum store_people_scan_fact_kind)(FACT_BROADCAST_SENT + index),
		   value, place, "broadcast", error);
}

static bool
read_since(struct segment_leaf *leaf, const struct json *value, const struct json_place *parent,
    GError **error)
{
	const struct json_place place = {parent, "since", 0};
	const struct json *since = json_member_get(value, "since");
	const char *text = json_string(since, NULL);

	if (!since)
		return true;
	if (leaf->within > 0)
		return json_place_fail(&place, error, "cannot be given with within_days");
	leaf->fact.since = json_integer(since);
	return json_kind(since) == JSON_INTEGER ||
	       (text && base_clock_parse(text, &leaf->fact.since)) ||
	       json_place_fail(&place, error, "must be epoch milliseconds or an ISO 8601 time");
}

static bool
leaf_read_event(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "event", 0};
	const char *name = json_string(json_member_get(value, "event"), NULL);
	g_autofree char *path = json_place_path(&place);
	gint64 at_least = 1;

	if (!name)
		return json_place_fail(&place, error, "must be a string");
	leaf->kind = LEAF_FACT;
	leaf->fact.kind = FACT_EVENT;
	leaf->fact.since = G_MININT64;
	leaf->fact.event = leaf->event = rule_event_name(path, name, error);
	if (!leaf->event || !read_did(leaf, value, parent, error) ||
	    !leaf_read_number(value, parent, "at_least", LIMIT_SEGMENT_AT_LEAST, &at_least, error))
		return false;
	leaf->fact.at_least = (guint)at_least;
	return read_since(leaf, value, parent, error);
}

static const struct {
	const char *member; /* by which a rule of this kind is known */
	bool (*read)(struct segment_leaf *leaf, const struct json *value,
	    const struct json_place *place, GError **error);
} kinds[] = {
    {"property", leaf_read_property},
    {"audience", leaf_read_audience},
    {"topic", read_topic},
    {"email", leaf_read_email},
    {"event", leaf_read_event},
};

bool
segment_leaf_read(struct segment_leaf *leaf, const struct json *value,
    const struct json_place *place, GError **error)
{
	guint found = 0, kind = 0;

	if (json_kind(value) != JSON_OBJECT)
		return json_place_fail(place, error, "must be an object");
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (!json_member_has(value, kinds[i].member))
			continue;
		found++;
		kind = i;
	}
	if (found != 1)
		return json_place_fail(place, error,
		    "must have one of property, audience, topic, email, event and rules");
	return kinds[kind].read(leaf, value, place, error);
}

void
segment_leaf_clear(struct segment_leaf *leaf)
{
	g_clear_pointer(&leaf->folded, json_free);
	g_clear_pointer(&leaf->target_place, g_free);
	g_clear_pointer(&leaf->misfit, g_free);
	g_clear_pointer(&leaf->event, g_free);
}

bool
segment_leaf_missing(const struct segment_leaf *leaf, GError **error)
{
	static const char *const names[] = {[COHORT_AUDIENCE] = "an audience",
	    [COHORT_TOPIC] = "a topic",
	    [COHORT_BROADCAST] = "a broadcast"};

	return base_invalid(
	    error, "%s is not %s", leaf->target_place, names[segment_leaf_target(leaf)]);
}

enum store_people_scan_target
segment_leaf_target(const struct segment_leaf *leaf)
{
	if (leaf->fact.kind >= FACT_BROADCAST_SENT)
		return COHORT_BROADCAST;
	return leaf->fact.kind < FACT_CHOSEN ? COHORT_AUDIENCE : COHORT_TOPIC;
}

void
segment_leaf_set_topic(struct segment_leaf *leaf, bool is_opt_in)
{
	bool not_subscribed = leaf->is_negated != (leaf->fact.kind == FACT_LEFT);

	/* Nobody is in an opt-in topic but those who have chosen it; all are in the others but
	   those who have left. */
	leaf->fact.kind = is_opt_in ? FACT_CHOSEN : FACT_LEFT;
	leaf->is_negated = not_subscribed != (leaf->fact.kind == FACT_LEFT);
}

bool
segment_leaf_holds(const struct segment_leaf *leaf, const struct json *properties)
{
	return rule_operator_holds(
	    leaf->op, rule_properties_get(properties, leaf->path), leaf->value);
}

enum store_people_scan_detail
segment_leaf_detail(const struct segment_leaf *leaf)
{
	if (leaf->kind == LEAF_FACT)
		return COHORT_KEY;
	if (leaf->kind == LEAF_PROPERTY)
		return COHORT_PROPERTIES;
	if (strcmp(leaf->path, "subscribed") == 0)
		return COHORT_KEY;
	return strcmp(leaf->path, "email") == 0 ? COHORT_EMAIL : COHORT_FIELDS;
}

/* The field of a person to which contact. leads. The caller frees it. */
static struct json *
make_field(const char *name, const struct store_people_scan_person *person)
{
	const struct {
		const char *name, *text;
	} texts[] = {
	    {"first_name", person->first_name},
	    {"last_name", person->last_name},
	    {"time_zone", person->time_zone},
	};

	if (strcmp(name, "email") == 0)
		return leaf_fold(person->email);
	if (strcmp(name, "language") == 0)
		return person->language ? leaf_fold(person->language) : NULL;
	if (strcmp(name, "created") == 0)
		return json_make_integer(person->created);
	if (strcmp(name, "subscribed") == 0)
		return json_make_boolean(person->is_subscribed);
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		if (strcmp(name, texts[i].name) == 0)
			return json_make_string(g_strdup(texts[i].text));
	return NULL;
}

bool
segment_leaf_holds_field(
    const struct segment_leaf *leaf, const struct store_people_scan_person *person)
{
	AUTO(json) field = make_field(leaf->path, person);

	return rule_operator_holds(leaf->op, field, leaf->value);
}
