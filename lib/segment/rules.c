/* SPDX-License-Identifier: MIT */
/* Reads, resolves and evaluates the rules of segments. */
#include "segment/rules.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/segment.h"
#include "json/place.h"
#include "json/strict.h"
#include "json/value.h"

const struct json_field segment_rule_fields[SEGMENT_RULE_FIELDS] = {
    JSON_KNOWN("match"),
    {.name = "rules", .type = FIELD_KNOWN, SEGMENT_RULES_BELOW},
    JSON_KNOWN("property"),
    JSON_KNOWN("operator"),
    JSON_KNOWN("value"),
    JSON_KNOWN("audience"),
    JSON_KNOWN("topic"),
    JSON_KNOWN("email"),
    JSON_KNOWN("broadcast"),
    JSON_KNOWN("event"),
    JSON_KNOWN("at_least"),
    JSON_KNOWN("within_days"),
    JSON_KNOWN("since"),
};

const struct json_table segment_rules_body = JSON_TABLE(segment_rule_fields);

struct rule {
	struct group *nested; /* NULL: the single rule of this number */
	guint leaf;
};

struct group {
	bool any;
	GArray *rules; /* of struct rule */
};

struct segment_rules {
	struct json *document;
	struct group *group;
	GArray *leaves;	  /* of struct segment_leaf */
	GPtrArray *parts; /* of struct segment_rules, whose leaves stand above; NULL: none */
};

static void
free_group(struct group *group)
{
	g_array_unref(group->rules);
	g_free(group);
}

static void
segment_rules_clear_rule(void *data)
{
	struct rule *rule = data;

	g_clear_pointer(&rule->nested, free_group);
}

static void
clear_leaf(void *data)
{
	segment_leaf_clear(data);
}

void
segment_rules_free(struct segment_rules *rules)
{
	g_clear_pointer(&rules->group, free_group);
	g_array_unref(rules->leaves);
	g_clear_pointer(&rules->parts, g_ptr_array_unref);
	g_clear_pointer(&rules->document, json_free);
	g_free(rules);
}

/* Counts single rules, and finds the deepest level. */
static void
rules_measure(const struct json *value, guint level, guint *rules, guint *deepest)
{
	const struct json *list = json_member_get(value, "rules");

	*deepest = MAX(*deepest, level);
	for (gsize i = 0; i < json_array_length(list); i++) {
		const struct json *rule = json_array_at(list, i);

		if (json_member_has(rule, "rules"))
			rules_measure(rule, level + 1, rules, deepest);
		else
			(*rules)++;
	}
}

static bool
rules_check_size(const struct json *value, GError **error)
{
	guint rules = 0, deepest = 0;

	rules_measure(value, 1, &rules, &deepest);
	if (rules > LIMIT_SEGMENT_RULES)
		return base_invalid(error, "rules has more than %d rules", LIMIT_SEGMENT_RULES);
	if (deepest > LIMIT_SEGMENT_LEVELS)
		return base_invalid(
		    error, "rules is nested deeper than %d levels", LIMIT_SEGMENT_LEVELS);
	return true;
}

static bool
segment_rules_read_match(
    struct group *group, const struct json *value, const struct json_place *parent, GError **error)
{
	const struct json_place place = {parent, "match", 0};
	const struct json *match = json_member_get(value, "match");
	const char *word = json_string(match, NULL);

	group->any = g_strcmp0(word, "any") == 0;
	return !match || group->any || g_strcmp0(word, "all") == 0 ||
	       json_place_fail(&place, error, "must be all or any");
}

static struct group *rules_read_group(struct segment_rules *rules, const struct json *value,
    const struct json_place *place, GError **error);

static bool
segment_rules_read_rule(struct segment_rules *rules, struct rule *rule, const struct json *value,
    const struct json_place *place, GError **error)
{
	struct segment_leaf leaf = {0};

	if (json_member_has(value, "rules"))
		return (rule->nested = rules_read_group(rules, value, place, error)) != NULL;
	bool is_read = segment_leaf_read(&leaf, value, place, error);
	rule->leaf = rules->leaves->len;
	g_array_append_val(rules->leaves, leaf);
	return is_read;
}

/* How much work it is to test a rule: single ones by their kind, then groups. */
static guint
rules_work(const struct segment_rules *rules, const struct rule *rule)
{
	return rule->nested ? G_MAXUINT
			    : g_array_index(rules->leaves, struct segment_leaf, rule->leaf).kind;
}

static int
compare_work(const void *left, const void *right, void *rules)
{
	guint a = rules_work(rules, left), b = rules_work(rules, right);

	return (a > b) - (a < b);
}

static bool
rules_read_rules(struct segment_rules *rules, struct group *group, const struct json *value,
    const struct json_place *place, GError **error)
{
	const struct json_place list = {place, "rules", 0};
	const struct json *all = json_member_get(value, "rules");

	if (json_kind(all) != JSON_ARRAY)
		return json_place_fail(&list, error, "must be an array");
	if (!segment_rules_read_match(group, value, place, error))
		return false;
	for (gsize i = 0; i < json_array_length(all); i++) {
		const struct json_place element = {&list, NULL, i};
		struct rule rule = {0};
		bool is_read =
		    segment_rules_read_rule(rules, &rule, json_array_at(all, i), &element, error);

		g_array_append_val(group->rules, rule);
		if (!is_read)
			return false;
	}
	g_array_sort_with_data(group->rules, compare_work, rules);
	return true;
}

static struct group *
rules_read_group(struct segment_rules *rules, const struct json *value,
    const struct json_place *place, GError **error)
{
	struct group *group = g_new0(struct group, 1);

	group->rules = g_array_new(FALSE, FALSE, sizeof(struct rule));
	g_array_set_clear_func(group->rules, segment_rules_clear_rule);
	if (rules_read_rules(rules, group, value, place, error))
		return group;
	free_group(group);
	return NULL;
}

struct segment_rules *
segment_rules_read(const char *text, GError **error)
{
	AUTO(segment_rules) rules = g_new0(struct segment_rules, 1);
	gsize size = strlen(text);

	rules->leaves = g_array_new(FALSE, FALSE, sizeof(struct segment_leaf));
	g_array_set_clear_func(rules->leaves, clear_leaf);
	if (size > LIMIT_SEGMENT_BYTES) {
		base_invalid(error, "rules must be at most %d bytes", LIMIT_SEGMENT_BYTES);
		return NULL;
	}
	rules->document = json_parse_as("rules", text, size, error);
	if (!rules->document || !rules_check_size(rules->document, error) ||
	    !(rules->group = rules_read_group(rules, rules->document, NULL, error)))
		return NULL;
	return g_steal_pointer(&rules);
}

/* The context in which leaves are resolved. */
struct resolving {
	struct db *db;
	const struct base_id *workspace;
	bool strict;
	gint64 now;
	GArray *targets; /* of struct store_people_scan_thing: those that were looked up */
};

/* Looks up the target of a leaf, once for all leaves. NULL: an error. */
static const struct store_people_scan_thing *
rules_look_up(const struct resolving *resolving, const struct segment_leaf *leaf, GError **error)
{
	GArray *targets = resolving->targets;
	struct store_people_scan_thing target = {
	    leaf->fact.target, segment_leaf_target(leaf), false, 0};

	for (guint i = 0; i < targets->len; i++) {
		const struct store_people_scan_thing *known =
		    &g_array_index(targets, struct store_people_scan_thing, i);
		if (known->kind == target.kind && base_id_equal(&known->id, &target.id))
			return known;
	}
	if (!store_people_scan_find(resolving->db, resolving->workspace, &target, error))
		return NULL;
	g_array_append_val(targets, target);
	return &g_array_index(targets, struct store_people_scan_thing, targets->len - 1);
}

static bool
rules_resolve(const struct resolving *resolving, struct segment_leaf *leaf, GError **error)
{
	if (resolving->strict && !segment_leaf_check_fit(leaf, error))
		return false;
	if (leaf->within > 0)
		leaf->fact.since = resolving->now - leaf->within;
	if (!leaf->target_place)
		return true;
	const struct store_people_scan_thing *target = rules_look_up(resolving, leaf, error);
	if (!target)
		return false;
	if (!target->found && resolving->strict)
		return segment_leaf_missing(leaf, error);
	leaf->is_void = !target->found;
	if (target->kind == COHORT_TOPIC && target->found)
		segment_leaf_set_topic(leaf, target->detail != 0);
	/* All that happened to one that started since then happened since then. */
	if (target->kind == COHORT_BROADCAST && target->detail >= leaf->fact.since)
		leaf->fact.since = 0;
	return true;
}

bool
segment_rules_resolve(struct segment_rules *rules, struct db *db, const struct base_id *workspace,
    bool strict, GError **error)
{
	g_autoptr(GArray) targets =
	    g_array_new(FALSE, FALSE, sizeof(struct store_people_scan_thing));
	const struct resolving resolving = {db, workspace, strict, base_clock_now(), targets};

	for (guint i = 0; i < rules->leaves->len; i++)
		if (!rules_resolve(
			&resolving, &g_array_index(rules->leaves, struct segment_leaf, i), error))
			return false;
	return true;
}

const struct segment_leaf *
segment_rules_leaf(const struct segment_rules *rules, guint i)
{
	return &g_array_index(rules->leaves, struct segment_leaf, i);
}

guint
segment_rules_count(const struct segment_rules *rules)
{
	return rules->leaves->len;
}

static void
rules_destroy(gpointer rules)
{
	segment_rules_free(rules);
}

/* Raises the numbers of single rules by count. */
static void
rules_shift(struct group *group, guint count)
{
	for (guint i = 0; i < group->rules->len; i++) {
		struct rule *rule = &g_array_index(group->rules, struct rule, i);

		if (rule->nested)
			rules_shift(rule->nested, count);
		else
			rule->leaf += count;
	}
}

void
segment_rules_add(struct segment_rules *rules, struct segment_rules *others)
{
	if (!rules->parts)
		rules->parts = g_ptr_array_new_with_free_func(rules_destroy);
	rules_shift(others->group, rules->leaves->len);
	g_array_append_vals(rules->leaves, others->leaves->data, others->leaves->len);
	/* The leaves have moved with what they own. */
	g_array_set_clear_func(others->leaves, NULL);
	g_array_set_size(others->leaves, 0);
	g_ptr_array_add(rules->parts, others);
}

static bool
group_holds(const struct group *group, bool (*test)(guint leaf, void *context), void *context)
{
	for (guint i = 0; i < group->rules->len; i++) {
		const struct rule *rule = &g_array_index(group->rules, struct rule, i);
		bool holds = rule->nested ? group_holds(rule->nested, test, context)
					  : test(rule->leaf, context);

		if (holds == group->any)
			return holds;
	}
	return !group->any;
}

bool
segment_rules_part_holds(const struct segment_rules *rules, guint part,
    bool (*test)(guint leaf, void *context), void *context)
{
	const struct segment_rules *of = part == 0 ? rules : rules->parts->pdata[part - 1];

	return group_holds(of->group, test, context);
}

bool
segment_rules_hold(
    const struct segment_rules *rules, bool (*test)(guint leaf, void *context), void *context)
{
	return group_holds(rules->group, test, context);
}
