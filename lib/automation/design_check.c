/* SPDX-License-Identifier: MIT */
/* Finds the faults that keep a design from being active. */
#include "automation/design_check.h"

#include <stdbool.h>
#include <string.h>

#include "automation/design.h"
#include "automation/ending.h"
#include "automation/node_request.h"
#include "automation/rules.h"
#include "rule/event_name.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/workflow.h"
#include "fetch/fetch.h"
#include "json/place.h"
#include "json/value.h"
#include "mail/address.h"
#include "store/automation/secret.h"
#include "store/broadcast/segment.h"
#include "store/consent/topic.h"
#include "store/domain/domain.h"
#include "store/person/audience.h"
#include "store/template/draft.h"
#include "store/template/template.h"

/* Returns the set of nodes that the first trigger leads to, itself included; empty without a
   trigger. The caller owns it. */
static GHashTable *
find_reached(const struct automation_design *design)
{
	GHashTable *reached = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) open = g_ptr_array_new();
	const struct automation_design_node *node = automation_design_start(design);

	for (; node; node = open->len ? g_ptr_array_steal_index_fast(open, open->len - 1) : NULL) {
		g_hash_table_add(reached, (gpointer)node);
		for (guint i = 0; i < node->exit_count; i++)
			if (!g_hash_table_contains(reached, node->exits[i].to))
				g_ptr_array_add(open, (gpointer)node->exits[i].to);
	}
	return reached;
}

/* Returns whether each visit of a node takes time. A wait until a time does not: on the second
   visit the time has passed. A wait with a fault counts as one that takes time. */
static bool
design_check_lasts(const struct automation_design_node *node)
{
	return node->type == NODE_WAIT_FOR_EVENT || node->type == NODE_DIGEST ||
	       (node->type == NODE_WAIT && (node->fault || node->wait.duration > 0));
}

/* A node on the path of the search. */
struct stop {
	const struct automation_design_node *node;
	guint next; /* index of the edge to follow next */
};

enum { UNSEEN, ON_THE_WAY, DONE };

static GPtrArray *
cut_circle(const GArray *way, const struct automation_design_node *first)
{
	GPtrArray *circle = g_ptr_array_new();
	guint i = way->len;

	while (g_array_index(way, struct stop, i - 1).node != first)
		i--;
	for (i--; i < way->len; i++)
		g_ptr_array_add(circle, (gpointer)g_array_index(way, struct stop, i).node);
	return circle;
}

static void
design_check_enter(GArray *way, GHashTable *states, const struct automation_design_node *node)
{
	struct stop stop = {node, 0};

	g_hash_table_insert(states, (gpointer)node, GUINT_TO_POINTER(ON_THE_WAY));
	g_array_append_val(way, stop);
}

/* Searches depth-first from one node; returns the first circle, or NULL. */
static GPtrArray *
design_check_search(const struct automation_design_node *from, GHashTable *states)
{
	g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(struct stop));

	design_check_enter(way, states, from);
	while (way->len > 0) {
		struct stop *stop = &g_array_index(way, struct stop, way->len - 1);

		if (stop->next == stop->node->exit_count) {
			g_hash_table_insert(states, (gpointer)stop->node, GUINT_TO_POINTER(DONE));
			g_array_set_size(way, way->len - 1);
			continue;
		}
		const struct automation_design_node *to = stop->node->exits[stop->next++].to;
		guint state = GPOINTER_TO_UINT(g_hash_table_lookup(states, to));
		if (state == ON_THE_WAY)
			return cut_circle(way, to);
		if (state == UNSEEN && !design_check_lasts(to))
			design_check_enter(way, states, to);
	}
	return NULL;
}

/* Returns the nodes of a circle without a wait for a duration or for an event, in their order; NULL
   when there is none. The caller owns it. */
static GPtrArray *
find_circle(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);
	g_autoptr(GHashTable) states = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];
		bool is_seen = g_hash_table_contains(states, node);
		GPtrArray *circle =
		    is_seen || design_check_lasts(node) ? NULL : design_check_search(node, states);

		if (circle)
			return circle;
	}
	return NULL;
}

bool
automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;

	return store_template_find(store->db, store->workspace, id, found_r, subject_r, error);
}

bool
automation_design_published(
    const char *name, bool *found_r, bool *subject_r, bool *sender_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	GError *local = NULL;
	AUTO(store_template)
	template = store_template_draft_published(store->db, store->workspace, name, &local);

	*found_r = template && template->published;
	*subject_r = template && template->subject;
	*sender_r = template && template->sender;
	if (template)
		return true;
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, local);
		return false;
	}
	g_error_free(local);
	return true;
}

bool
automation_design_domain(const char *domain, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_domain) found =
	    store_domain_find_sender(store->db, store->workspace, domain, NULL, &local);

	*found_r = found != NULL;
	if (found || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
automation_design_topic(const char *id, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	struct base_id topic;

	*found_r = false;
	if (!base_id_parse(id, &topic))
		return true;
	AUTO(store_topic) found = store_topic_get(store->db, store->workspace, &topic, &local);
	*found_r = found != NULL;
	if (found || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
automation_design_audience(const char *id, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	struct base_id audience;

	*found_r = base_id_parse(id, &audience) &&
		   store_audience_check(store->db, store->workspace, &audience, &local);
	if (!local || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
automation_design_segment(const struct base_id *id, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_segment) found = store_segment_get(store->db, store->workspace, id, &local);

	*found_r = found != NULL;
	if (found || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
automation_design_url(const char *url, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	guint port = 0;

	switch (fetch_url_check(url, &store->rules, &port)) {
	case FETCH_URL_GOOD:
		return true;
	case FETCH_URL_PRIVATE:
		return base_invalid(error, "url must not lead to a private address");
	case FETCH_URL_PORT:
		return base_invalid(error, "url must not use port %u", port);
	case FETCH_URL_MALFORMED:
		break;
	}
	return base_invalid(error, "url must be an absolute http or https URL");
}

bool
automation_design_secret(const char *name, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	g_autoptr(GBytes) value = store_secret_value(store->db, store->workspace, name, &local);

	*found_r = value != NULL;
	if (value || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

bool
automation_design_frozen(const struct base_id *id, bool *frozen_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_segment) found = store_segment_get(store->db, store->workspace, id, &local);

	*frozen_r = found && found->frozen_at;
	if (found || g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

struct check {
	const struct automation_design *design;
	const struct automation_design_lookup *lookup;
	GPtrArray *faults;
	GHashTable *registered; /* domains that a lookup has found */
};

static void G_GNUC_PRINTF(3, 4) note(struct check *check, const char *node, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	automation_design_fault_add(check->faults, node, "%s", text);
}

static void
check_shape(struct check *check)
{
	const GPtrArray *shape = automation_design_shape_faults(check->design);

	for (guint i = 0; i < shape->len; i++) {
		const struct automation_design_fault *found = shape->pdata[i];

		note(check, found->node, "%s", found->message);
	}
}

static void
design_check_check_count(struct check *check)
{
	guint count = automation_design_nodes(check->design)->len;

	if (count > LIMIT_DESIGN_NODES)
		note(check, NULL,
		    "the design has %u nodes, and may have %d: make two workflows of it", count,
		    LIMIT_DESIGN_NODES);
}

static void
check_trigger(struct check *check)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);
	const struct automation_design_node *first = NULL;

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (node->type != NODE_TRIGGER)
			continue;
		if (first)
			note(check, node->id,
			    "node \"%s\" is a second trigger beside \"%s\": leave one of them",
			    node->id, first->id);
		else
			first = node;
	}
	if (!first)
		note(check, NULL,
		    "the design has no trigger: add a node of type trigger with data.eventName");
}

/* Checks that the template exists, and that it or the node has a subject. */
static bool
design_check_check_template(
    struct check *check, const struct automation_design_node *node, GError **error)
{
	const char *id = node->email.template_id;
	bool found = true, subject = true;

	if (!id || !check->lookup->template_find)
		return true;
	if (!check->lookup->template_find(id, &found, &subject, check->lookup->context, error))
		return false;
	if (!found)
		note(check, node->id,
		    "node \"%s\": template \"%s\" does not exist: create it, or name another in "
		    "data.templateId",
		    node->id, id);
	else if (!subject && !node->email.subject)
		note(check, node->id,
		    "node \"%s\": template \"%s\" has no subject: give one in data.subject",
		    node->id, id);
	return true;
}

/* Checks that a published template exists, and that it or the node has a subject. *sender_r: it may
   have a sender. */
static bool
check_published(
    struct check *check, const struct automation_design_node *node, bool *sender_r, GError **error)
{
	const char *name = node->email.published;
	bool found = true, subject = true;

	*sender_r = name != NULL;
	if (!name || !check->lookup->published_find)
		return true;
	if (!check->lookup->published_find(
		name, &found, &subject, sender_r, check->lookup->context, error))
		return false;
	if (!found)
		note(check, node->id,
		    "node \"%s\": there is no published template \"%s\": publish it, or name "
		    "another in data.template.id",
		    node->id, name);
	else if (!subject && !node->email.subject)
		note(check, node->id,
		    "node \"%s\": template \"%s\" has no subject: give one in data.subject",
		    node->id, name);
	return true;
}

/* Returns the sender of a node's email; NULL when it is not checked. */
static struct mail_address *
design_check_sender_of(struct check *check, const struct automation_design_node *node)
{
	const char *from = node->email.from ? node->email.from : check->lookup->sender;

	return check->lookup->domain_find && from && *from ? mail_address_parse(from, NULL) : NULL;
}

/* Checks that the sender's domain is registered; looks for each domain once. */
static bool
design_check_check_domain(
    struct check *check, const struct automation_design_node *node, GError **error)
{
	AUTO(mail_address) address = design_check_sender_of(check, node);
	const char *name = address ? mail_address_domain(address) : NULL;
	bool found = true;

	if (!name || g_hash_table_contains(check->registered, name))
		return true;
	if (!check->lookup->domain_find(name, &found, check->lookup->context, error))
		return false;
	if (found) {
		g_hash_table_add(check->registered, g_strdup(name));
		return true;
	}
	note(check, node->id,
	    "node \"%s\": the domain of its sender, %s, is not registered: register it, or name "
	    "another sender in data.from",
	    node->id, name);
	struct automation_design_fault *fault = check->faults->pdata[check->faults->len - 1];
	fault->of_sender = true;
	return true;
}

static bool
design_check_check_topic(
    struct check *check, const struct automation_design_node *node, GError **error)
{
	const char *id = node->email.topic_id;
	bool found = true;

	if (!id || !check->lookup->topic_find)
		return true;
	if (!check->lookup->topic_find(id, &found, check->lookup->context, error))
		return false;
	if (!found)
		note(check, node->id, "node \"%s\": data.topicId is not a topic", node->id);
	return true;
}

/* Checks that the ids of an object exist. noun: the words for one of them. */
static bool
check_targets(struct check *check, const struct automation_design_node *node, const char *member,
    const char *noun, const struct json *targets,
    bool (*find)(const char *, bool *, void *, GError **), GError **error)
{
	struct json_iterator members = json_members(targets);
	const struct json *value;
	const char *id;
	bool found;

	while (find && json_iterator_next(&members, &id, &value)) {
		if (!find(id, &found, check->lookup->context, error))
			return false;
		if (!found)
			note(check, node->id, "node \"%s\": data.%s.%s is not %s", node->id, member,
			    id, noun);
	}
	return true;
}

static bool
check_update(struct check *check, const struct automation_design_node *node, GError **error)
{
	return check_targets(check, node, "topics", "a topic", node->update.topics,
		   check->lookup->topic_find, error) &&
	       check_targets(check, node, "audiences", "an audience", node->update.audiences,
		   check->lookup->audience_find, error);
}

/* The rules of a node that are checked. */
struct rules_check {
	struct check *check;
	const struct automation_design_node *node;
};

static bool
check_segment(
    const struct base_id *segment, const struct json_place *place, void *context, GError **error)
{
	const struct rules_check *of = context;
	const struct automation_design_lookup *lookup = of->check->lookup;
	bool found;

	if (!lookup->segment_find(segment, &found, lookup->context, error))
		return false;
	g_autofree char *path = json_place_path(place);
	if (!found)
		note(of->check, of->node->id, "node \"%s\": %s is not a segment", of->node->id,
		    path);
	return true;
}

/* Checks that the segments of a goal or an exit exist. */
static bool
check_ending(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	static const struct base_id none;
	const struct json_place filter = {place, "filter", 0}, id = {place, "segmentId", 0};

	return automation_rules_each_segment(condition->rules,
		   condition->event_name ? &filter : place, check_segment, context, error) &&
	       (base_id_equal(&condition->segment_id, &none) ||
		   check_segment(&condition->segment_id, &id, context, error));
}

/* Checks an id that a trigger or a wait names. */
static bool
check_event_target(struct check *check, const struct automation_design_node *node,
    const char *member, const char *noun, const struct base_id *id,
    bool (*find)(const char *, bool *, void *, GError **), GError **error)
{
	char text[ID_TEXT_SIZE];
	bool found = true;

	if (find && !find(base_id_format(id, text), &found, check->lookup->context, error))
		return false;
	if (!found)
		note(check, node->id, "node \"%s\": data.%s is not %s", node->id, member, noun);
	return true;
}

static bool
check_event_segment(struct check *check, const struct automation_design_node *node,
    const struct base_id *segment, GError **error)
{
	static const struct base_id none = {{0}};
	bool found, is_frozen = false;

	if (!check->lookup->segment_find || base_id_equal(segment, &none))
		return true;
	if (!check->lookup->segment_find(segment, &found, check->lookup->context, error) ||
	    (found && check->lookup->segment_frozen &&
		!check->lookup->segment_frozen(segment, &is_frozen, check->lookup->context, error)))
		return false;
	if (!found || is_frozen)
		note(check, node->id, "node \"%s\": data.segmentId is %s", node->id,
		    found ? "frozen" : "not a segment");
	return true;
}

/* Checks the segment, and the audience, that the event of a node has. */
static bool
check_event(struct check *check, const struct automation_design_node *node, GError **error)
{
	const struct automation_node_schedule *schedule = &node->trigger.schedule;

	if (node->type == NODE_WAIT_FOR_EVENT)
		return check_event_segment(check, node, &node->wait_event.segment_id, error);
	if (node->type != NODE_TRIGGER)
		return true;
	if (strcmp(node->trigger.event_name, EVENT_NAME_SCHEDULE) != 0)
		return check_event_segment(check, node, &node->trigger.segment_id, error);
	if (!schedule->has_segment)
		return check_event_target(check, node, "audienceId", "an audience",
		    &schedule->target, check->lookup->audience_find, error);
	bool found = true;
	if (check->lookup->segment_find &&
	    !check->lookup->segment_find(&schedule->target, &found, check->lookup->context, error))
		return false;
	if (!found)
		note(check, node->id, "node \"%s\": data.segmentId is not a segment", node->id);
	return true;
}

/* Checks that the segments of a node's rules exist. */
static bool
check_segments(struct check *check, const struct automation_design_node *node, GError **error)
{
	const struct json_place data = {NULL, "data", 0}, filter = {&data, "filter", 0};
	struct rules_check of = {check, node};

	if (!check->lookup->segment_find)
		return true;
	if (node->type == NODE_CONDITION)
		return automation_rules_each_segment(node->rules, &data, check_segment, &of, error);
	if (node->type == NODE_TRIGGER &&
	    !automation_endings_each(node->trigger.endings, check_ending, &of, error))
		return false;
	return (node->type != NODE_TRIGGER && node->type != NODE_WAIT_FOR_EVENT) ||
	       automation_rules_each_segment(
		   node->type == NODE_TRIGGER ? node->trigger.filter : node->wait_event.filter,
		   &filter, check_segment, &of, error);
}

static bool
check_ending_name(const struct automation_condition *condition, bool is_goal,
    const struct json_place *place, void *context, GError **error)
{
	const struct rules_check *of = context;
	const struct json_place name = {place, "eventName", 0};

	if (!condition->event_name || !rule_event_name_is_start(condition->event_name))
		return true;
	g_autofree char *path = json_place_path(&name);
	note(of->check, of->node->id, "node \"%s\": %s %s cannot be %s", of->node->id, path,
	    condition->event_name, is_goal ? "a goal" : "an exit");
	return true;
}

static void
check_awaited(struct check *check, const struct automation_design_node *node)
{
	struct rules_check of = {check, node};

	if (node->type == NODE_TRIGGER)
		automation_endings_each(node->trigger.endings, check_ending_name, &of, NULL);
	if (node->type == NODE_WAIT_FOR_EVENT &&
	    rule_event_name_is_start(node->wait_event.event_name))
		note(check, node->id, "node \"%s\": data.eventName %s cannot be awaited", node->id,
		    node->wait_event.event_name);
}

static void
check_unknown_members(struct check *check, const struct automation_design_node *node)
{
	for (guint i = 0; node->unknown_members && i < node->unknown_members->len; i++) {
		const char *member = node->unknown_members->pdata[i];

		note(check, node->id, "node \"%s\": %s%s", node->id, member,
		    g_str_has_suffix(member, "?") ? "" : ": remove it");
	}
}

/* A node whose secrets are checked. */
struct secret_check {
	struct check *check;
	const struct automation_design_node *node;
};

static bool
check_secret(const char *header, const char *secret, void *context, GError **error)
{
	const struct secret_check *of = context;
	const struct automation_design_lookup *lookup = of->check->lookup;
	bool found;

	if (!lookup->secret_find(secret, &found, lookup->context, error))
		return false;
	if (!found)
		note(of->check, of->node->id, "node \"%s\": data.headers.%s: no secret \"%s\"",
		    of->node->id, header, secret);
	return true;
}

static void
check_url(struct check *check, const struct automation_design_node *node)
{
	g_autofree char *base = automation_node_request_base(&node->request);
	g_autoptr(GError) fault = NULL;

	if (check->lookup->url_check &&
	    !check->lookup->url_check(base, check->lookup->context, &fault))
		note(check, node->id, "node \"%s\": data.%s", node->id, fault->message);
}

static bool
check_request(struct check *check, const struct automation_design_node *node, GError **error)
{
	struct secret_check of = {check, node};

	check_url(check, node);
	return !check->lookup->secret_find ||
	       automation_node_request_each_secret(&node->request, check_secret, &of, error);
}

static bool
check_node(struct check *check, const struct automation_design_node *node, GError **error)
{
	bool own_sender;

	check_unknown_members(check, node);
	if (node->fault) {
		note(check, node->id, "node \"%s\": %s", node->id, node->fault);
		return true;
	}
	check_awaited(check, node);
	if (node->type == NODE_UPDATE_CONTACT)
		return check_update(check, node, error);
	if (node->type == NODE_REQUEST)
		return check_request(check, node, error);
	if (node->type != NODE_SEND_EMAIL)
		return check_event(check, node, error) && check_segments(check, node, error);
	if (!check_published(check, node, &own_sender, error))
		return false;
	if (!node->email.from && !check->lookup->sender && !own_sender)
		note(check, node->id,
		    "node \"%s\" has no sender: give data.from, or give the workspace a default "
		    "sender",
		    node->id);
	return design_check_check_template(check, node, error) &&
	       design_check_check_domain(check, node, error) &&
	       design_check_check_topic(check, node, error);
}

static bool
design_check_check_nodes(struct check *check, GError **error)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);

	for (guint i = 0; i < nodes->len; i++)
		if (!check_node(check, nodes->pdata[i], error))
			return false;
	return true;
}

/* Names an edge by its id or, without one, by its nodes. The caller owns the text. */
static char *
edge_name(const struct automation_design_edge *edge)
{
	if (edge->id && *edge->id)
		return g_strdup_printf("edge \"%s\"", edge->id);
	return g_strdup_printf("the edge from \"%s\" to \"%s\"", edge->source_id, edge->target_id);
}

/* Lists the handles of a node's edges. The caller owns the text. */
static char *
exit_names(const struct automation_design_node *node)
{
	if (node->type == NODE_CONDITION)
		return g_strdup("yes or no");
	if (node->type == NODE_WAIT_FOR_EVENT)
		return g_strdup("event or timeout");
	GString *names = g_string_new(NULL);
	for (guint i = 0; i < node->split.count; i++)
		g_string_append_printf(
		    names, "%s%s", i == 0 ? "" : " or ", node->split.sides[i].handle);
	return g_string_free(names, FALSE);
}

static void
check_handle(struct check *check, const struct automation_design_edge *edge, const char *name)
{
	const struct automation_design_node *node = edge->source;

	if (automation_node_has_exit(node, edge->handle))
		return;
	if (automation_node_type_is_end(node->type)) {
		note(check, node->id, "node \"%s\" is %s, but %s leads on from it: remove that",
		    node->id, node->type == NODE_EXIT ? "an exit" : "a delete_contact", name);
		return;
	}
	g_autofree char *names = exit_names(node);
	if (edge->handle)
		note(check, node->id,
		    "node \"%s\" has no way out \"%s\", by which %s leaves: let its sourceHandle "
		    "be %s",
		    node->id, edge->handle, name, names);
	else
		note(check, node->id,
		    "node \"%s\": %s does not say by which way out it leaves: let its sourceHandle "
		    "be %s",
		    node->id, name, names);
}

static void
check_ends(struct check *check, const struct automation_design_edge *edge)
{
	g_autofree char *name = edge_name(edge);

	if (!edge->source)
		note(check, edge->source_id,
		    "%s comes from node \"%s\", which does not exist: remove it, or add the node",
		    name, edge->source_id);
	if (!edge->target)
		note(check, edge->source_id,
		    "node \"%s\": %s leads to node \"%s\", which does not exist: remove it, or add "
		    "the node",
		    edge->source_id, name, edge->target_id);
	else if (edge->target->type == NODE_TRIGGER)
		note(check, edge->target->id,
		    "node \"%s\" is a trigger, but %s leads to it: let that lead to the node "
		    "behind it",
		    edge->target->id, name);
	if (edge->source && edge->source->type != NODE_UNKNOWN)
		check_handle(check, edge, name);
}

static bool
has_one_exit(const struct automation_design_node *node)
{
	return node->type != NODE_CONDITION && node->type != NODE_WAIT_FOR_EVENT &&
	       node->type != NODE_REQUEST && node->type != NODE_SPLIT;
}

/* Checks that no other edge has the same handle. */
static void
check_single(struct check *check, const struct automation_design_edge *edge, GHashTable *seen)
{
	const struct automation_design_node *node = edge->source;
	bool one = node && has_one_exit(node);

	if (!node || node->type == NODE_UNKNOWN || automation_node_type_is_end(node->type))
		return;
	g_autofree char *key = g_strconcat(edge->source_id, "\n", one ? "" : edge->handle, NULL);
	if (g_hash_table_add(seen, g_strdup(key)))
		return;
	if (one || !edge->handle)
		note(check, node->id, "node \"%s\" has more than one edge out of it: leave one",
		    node->id);
	else
		note(check, node->id, "node \"%s\" has more than one edge out of \"%s\": leave one",
		    node->id, edge->handle);
}

static void
check_edges(struct check *check)
{
	const GArray *edges = automation_design_edges(check->design);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < edges->len; i++) {
		const struct automation_design_edge *edge =
		    &g_array_index(edges, struct automation_design_edge, i);

		check_ends(check, edge);
		check_single(check, edge, seen);
	}
}

/* Checks that the trigger leads to each node; not without a trigger, when all nodes would fail. */
static void
check_reach(struct check *check)
{
	const GPtrArray *nodes = automation_design_nodes(check->design);
	g_autoptr(GHashTable) reached = find_reached(check->design);

	if (g_hash_table_size(reached) == 0)
		return;
	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (!g_hash_table_contains(reached, node) && node->type != NODE_TRIGGER)
			note(check, node->id,
			    "node \"%s\" cannot be reached from the trigger: lead an edge to it, "
			    "or remove it",
			    node->id);
	}
}

static void
check_circles(struct check *check)
{
	g_autoptr(GPtrArray) circle = find_circle(check->design);

	if (!circle)
		return;
	const struct automation_design_node *first = circle->pdata[0];
	g_autoptr(GString) way = g_string_new(NULL);
	for (guint i = 0; i < circle->len; i++) {
		const struct automation_design_node *node = circle->pdata[i];

		g_string_append_printf(way, "\"%s\" -> ", node->id);
	}
	note(check, first->id,
	    "node \"%s\" is in a circle without a wait (%s\"%s\"): put a wait for a duration or "
	    "for "
	    "an event into it",
	    first->id, way->str, first->id);
}

GPtrArray *
automation_design_faults(const struct automation_design *design,
    const struct automation_design_lookup *lookup, GError **error)
{
	g_autoptr(GPtrArray) faults = g_ptr_array_new_with_free_func(automation_design_fault_free);
	g_autoptr(GHashTable) registered =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct check check = {design, lookup, faults, registered};

	check_shape(&check);
	design_check_check_count(&check);
	check_trigger(&check);
	if (!design_check_check_nodes(&check, error))
		return NULL;
	check_edges(&check);
	check_reach(&check);
	check_circles(&check);
	return g_steal_pointer(&faults);
}

bool
automation_design_check(const struct automation_design *design,
    const struct automation_design_lookup *lookup, GError **error)
{
	g_autoptr(GPtrArray) faults = automation_design_faults(design, lookup, error);

	if (!faults || faults->len == 0)
		return faults != NULL;
	const struct automation_design_fault *first = faults->pdata[0];
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, first->message);
	return false;
}
