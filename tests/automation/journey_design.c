/* SPDX-License-Identifier: MIT */
/* Makes journeys at random, and writes them as designs. */
#include <string.h>

#include "tests/automation/journey.h"

static const char *const names[] = {"order", "paid", "other", "person.updated", "segment.entered",
    "segment.left", "date.reached", "schedule.due", "workflow.started"};

static bool
invent_one_in(GRand *rand, gint32 count)
{
	return g_rand_int_range(rand, 0, count) == 0;
}

static int
invent_from(GRand *rand, int first, int last)
{
	return g_rand_int_range(rand, first, last + 1);
}

static struct journey_value
invent_value(GRand *rand, guint nodes)
{
	static const enum journey_path paths[] = {
	    PATH_EVENT_N, PATH_EVENT_N, PATH_N, PATH_PLAN, PATH_STEP};
	struct journey_value value = {.path = paths[invent_from(rand, 0, G_N_ELEMENTS(paths) - 1)]};

	if (value.path == PATH_STEP)
		value.node = (guint)invent_from(rand, 1, JOURNEY_NODES - 1);
	if (value.path == PATH_STEP && value.node >= nodes)
		value.path = PATH_N;
	return value;
}

static void
invent_rules(GRand *rand, guint nodes, bool may_be_none, struct journey_rules *rules_r)
{
	*rules_r = (struct journey_rules){.is_any = invent_one_in(rand, 2)};
	rules_r->count = (guint)invent_from(rand, may_be_none ? 0 : 1, JOURNEY_RULES);
	for (guint i = 0; i < rules_r->count; i++) {
		struct journey_rule *rule = &rules_r->rules[i];

		*rule = (struct journey_rule){
		    .operator=(enum journey_operator) invent_from(rand, IS, IS_NOT_IN),
		    .left = invent_value(rand, nodes),
		    .is_var = invent_one_in(rand, 2),
		    .var = invent_value(rand, nodes),
		    .value = invent_from(rand, 1, 3)};
		if (invent_one_in(rand, 2)) /* the most usual */
			rule->operator= IS;
	}
}

/* The time of person.updated and that of the event that changed the person are the same in the
   engine, or one ms apart: nothing waits for it. */
static enum journey_event
invent_awaited(GRand *rand)
{
	static const enum journey_event events[] = {JOURNEY_ORDER, JOURNEY_PAID, JOURNEY_PAID,
	    JOURNEY_OTHER, JOURNEY_ENTERED, JOURNEY_LEFT};

	return events[invent_from(rand, 0, G_N_ELEMENTS(events) - 1)];
}

static void
invent_conditions(GRand *rand, guint nodes, struct journey_condition *conditions, guint *count_r)
{
	*count_r = invent_one_in(rand, 3) ? (guint)invent_from(rand, 1, JOURNEY_CONDITIONS) : 0;
	for (guint i = 0; i < *count_r; i++) {
		bool is_rules = invent_one_in(rand, 3);

		conditions[i].event = is_rules ? JOURNEY_RULE : invent_awaited(rand);
		invent_rules(rand, nodes, !is_rules, &conditions[i].rules);
	}
}

static guint
invent_ways(enum journey_type type)
{
	return type == TYPE_EXIT || type == TYPE_DELETE ? 0 : journey_handle(type, 0) ? 2 : 1;
}

static struct journey_node
invent_node(GRand *rand, guint nodes)
{
	static const enum journey_type types[] = {TYPE_SEND, TYPE_WAIT, TYPE_WAIT, TYPE_WAIT_TIME,
	    TYPE_WAIT_DAY, TYPE_AWAIT, TYPE_AWAIT, TYPE_AWAIT, TYPE_CONDITION, TYPE_CONDITION,
	    TYPE_UPDATE, TYPE_UPDATE, TYPE_DIGEST, TYPE_DIGEST, TYPE_REQUEST, TYPE_SPLIT, TYPE_EXIT,
	    TYPE_DELETE};
	struct journey_node node = {.type = types[invent_from(rand, 0, G_N_ELEMENTS(types) - 1)],
	    .next = {JOURNEY_NONE, JOURNEY_NONE},
	    .hours = invent_from(rand, 1, 12),
	    .event = invent_awaited(rand),
	    .n = invent_one_in(rand, 3) ? invent_from(rand, 0, 3) : JOURNEY_NONE,
	    .plan = invent_one_in(rand, 2) ? invent_from(rand, 0, 3) : JOURNEY_NONE,
	    .copies = invent_one_in(rand, 4),
	    .subscribed = invent_one_in(rand, 4) ? invent_from(rand, 0, 1) : JOURNEY_NONE,
	    .is_keyed = invent_one_in(rand, 2)};

	if (node.type == TYPE_DELETE && !invent_one_in(rand, 3))
		node.type = TYPE_EXIT;
	if (node.type == TYPE_AWAIT && invent_one_in(rand, 4))
		node.hours = 0;
	if (node.copies)
		node.n = JOURNEY_NONE;
	else if (node.n == JOURNEY_NONE && node.plan == JOURNEY_NONE)
		node.plan = JOURNEY_SEGMENT_PLAN;
	invent_rules(rand, nodes, node.type == TYPE_AWAIT, &node.rules);
	return node;
}

/* Whether each visit of the node takes time. */
static bool
invent_lasts(const struct journey_node *node)
{
	return node->type == TYPE_WAIT || node->type == TYPE_AWAIT || node->type == TYPE_DIGEST;
}

/* Gives a free way out of a node before place an edge there; false: none is free. */
static bool
invent_edge(GRand *rand, struct journey *journey, guint place)
{
	guint found = 0, from = 0, way = 0;

	for (guint i = 0; i < MIN(place, journey->count); i++)
		for (guint j = 0; j < invent_ways(journey->nodes[i].type); j++)
			if (journey->nodes[i].next[j] == JOURNEY_NONE &&
			    invent_one_in(rand, (gint32)++found)) {
				from = i;
				way = j;
			}
	if (found > 0)
		journey->nodes[from].next[way] = (int)place;
	return found > 0;
}

/* Joins ways: forward, or back from a node that lasts, so that each circle takes time. */
static void
invent_joins(GRand *rand, struct journey *journey)
{
	for (guint i = 1; i < journey->count; i++)
		for (guint j = 0; j < invent_ways(journey->nodes[i].type); j++) {
			int first = invent_lasts(&journey->nodes[i]) ? 1 : (int)i + 1;

			if (journey->nodes[i].next[j] == JOURNEY_NONE &&
			    first < (int)journey->count && invent_one_in(rand, 4))
				journey->nodes[i].next[j] =
				    invent_from(rand, first, (int)journey->count - 1);
		}
}

void
journey_invent(GRand *rand, const struct journey *before, struct journey *journey_r)
{
	static const enum journey_event events[] = {JOURNEY_ORDER, JOURNEY_ORDER, JOURNEY_ORDER,
	    JOURNEY_PAID, JOURNEY_UPDATED, JOURNEY_ENTERED, JOURNEY_LEFT, JOURNEY_DATE,
	    JOURNEY_TICK, JOURNEY_STARTED};
	guint nodes = (guint)invent_from(rand, 1, JOURNEY_NODES);
	struct journey journey = {
	    .event =
		before ? before->event : events[invent_from(rand, 0, G_N_ELEMENTS(events) - 1)],
	    .is_keyed = before ? before->is_keyed : invent_one_in(rand, 3),
	    .reentry = (enum journey_reentry)invent_from(rand, EVERY_TIME, ONLY_ONCE),
	    .window = invent_one_in(rand, 3) ? 2 * JOURNEY_HOUR + JOURNEY_HOUR / 120 : 0,
	    .within = invent_one_in(rand, 3) ? invent_from(rand, 1, 12) * JOURNEY_HOUR : 0,
	    .goes_on = invent_one_in(rand, 3),
	    .count = 1};

	if (invent_one_in(rand, 3))
		journey.reentry = EVERY_TIME;
	journey.nodes[0] =
	    (struct journey_node){TYPE_TRIGGER, .next = {JOURNEY_NONE, JOURNEY_NONE}};
	while (journey.count < nodes && invent_edge(rand, &journey, journey.count))
		journey.nodes[journey.count++] = invent_node(rand, nodes);
	/* Rules may name nodes up to the number that was wanted. */
	invent_joins(rand, &journey);
	if (invent_one_in(rand, 3))
		invent_rules(rand, 0, true, &journey.filter);
	invent_conditions(rand, journey.count, journey.goals, &journey.goal_count);
	invent_conditions(rand, journey.count, journey.exits, &journey.exit_count);
	*journey_r = journey;
}

const char *
journey_handle(enum journey_type type, guint way)
{
	switch (type) {
	case TYPE_AWAIT:
		return way == 0 ? "event" : "timeout";
	case TYPE_CONDITION:
		return way == 0 ? "yes" : "no";
	case TYPE_REQUEST:
		return way == 0 ? "ok" : "failed";
	case TYPE_SPLIT:
		return way == 0 ? "a" : "b";
	default:
		return NULL;
	}
}

static const char *
design_member(const struct journey *journey, guint node)
{
	enum journey_type type = node < journey->count ? journey->nodes[node].type : TYPE_EXIT;

	return type == TYPE_AWAIT ? "event.n" : type == TYPE_DIGEST ? "count" : "status";
}

static char *
design_path(const struct journey *journey, const struct journey_value *value)
{
	if (value->path == PATH_STEP)
		return g_strdup_printf(
		    "step.n%u.%s", value->node, design_member(journey, value->node));
	return g_strdup(value->path == PATH_EVENT_N ? "event.n"
			: value->path == PATH_N	    ? "n"
						    : "plan");
}

static void
design_rule(GString *text, const struct journey *journey, const struct journey_rule *rule,
    const char *segment)
{
	static const char *const operators[] = {
	    "equals", "not_equals", "exists", "not_exists", "in", "not_in"};
	g_autofree char *path = design_path(journey, &rule->left);

	if (rule->operator>= IS_IN) {
		g_string_append_printf(text, "{'segment': '%s', 'operator': '%s'}", segment,
		    operators[rule->operator]);
		return;
	}
	g_string_append_printf(
	    text, "{'property': '%s', 'operator': '%s'", path, operators[rule->operator]);
	if (rule->operator<= IS_NOT && rule->is_var) {
		g_autofree char *var = design_path(journey, &rule->var);

		g_string_append_printf(text, ", 'value': {'var': '%s'}", var);
	} else if (rule->operator<= IS_NOT)
		g_string_append_printf(text, ", 'value': %d", rule->value);
	g_string_append_c(text, '}');
}

static void
design_rules(GString *text, const struct journey *journey, const struct journey_rules *rules,
    const char *segment)
{
	g_string_append_printf(
	    text, "'match': '%s', 'rules': [", rules->is_any && rules->count ? "any" : "all");
	for (guint i = 0; i < rules->count; i++) {
		g_string_append(text, i ? ", " : "");
		design_rule(text, journey, &rules->rules[i], segment);
	}
	g_string_append(text, "]");
}

static void
design_event(GString *text, const struct journey *journey, enum journey_event event,
    const struct journey_rules *filter, const char *segment)
{
	g_string_append_printf(text, "'eventName': '%s'", names[event]);
	if (event == JOURNEY_ENTERED || event == JOURNEY_LEFT)
		g_string_append_printf(text, ", 'segmentId': '%s'", segment);
	if (filter->count > 0) {
		g_string_append(text, ", 'filter': {");
		design_rules(text, journey, filter, segment);
		g_string_append_c(text, '}');
	}
}

static void
design_conditions(GString *text, const struct journey *journey,
    const struct journey_condition *conditions, guint count, const char *segment)
{
	for (guint i = 0; i < count; i++) {
		g_string_append(text, i ? ", {" : "{");
		if (conditions[i].event == JOURNEY_RULE)
			design_rules(text, journey, &conditions[i].rules, segment);
		else
			design_event(
			    text, journey, conditions[i].event, &conditions[i].rules, segment);
		g_string_append_c(text, '}');
	}
}

static void
design_trigger(GString *text, const struct journey *journey, const char *segment)
{
	static const char *const reentries[] = {"every", "after_finish", "once"};

	design_event(text, journey, journey->event, &journey->filter, segment);
	if (journey->event == JOURNEY_DATE)
		g_string_append(text, ", 'date': {'property': 'day'}");
	if (journey->event == JOURNEY_TICK)
		g_string_append_printf(
		    text, ", 'schedule': {'cron': '30 9 * * *'}, 'segmentId': '%s'", segment);
	g_string_append_printf(text, ", 'reentry': '%s', 'dedupe_window': %d%s",
	    reentries[journey->reentry], (int)journey->window,
	    journey->is_keyed ? ", 'key': 'event.n'" : "");
	if (journey->goal_count > 0) {
		g_string_append(text, ", 'goal': {'any': [");
		design_conditions(text, journey, journey->goals, journey->goal_count, segment);
		g_string_append_c(text, ']');
		if (journey->within)
			g_string_append_printf(text,
			    ", 'within': {'duration': %d, 'unit': 'hours'}",
			    (int)(journey->within / JOURNEY_HOUR));
		g_string_append(text, journey->goes_on ? ", 'ends': false}" : "}");
	}
	if (journey->exit_count > 0) {
		g_string_append(text, ", 'exit': [");
		design_conditions(text, journey, journey->exits, journey->exit_count, segment);
		g_string_append_c(text, ']');
	}
}

static void
design_number(GString *text, const char *name, int value)
{
	if (value == 0)
		g_string_append_printf(
		    text, "%s'%s': null", text->str[text->len - 1] == '{' ? "" : ", ", name);
	else if (value != JOURNEY_NONE)
		g_string_append_printf(
		    text, "%s'%s': %d", text->str[text->len - 1] == '{' ? "" : ", ", name, value);
}

static void
design_update(GString *text, const struct journey_node *node)
{
	g_string_append(text, "'set': {");
	design_number(text, "n", node->n);
	design_number(text, "plan", node->plan);
	g_string_append_c(text, '}');
	if (node->copies)
		g_string_append(text, ", 'copy': {'n': 'event.n'}");
	if (node->subscribed != JOURNEY_NONE)
		g_string_append_printf(
		    text, ", 'subscribed': %s", node->subscribed ? "true" : "false");
}

static void
design_data(GString *text, const struct journey *journey, const struct journey_node *node,
    const char *segment)
{
	switch (node->type) {
	case TYPE_TRIGGER:
		design_trigger(text, journey, segment);
		break;
	case TYPE_SEND:
		g_string_append(text, "'subject': 'Hello', 'html': '<p>Hello</p>'");
		break;
	case TYPE_WAIT_TIME:
		g_string_append(text, "'time': '09:30'");
		break;
	case TYPE_WAIT_DAY:
		g_string_append(text, "'until': 'day'");
		break;
	case TYPE_AWAIT:
		design_event(text, journey, node->event, &node->rules, segment);
		if (node->hours)
			g_string_append_printf(text,
			    ", 'timeout': {'duration': %d, 'unit': 'hours'}", (int)node->hours);
		break;
	case TYPE_CONDITION:
		design_rules(text, journey, &node->rules, segment);
		break;
	case TYPE_UPDATE:
		design_update(text, node);
		break;
	case TYPE_WAIT:
	case TYPE_DIGEST:
		g_string_append_printf(text, "'duration': %d, 'unit': 'hours'", (int)node->hours);
		if (node->type == TYPE_DIGEST && node->is_keyed)
			g_string_append(text, ", 'key': 'event.n'");
		break;
	case TYPE_REQUEST:
		g_string_append(text, "'url': 'https://example.com/{{event.n}}'");
		break;
	case TYPE_SPLIT:
		g_string_append(text, "'weights': {'a': 1, 'b': 1}");
		break;
	case TYPE_DELETE:
	case TYPE_EXIT:
		break;
	}
}

char *
journey_nodes(const struct journey *journey, const char *segment)
{
	static const char *const types[] = {"trigger", "send_email", "wait", "wait", "wait",
	    "wait_for_event", "condition", "update_contact", "delete_contact", "digest", "request",
	    "split", "exit"};
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < journey->count; i++) {
		const struct journey_node *node = &journey->nodes[i];

		g_string_append_printf(text, "%s{'id': 'n%u', 'type': '%s', 'data': {",
		    i ? ",\n" : "", i, types[node->type]);
		design_data(text, journey, node, segment);
		g_string_append(text, "}}");
	}
	return g_string_free(text, FALSE);
}

char *
journey_edges(const struct journey *journey)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < journey->count; i++)
		for (guint way = 0; way < 2; way++) {
			const struct journey_node *node = &journey->nodes[i];
			const char *handle = journey_handle(node->type, way);

			if (node->next[way] == JOURNEY_NONE)
				continue;
			g_string_append_printf(text, "%s{'source': 'n%u', 'target': 'n%d'",
			    text->len ? ", " : "", i, node->next[way]);
			if (handle)
				g_string_append_printf(text, ", 'sourceHandle': '%s'", handle);
			g_string_append_c(text, '}');
		}
	return g_string_free(text, FALSE);
}
