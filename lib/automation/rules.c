/* SPDX-License-Identifier: MIT */
/* Reads, evaluates and describes rules. */
#include "automation/rules.h"

#include <string.h>

#include "rule/operator.h"
#include "rule/properties.h"
#include "automation/results.h"
#include "base/budget.h"
#include "base/id.h"
#include "base/limits/unit.h"
#include "base/limits/workflow.h"
#include "json/place.h"
#include "json/value.h"
#include "json/writer.h"
#include "person/contact_field.h"

#define EVENT_PREFIX "event."

struct rule {
	struct automation_rules *nested; /* NULL: a single rule, in the members below */
	const char *segment; /* its id; NULL: the rule asks for a property, in the members below */
	struct base_id segment_id;
	bool is_out;	      /* the contact has to be out of the segment */
	const char *property; /* dot path, with "event." if given so */
	enum rule_operator op;
	const struct json *value;
	const char *var; /* the path of the value, in its place; NULL: none */
};

struct automation_rules {
	bool any;
	GArray *rules; /* of struct rule */
};

static void
rules_clear_rule(gpointer data)
{
	struct rule *rule = data;

	g_clear_pointer(&rule->nested, automation_rules_free);
}

void
automation_rules_free(struct automation_rules *rules)
{
	g_array_unref(rules->rules);
	g_free(rules);
}

static bool
rules_read_match(struct automation_rules *rules, const struct json *value,
    const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "match", 0};
	const struct json *match = json_member_get(value, "match");
	const char *word = json_string(match, NULL);

	rules->any = g_strcmp0(word, "any") == 0;
	if (!match || rules->any || g_strcmp0(word, "all") == 0)
		return true;
	return json_place_fail(&place, error, "must be all or any");
}

static bool
rules_read_property(
    struct rule *rule, const struct json *value, const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "property", 0};
	gsize size;
	const char *property = json_string(json_member_get(value, "property"), &size);

	rule->property = property;
	if (property && size > 0 && strlen(property) == size &&
	    g_utf8_strlen(property, -1) <= LIMIT_PROPERTY_LENGTH &&
	    strcmp(property, EVENT_PREFIX) != 0)
		return true;
	return json_place_fail(&place, error,
	    "must be the name of a property: 1 to %d characters, such as plan, address.city or "
	    "event.amount",
	    LIMIT_PROPERTY_LENGTH);
}

static bool
rules_read_operator(
    struct rule *rule, const struct json *value, const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "operator", 0};

	rule->op = rule_operator_find(json_string(json_member_get(value, "operator"), NULL));
	if (rule->op < OPERATOR_COUNT)
		return true;
	g_autoptr(GString) names = g_string_new(NULL);
	for (enum rule_operator op = 0; op < OPERATOR_COUNT; op++)
		g_string_append_printf(names, "%s%s",
		    op == 0		      ? ""
		    : op + 1 < OPERATOR_COUNT ? ", "
					      : " or ",
		    rule_operator_name(op));
	return json_place_fail(&place, error, "must be %s", names->str);
}

static bool
rules_read_value(
    struct rule *rule, const struct json *value, const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "value", 0};

	rule->value = json_member_get(value, "value");
	if (!rule_operator_takes_value(rule->op))
		return true;
	if (!rule->value)
		return json_place_fail(&place, error,
		    "is missing: %s compares with a string, a number, true or false (to ask for "
		    "nothing at all use not_exists)",
		    rule_operator_name(rule->op));
	if (json_kind(rule->value) < JSON_ARRAY)
		return true;
	rule->var = json_member_count(rule->value) == 1
			? json_string(json_member_get(rule->value, "var"), NULL)
			: NULL;
	if (rule->var && *rule->var && g_utf8_strlen(rule->var, -1) <= LIMIT_PROPERTY_LENGTH)
		return true;
	return json_place_fail(&place, error, "must be a string, a number, true or false");
}

static bool
rules_read_segment(
    struct rule *rule, const struct json *value, const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "segment", 0}, way = {parent, "operator", 0};
	const char *name = json_string(json_member_get(value, "operator"), NULL);

	rule->segment = json_string(json_member_get(value, "segment"), NULL);
	rule->is_out = g_strcmp0(name, "not_in") == 0;
	if (!rule->segment || !base_id_parse(rule->segment, &rule->segment_id))
		return json_place_fail(&place, error, "is not a segment");
	return rule->is_out || g_strcmp0(name, "in") == 0 ||
	       json_place_fail(&way, error, "must be in or not_in");
}

static bool
rules_read_rule(
    struct rule *rule, const struct json *value, const struct json_place *place, GError **error)
{
	if (json_kind(value) != JSON_OBJECT)
		return json_place_fail(place, error, "must be an object: a rule, or rules again");
	if (json_member_has(value, "rules"))
		return (rule->nested = automation_rules_read(value, place, error)) != NULL;
	if (json_member_has(value, "segment"))
		return rules_read_segment(rule, value, place, error);
	return rules_read_property(rule, value, place, error) &&
	       rules_read_operator(rule, value, place, error) &&
	       rules_read_value(rule, value, place, error);
}

static bool
rules_read_all(struct automation_rules *rules, const struct json *value,
    const struct json_place *parent, GError **error)
{
	const struct json_place list = {parent, "rules", 0};
	const struct json *all = json_member_get(value, "rules");

	if (json_kind(value) != JSON_OBJECT)
		return json_place_fail(parent, error, "must be an object with match and rules");
	if (json_kind(all) != JSON_ARRAY)
		return json_place_fail(&list, error, "must be an array of rules");
	if (!rules_read_match(rules, value, parent, error))
		return false;
	for (gsize i = 0; i < json_array_length(all); i++) {
		const struct json_place place = {&list, NULL, i};
		struct rule rule = {0};
		bool is_read = rules_read_rule(&rule, json_array_at(all, i), &place, error);

		g_array_append_val(rules->rules, rule);
		if (!is_read)
			return false;
	}
	return true;
}

struct automation_rules *
automation_rules_read(const struct json *value, const struct json_place *place, GError **error)
{
	AUTO(automation_rules) rules = g_new0(struct automation_rules, 1);

	rules->rules = g_array_new(FALSE, FALSE, sizeof(struct rule));
	g_array_set_clear_func(rules->rules, rules_clear_rule);
	return rules_read_all(rules, value, place, error) ? g_steal_pointer(&rules) : NULL;
}

void
automation_rules_forget(const struct json *value)
{
	struct json_iterator members = json_members(value);
	const struct json *member;
	const char *name;

	while (json_iterator_next(&members, &name, &member)) {
		if (strcmp(name, "rules") != 0 || json_kind(member) != JSON_ARRAY) {
			json_forget(member);
			continue;
		}
		for (gsize i = 0; i < json_array_length(member); i++)
			automation_rules_forget(json_array_at(member, i));
	}
}

gsize
automation_rules_weight(const struct automation_rules *rules)
{
	gsize weight = 0;

	if (!rules)
		return 0;
	for (guint i = 0; i < rules->rules->len; i++)
		weight +=
		    automation_rules_weight(g_array_index(rules->rules, struct rule, i).nested);
	/* GArray doubles its capacity. */
	return weight + sizeof(*rules) + 64 + 2 * rules->rules->len * sizeof(struct rule);
}

guint
automation_rules_count(const struct automation_rules *rules)
{
	guint count = 0;

	for (guint i = 0; rules && i < rules->rules->len; i++) {
		const struct rule *rule = &g_array_index(rules->rules, struct rule, i);

		count += rule->nested ? automation_rules_count(rule->nested) : 1;
	}
	return count;
}

bool
automation_rules_ask_started(const struct automation_rules *rules)
{
	for (guint i = 0; rules && i < rules->rules->len; i++) {
		const struct rule *rule = &g_array_index(rules->rules, struct rule, i);

		if (rule->nested ? automation_rules_ask_started(rule->nested)
				 : rule->var && g_str_has_prefix(rule->var, EVENT_PREFIX))
			return true;
	}
	return false;
}

static bool
rules_is_of_step(const char *path)
{
	return path && g_str_has_prefix(path, AUTOMATION_RESULTS_PREFIX);
}

bool
automation_rules_ask_results(const struct automation_rules *rules)
{
	for (guint i = 0; rules && i < rules->rules->len; i++) {
		const struct rule *rule = &g_array_index(rules->rules, struct rule, i);

		if (rule->nested ? automation_rules_ask_results(rule->nested)
				 : rules_is_of_step(rule->property) || rules_is_of_step(rule->var))
			return true;
	}
	return false;
}

bool
automation_rules_each_segment(const struct automation_rules *rules, const struct json_place *place,
    bool (*take)(const struct base_id *segment, const struct json_place *place, void *context,
	GError **error),
    void *context, GError **error)
{
	const struct json_place list = {place, "rules", 0};

	for (guint i = 0; rules && i < rules->rules->len; i++) {
		const struct rule *rule = &g_array_index(rules->rules, struct rule, i);
		const struct json_place own = {&list, NULL, i}, segment = {&own, "segment", 0};

		if (rule->nested
			? !automation_rules_each_segment(rule->nested, &own, take, context, error)
			: rule->segment && !take(&rule->segment_id, &segment, context, error))
			return false;
	}
	return true;
}

static guint
rules_hash_id(const void *data)
{
	const struct base_id *id = data;

	return (guint)id->bytes[15] << 24 | (guint)id->bytes[14] << 16 | (guint)id->bytes[13] << 8 |
	       id->bytes[12];
}

static gboolean
rules_equal_ids(const void *a, const void *b)
{
	return base_id_equal(a, b);
}

GHashTable *
automation_rules_segments_new(void)
{
	return g_hash_table_new_full(rules_hash_id, rules_equal_ids, g_free, NULL);
}

const struct json *
automation_rules_value(const char *property, const struct automation_rules_scope *scope)
{
	if (g_str_has_prefix(property, EVENT_PREFIX))
		return rule_properties_get(scope->event, property + strlen(EVENT_PREFIX));
	const struct json *value;
	if (automation_results_find(scope->results, property, &value))
		return value;
	value = rule_properties_get(scope->contact, property);
	if (value || !g_str_has_prefix(property, PERSON_CONTACT_PREFIX))
		return value;
	const char *name = property + strlen(PERSON_CONTACT_PREFIX);
	if (person_contact_field_is_short(name))
		value = rule_properties_get(scope->contact, name);
	return value ? value : json_member_get(scope->fields, name);
}

#define SHOWN_LENGTH 60

/* Appends a value, cut to SHOWN_LENGTH characters. */
static void
rules_append_value(GString *why, const struct json *value)
{
	g_autofree char *text = json_print(value);

	if (g_utf8_strlen(text, -1) <= SHOWN_LENGTH) {
		g_string_append(why, text);
		return;
	}
	g_autofree char *beginning = g_utf8_substring(text, 0, SHOWN_LENGTH);
	g_string_append_printf(why, "%s...", beginning);
}

static void
describe_rule(const struct rule *rule, GString *text)
{
	if (rule->nested) {
		g_string_append_c(text, '(');
		automation_rules_describe(rule->nested, text);
		g_string_append_c(text, ')');
		return;
	}
	if (rule->segment) {
		g_string_append_printf(
		    text, "%s segment %s", rule->is_out ? "not in" : "in", rule->segment);
		return;
	}
	g_string_append_printf(text, "%s %s", rule->property, rule_operator_name(rule->op));
	if (!rule_operator_takes_value(rule->op))
		return;
	g_string_append_c(text, ' ');
	if (rule->var)
		g_string_append_printf(text, "{%s}", rule->var);
	else
		rules_append_value(text, rule->value);
}

void
automation_rules_describe(const struct automation_rules *rules, GString *text)
{
	for (guint i = 0; i < rules->rules->len; i++) {
		if (i > 0)
			g_string_append(text, rules->any ? " or " : " and ");
		describe_rule(&g_array_index(rules->rules, struct rule, i), text);
	}
}

static void
explain_rule(GString *why, const struct rule *rule, const struct json *property,
    const struct json *value, bool holds, bool is_brief)
{
	if (!property) {
		g_string_append_printf(why, "%s is missing", rule->property);
		return;
	}
	g_string_append_printf(why, "%s is ", rule->property);
	rules_append_value(why, property);
	if (is_brief || !rule_operator_takes_value(rule->op))
		return;
	g_string_append_printf(why, ": it %s ", rule_operator_phrase(rule->op, holds));
	if (rule->var)
		g_string_append_printf(why, "%s, which is ", rule->var);
	if (value)
		rules_append_value(why, value);
	else
		g_string_append(why, "missing");
}

/* The value that a rule compares with; NULL: there is none. */
static const struct json *
rule_value(const struct rule *rule, const struct automation_rules_scope *scope)
{
	struct automation_rules_scope own = *scope;

	if (!rule->var)
		return rule->value;
	own.event = scope->started;
	const struct json *value = automation_rules_value(rule->var, &own);
	return json_kind(value) < JSON_ARRAY ? value : NULL;
}

#define STEPS 8		/* of the budget, to find a property */
#define STEPS_ELEMENT 4 /* to compare an element of an array */
#define STEPS_WORDS 4	/* to write the value of a property, times those to read it */

/* Takes the work to test a rule from the budget. Returns false once that is spent. */
static bool
rules_take(const struct automation_rules_scope *scope, const struct json *property, bool in_words)
{
	const char *number = json_number_text(property);
	gsize size;

	if (!scope->budget)
		return true;
	json_string(property, &size);
	size = (number ? strlen(number) : size) / 64 + STEPS_ELEMENT * json_array_length(property);
	return base_budget_take(
	    scope->budget, STEPS + (gint64)size * (in_words ? STEPS_WORDS : 1), LIMIT_MIB);
}

static bool
segment_rule_holds(
    const struct rule *rule, const struct automation_rules_scope *scope, GString *why)
{
	bool is_in = scope->segments && g_hash_table_contains(scope->segments, &rule->segment_id);

	if (why)
		g_string_append_printf(
		    why, "the contact is %s segment %s", is_in ? "in" : "not in", rule->segment);
	return is_in != rule->is_out;
}

static bool
rule_holds(const struct rule *rule, const struct automation_rules_scope *scope, GString *why)
{
	if (rule->nested)
		return automation_rules_hold(rule->nested, scope, why);
	if (rule->segment)
		return segment_rule_holds(rule, scope, why);
	const struct json *property = automation_rules_value(rule->property, scope);
	if (!rules_take(scope, property, why))
		return false;
	const struct json *value = rule_value(rule, scope);
	bool compares = value || !rule_operator_takes_value(rule->op);
	bool holds = rule_operator_holds(rule->op, compares ? property : NULL, value);
	if (why)
		explain_rule(why, rule, property, value, holds, scope->is_brief);
	return holds;
}

bool
automation_rules_hold(
    const struct automation_rules *rules, const struct automation_rules_scope *scope, GString *why)
{
	guint count = rules ? rules->rules->len : 0;
	gsize length = why ? why->len : 0;
	bool any = rules && rules->any && count > 0;

	for (guint i = 0; i < count; i++) {
		if (why)
			g_string_truncate(why, length);
		bool holds = rule_holds(&g_array_index(rules->rules, struct rule, i), scope, why);
		if (scope->budget && scope->budget->is_spent)
			return false;
		if (holds == any)
			return any;
	}
	if (why && count == 0)
		g_string_append(why, "there are no rules");
	if (!why || count < 2)
		return !any;
	g_string_truncate(why, length);
	g_string_append_printf(why, any ? "none of %u rules holds" : "all %u rules hold", count);
	return !any;
}

/* Finds the value of a rule, if it cannot change while its execution waits. */
static bool
rules_find_fixed(const struct rule *rule, const struct json *started,
    const struct automation_results *results, const struct json **value_r)
{
	*value_r = rule->value;
	if (!rule->var)
		return true;
	if (!g_str_has_prefix(rule->var, EVENT_PREFIX))
		return automation_results_find(results, rule->var, value_r);
	*value_r = rule_properties_get(started, rule->var + strlen(EVENT_PREFIX));
	return true;
}

bool
automation_rules_correlate(const struct automation_rules *rules, const struct json *started,
    const struct automation_results *results, const char **property_r,
    guint8 hash_r[RULE_HASH_SIZE])
{
	const struct json *value;

	for (guint i = 0; rules && !rules->any && i < rules->rules->len; i++) {
		const struct rule *rule = &g_array_index(rules->rules, struct rule, i);

		if (rule->nested || rule->segment || rule->op != OPERATOR_EQUALS ||
		    !g_str_has_prefix(rule->property, EVENT_PREFIX) ||
		    !rules_find_fixed(rule, started, results, &value))
			continue;
		*property_r = rule->property + strlen(EVENT_PREFIX);
		rule_operator_hash(value, hash_r);
		return true;
	}
	return false;
}
