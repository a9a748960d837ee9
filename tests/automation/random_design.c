/* SPDX-License-Identifier: MIT */
/* Makes designs at random. */
#include "tests/automation/random_design.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/automation/sample.h"

#define NODES_MAX 14

/* Possible data of each type of node. */
static const struct {
	const char *type;
	const char *data[8];
} choices[] = {
    {"send_email", {"'templateId': 'hello'", MAIL_DATA, MAIL_DATA ", 'from': 'a@example.com'",
		       "'templateId': 'bare', 'subject': 'Hello'"}},
    {"wait", {"'duration': 1, 'unit': 'minutes'", "'duration': 36, 'unit': 'hours'",
		 "'duration': 2, 'unit': 'weeks'", "'until': '2027-01-17T00:00:00Z'",
		 "'until': 'bill'", "'until': 'event.bill'",
		 "'until': 'bill', 'before': {'duration': 90, 'unit': 'minutes'}",
		 "'time': '09:30', 'days': ['mon', 'sat'], 'zone': 'Europe/Berlin'"}},
    {"wait_for_event",
	{"'eventName': 'paid'", "'eventName': 'order'",
	    "'eventName': 'paid', 'timeout': {'duration': 2, 'unit': 'days'}",
	    "'eventName': 'other', 'timeout': {'duration': 5, 'unit': 'minutes'}, 'filter': "
	    "{'rules': [{'property': 'event.n', 'operator': 'greater_than', 'value': 3}]}",
	    "'eventName': 'paid', 'filter': {'rules': [{'property': 'event.n', 'operator': "
	    "'equals', 'value': {'var': 'event.n'}}]}",
	    "'eventName': 'other', 'filter': {'rules': [{'property': 'event.n', 'operator': "
	    "'equals', 'value': {'var': 'step.n1.event.n'}}]}"}},
    {"condition",
	{RULES_DATA, "'rules': [{'property': 'step.n2.count', 'operator': 'exists'}]",
	    "'rules': [{'property': 'event.n', 'operator': 'less_than', 'value': '3'}]",
	    "'match': 'any', 'rules': [{'property': 'tags', 'operator': 'contains', 'value': 'a'}, "
	    "{'match': 'all', 'rules': [{'property': 'a.b', 'operator': 'not_exists'}]}]"}},
    {"update_contact",
	{"'set': {'plan': 'pro'}", "'set': {'plan': null, 'a.b': 1, 'a.c': {'d': [1, 2]}}",
	    "'set': {'tags': ['a', 'b'], 'bill': '2027-01-16T12:00:00Z'}"}},
    {"split", {"'weights': {'a': 1, 'b': 1}", "'weights': {'a': 0, 'b': 7}",
		  "'weights': {'a': 1000000, 'b': 1}"}},
    {"digest",
	{"'duration': 1, 'unit': 'hours'", "'duration': 2, 'unit': 'days', 'key': 'event.n'"}},
    {"request", {"'url': 'https://example.com/{{event.n}}'"}},
    {"exit", {""}},
};

static const char *const triggers[] = {"'eventName': 'order'",
    "'eventName': 'order', 'reentry': 'once', 'dedupe_window': 0, 'hours': 'any'",
    "'eventName': 'Order ', 'reentry': 'after_finish', 'dedupe_window': 3600000",
    "'eventName': 'order', 'filter': {" RULES_DATA "}",
    "'eventName': 'order', 'key': 'event.n', 'reentry': 'once', 'dedupe_window': 0",
    "'eventName': 'order', 'key': 'event.n', 'reentry': 'after_finish'",
    "'eventName': 'order', 'reentry': 'after_finish', 'dedupe_window': 0, 'exit': [{'eventName': "
    "'order'}]",
    "'eventName': 'order', 'dedupe_window': 0, 'goal': {'any': [{'eventName': 'paid', 'filter': "
    "{'rules': [{'property': 'event.n', 'operator': 'equals', 'value': {'var': 'event.n'}}]}}]}, "
    "'exit': [{'eventName': 'other'}]",
    "'eventName': 'order', 'exit': [{'rules': [{'property': 'plan', 'operator': 'equals', "
    "'value': 'pro'}]}]"};

const char *
random_word(GRand *rand, const char *const *words, gsize count)
{
	return words[g_rand_int_range(rand, 0, (gint32)count)];
}

static void
random_design_free_node(gpointer data)
{
	struct random_node *node = data;

	g_free(node->id);
	g_free(node->data);
	g_free(node);
}

static void
free_edge(gpointer data)
{
	struct random_edge *edge = data;

	g_free(edge->source);
	g_free(edge->target);
	g_free(edge->handle);
	g_free(edge);
}

void
random_design_free(struct random_design *design)
{
	g_ptr_array_unref(design->nodes);
	g_ptr_array_unref(design->edges);
	g_free(design);
}

void
random_design_add_node(
    struct random_design *design, const char *id, const char *type, const char *data)
{
	struct random_node *node = g_new0(struct random_node, 1);

	node->id = g_strdup(id);
	node->type = type;
	node->data = g_strdup(data);
	g_ptr_array_add(design->nodes, node);
}

void
random_design_add_edge(
    struct random_design *design, const char *source, const char *handle, const char *target)
{
	struct random_edge *edge = g_new0(struct random_edge, 1);

	edge->source = g_strdup(source);
	edge->handle = g_strdup(handle);
	edge->target = g_strdup(target);
	g_ptr_array_add(design->edges, edge);
}

const char *
random_design_next(const struct random_design *design, const char *source, const char *handle)
{
	for (guint i = 0; i < design->edges->len; i++) {
		const struct random_edge *edge = design->edges->pdata[i];

		if (strcmp(edge->source, source) == 0 && g_strcmp0(edge->handle, handle) == 0)
			return edge->target;
	}
	return NULL;
}

const struct random_node *
random_design_node(const struct random_design *design, const char *id)
{
	for (guint i = 0; i < design->nodes->len; i++) {
		const struct random_node *node = design->nodes->pdata[i];

		if (strcmp(node->id, id) == 0)
			return node;
	}
	return NULL;
}

guint
random_design_handles(const char *type, const char *handles_r[2])
{
	static const struct {
		const char *type, *handles[2];
		guint count;
	} all[] = {
	    {"condition", {"yes", "no"}, 2},
	    {"wait_for_event", {"event", "timeout"}, 2},
	    {"split", {"a", "b"}, 2},
	    {"request", {"ok", "failed"}, 2},
	    {"exit", {NULL}, 0},
	};

	handles_r[0] = handles_r[1] = NULL;
	for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
		if (strcmp(all[i].type, type) == 0) {
			memcpy(handles_r, all[i].handles, sizeof(all[i].handles));
			return all[i].count;
		}
	return 1;
}

/* Returns whether each visit of a node takes time. */
static bool
random_design_lasts(const struct random_node *node)
{
	return strcmp(node->type, "wait_for_event") == 0 || strcmp(node->type, "digest") == 0 ||
	       (strcmp(node->type, "wait") == 0 && strstr(node->data, "duration") &&
		   !strstr(node->data, "until"));
}

/* Finds an unused handle of one of the nodes before end. */
static bool
random_design_find_free(struct random_design *design, guint end, const struct random_node **node_r,
    const char **handle_r)
{
	guint found = 0;

	for (guint i = 0; i < end; i++) {
		const struct random_node *node = design->nodes->pdata[i];
		const char *handles[2];
		guint count = random_design_handles(node->type, handles);

		for (guint j = 0; j < count; j++) {
			if (random_design_next(design, node->id, handles[j]))
				continue;
			/* Each one found is chosen with the same probability. */
			if (g_rand_int_range(design->rand, 0, (gint32)++found) == 0) {
				*node_r = node;
				*handle_r = handles[j];
			}
		}
	}
	return found > 0;
}

static void
add_random_node(struct random_design *design)
{
	guint place = design->nodes->len;
	guint type = (guint)g_rand_int_range(design->rand, 0, G_N_ELEMENTS(choices));
	guint count = 0;
	const struct random_node *from;
	const char *handle;

	if (!random_design_find_free(design, place, &from, &handle))
		return;
	while (count < G_N_ELEMENTS(choices[type].data) && choices[type].data[count])
		count++;
	g_autofree char *id = g_strdup_printf("n%u", place);
	random_design_add_edge(design, from->id, handle, id);
	random_design_add_node(
	    design, id, choices[type].type, random_word(design->rand, choices[type].data, count));
}

/* Adds an edge forward, or back from a wait, so that each circle has a wait. */
static void
add_random_edge(struct random_design *design)
{
	const struct random_node *from;
	const char *handle;
	guint first = 1;

	if (design->nodes->len < 2 ||
	    !random_design_find_free(design, design->nodes->len, &from, &handle))
		return;
	while (!random_design_lasts(from) && design->nodes->pdata[first - 1] != from)
		first++;
	if (first == design->nodes->len)
		return;
	const struct random_node *to =
	    design->nodes
		->pdata[g_rand_int_range(design->rand, (gint32)first, (gint32)design->nodes->len)];
	random_design_add_edge(design, from->id, handle, to->id);
}

struct random_design *
random_design_new(GRand *rand)
{
	struct random_design *design = g_new0(struct random_design, 1);
	gint32 nodes = g_rand_int_range(rand, 0, NODES_MAX), edges = g_rand_int_range(rand, 0, 6);

	design->rand = rand;
	design->nodes = g_ptr_array_new_with_free_func(random_design_free_node);
	design->edges = g_ptr_array_new_with_free_func(free_edge);
	random_design_add_node(
	    design, "t", "trigger", random_word(rand, triggers, G_N_ELEMENTS(triggers)));
	while (nodes-- > 0)
		add_random_node(design);
	while (edges-- > 0)
		add_random_edge(design);
	return design;
}

struct random_design *
random_design_steady(GRand *rand)
{
	struct random_design *design = random_design_new(rand);
	struct random_node *trigger = design->nodes->pdata[0];

	for (guint i = 0; i < design->nodes->len; i++) {
		struct random_node *node = design->nodes->pdata[i];

		bool is_digest = strcmp(node->type, "digest") == 0;

		/* A digest depends on others that reach it at the same time. */
		if (is_digest)
			node->type = "wait";
		else if (strcmp(node->type, "update_contact") != 0)
			continue;
		g_free(node->data);
		node->data = g_strdup(
		    is_digest ? "'duration': 1, 'unit': 'hours'" : "'set': {'seen': true}");
	}
	g_free(trigger->data);
	trigger->data = g_strdup(triggers[g_rand_int_range(rand, 0, 2)]);
	return design;
}

char *
random_design_nodes(const struct random_design *design)
{
	GString *nodes = g_string_new(NULL);

	for (guint i = 0; i < design->nodes->len; i++) {
		const struct random_node *node = design->nodes->pdata[i];

		g_string_append_printf(nodes, "%s{'id': '%s', 'type': '%s', 'data': {%s}}",
		    i ? "," : "", node->id, node->type, node->data);
	}
	return g_string_free(nodes, FALSE);
}

char *
random_design_edges(const struct random_design *design)
{
	GString *edges = g_string_new(NULL);

	for (guint i = 0; i < design->edges->len; i++) {
		const struct random_edge *edge = design->edges->pdata[i];

		g_string_append_printf(edges, "%s{'source': '%s', 'target': '%s'", i ? "," : "",
		    edge->source, edge->target);
		if (edge->handle)
			g_string_append_printf(edges, ", 'sourceHandle': '%s'", edge->handle);
		g_string_append_c(edges, '}');
	}
	return g_string_free(edges, FALSE);
}

char *
random_design_text(const struct random_design *design)
{
	g_autofree char *nodes = random_design_nodes(design);
	g_autofree char *edges = random_design_edges(design);

	return sample_design_text(nodes, edges);
}
