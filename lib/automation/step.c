/* SPDX-License-Identifier: MIT */
/* Decides the step of each type of node. */
#include "automation/step.h"

#include <string.h>

#include "automation/design.h"
#include "automation/duration.h"
#include "rule/event_name.h"
#include "automation/node.h"
#include "automation/node_wait.h"
#include "rule/properties.h"
#include "automation/results.h"
#include "automation/rules.h"
#include "automation/trigger.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/limits/workflow.h"
#include "base/secret.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/contact.h"

#define CAME "%s came"

static void G_GNUC_PRINTF(3, 4) explain(const struct automation_step_input *input,
    struct automation_step_result *result, const char *format, ...)
{
	va_list args;

	if (!input->explain)
		return;
	va_start(args, format);
	g_free(result->why);
	result->why = g_strdup_vprintf(format, args);
	va_end(args);
}

static void G_GNUC_PRINTF(2, 3) fail(struct automation_step_result *result, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	result->kind = STEP_FAIL;
	result->message = g_strdup_vprintf(format, args);
	va_end(args);
}

/* Does kind, then goes to the next node by the edge of handle (NULL: the only edge). */
static void
step_move(const struct automation_step_input *input, struct automation_step_result *result,
    enum automation_step_kind kind, const char *handle)
{
	result->kind = kind;
	result->handle = handle;
	result->next = automation_design_next(input->design, input->node, handle);
}

static void
step_start(const struct automation_step_input *input, struct automation_step_result *result)
{
	step_move(input, result, STEP_MOVE, NULL);
	explain(input, result, CAME, input->node->trigger.event_name);
}

char *
automation_step_came(const struct automation_design_node *trigger)
{
	return g_strdup_printf(CAME, trigger->trigger.event_name);
}

static void
step_send_email(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_node_email *email = &input->node->email;

	result->email = email;
	step_move(input, result, STEP_SEND, NULL);
	if (email->template_id || email->published)
		explain(input, result, "template %s",
		    email->template_id ? email->template_id : email->published);
	else
		explain(input, result, "\"%s\"", email->subject);
}

static struct automation_rules_scope
step_scope_of(const struct automation_step_input *input)
{
	return (struct automation_rules_scope){input->properties, input->event, input->fields, NULL,
	    input->event, input->segments, input->results};
}

/* The value of a path, as of a property in rules; NULL: none. */
static const struct json *
step_find_property(const struct automation_step_input *input, const char *path)
{
	const struct automation_rules_scope scope = step_scope_of(input);

	return automation_rules_value(path, &scope);
}

/* Reads the time from the property that a wait names; makes the step fail when there is none. */
static bool
find_time(const struct automation_step_input *input, struct automation_step_result *result,
    gint64 *until_r)
{
	const char *path = input->node->wait.property;
	const struct json *value = step_find_property(input, path);

	if (value && automation_node_data_time(value, until_r))
		return true;
	if (value)
		fail(result, "property %s holds no ISO 8601 time to wait for", path);
	else
		fail(result, "property %s, whose time is to be waited for, is missing", path);
	return false;
}

/* The next time of day that a wait names, on the person's clock. */
static gint64
next_on_clock(const struct automation_step_input *input)
{
	const struct automation_node_wait *wait = &input->node->wait;
	const char *zone = json_string(json_member_get(input->fields, "time_zone"), NULL);

	return text_wall_clock_next(&wait->clock, zone, wait->zone, input->time);
}

static void
wait(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_node_wait *wait = &input->node->wait;
	char text[CLOCK_ISO_SIZE];

	result->until = wait->duration	 ? input->time + wait->duration
			: wait->by_clock ? next_on_clock(input)
					 : wait->until;
	if (wait->property && !find_time(input, result, &result->until))
		return;
	if (wait->shift)
		result->until = CLAMP(result->until + wait->shift, 0, CLOCK_LAST);
	if (result->until > input->time) {
		result->kind = STEP_WAIT;
		if (input->explain)
			result->why = automation_step_waits(input->node, result->until);
		return;
	}
	explain(input, result, "%s has passed", base_clock_format(result->until, text));
	result->until = 0;
	step_move(input, result, STEP_MOVE, NULL);
}

static void
step_digest(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_node_digest *digest = &input->node->digest;
	const char *zone = json_string(json_member_get(input->fields, "time_zone"), NULL);

	result->kind = STEP_DIGEST;
	/* A window of a time of day that is now ends a day later, so that it is one. */
	result->until = digest->duration ? input->time + digest->duration
					 : text_wall_clock_next(
					       &digest->clock, zone, digest->zone, input->time + 1);
	result->key = digest->key ? step_find_property(input, digest->key) : NULL;
	if (input->explain)
		result->why = automation_step_waits(input->node, result->until);
}

static void
wait_for_event(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_node_wait_event *wait = &input->node->wait_event;

	result->kind = STEP_WAIT_EVENT;
	result->event_name = wait->event_name;
	result->until = wait->timeout ? input->time + wait->timeout : 0;
	if (input->explain)
		result->why = automation_step_waits(input->node, result->until);
}

char *
automation_step_waits(const struct automation_design_node *node, gint64 until)
{
	g_autoptr(GString) why = g_string_new(NULL);
	char text[CLOCK_ISO_SIZE];

	if (node->type == NODE_WAIT_FOR_EVENT)
		g_string_append_printf(why, "for %s", node->wait_event.event_name);
	if (until)
		g_string_append_printf(
		    why, "%suntil %s", why->len ? ", " : "", base_clock_format(until, text));
	return g_strdup(why->str);
}

static void
step_decide(const struct automation_step_input *input, struct automation_step_result *result)
{
	struct automation_rules_scope scope = step_scope_of(input);
	struct base_budget budget = {.begun = 0};
	g_autoptr(GString) why = input->explain ? g_string_new(NULL) : NULL;

	scope.budget = &budget;
	bool holds = automation_rules_hold(input->node->rules, &scope, why);
	if (budget.is_spent) {
		fail(result, "the rules take too long");
		return;
	}
	step_move(input, result, STEP_MOVE, holds ? "yes" : "no");
	if (why)
		explain(input, result, "%s", why->str);
}

/* The patch of a node that copies properties. A missing one deletes. */
static struct json *
step_copy(const struct automation_step_input *input, const struct automation_node_update *node)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(node->copy);
	const struct json *path;
	const char *name;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &path))
		json_writer_value(writer, name, step_find_property(input, json_string(path, NULL)));
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	AUTO(json) copied = json_parse(text, strlen(text), NULL);
	g_autofree char *paths = rule_properties_patch(copied, NULL);
	AUTO(json) values = paths ? json_parse(paths, strlen(paths), NULL) : NULL;
	g_autofree char *patch = rule_properties_overlay(node->patch, values);
	return json_parse(patch, strlen(patch), NULL);
}

/* Finds the value of a name in its node: a text, or that of a path. *text_r is NULL for none. */
static bool
find_name(const struct automation_step_input *input, const struct json *value, const char **text_r)
{
	const char *path = json_string(json_member_get(value, "var"), NULL);

	if (path)
		value = step_find_property(input, path);
	*text_r = rule_properties_text(value);
	if (*text_r && !**text_r)
		*text_r = NULL;
	return *text_r || !value || json_kind(value) == JSON_STRING;
}

/* The names that a node changes; NULL with a failed step when one of them is not valid. */
static struct json *
find_names(const struct automation_step_input *input, struct automation_step_result *result)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(input->node->update.names);
	struct person_contact_fields fields = {NULL};
	g_autoptr(GError) error = NULL;
	const struct json *value;
	const char *name, *text;
	char *address;

	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &name, &value)) {
		if (!find_name(input, value, &text)) {
			fail(result, "%s must be a string", name);
			return NULL;
		}
		*(strcmp(name, "first_name") == 0 ? &fields.first_name : &fields.last_name) = text;
		json_writer_string(writer, name, text);
	}
	json_writer_end_object(writer);
	if (!person_contact_check(&fields, &address, &error)) {
		fail(result, "%s", error->message);
		return NULL;
	}
	g_autofree char *names = json_writer_take(writer, NULL);
	return json_parse(names, strlen(names), NULL);
}

/* Finds whether the person is to be subscribed; makes the step fail when there is no boolean. */
static bool
find_subscribed(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct json *value = input->node->update.subscribed;
	const struct json *turned = json_member_get(value, "not");
	const char *path = json_string(json_member_get(turned ? turned : value, "var"), NULL);

	if (path)
		value = step_find_property(input, path);
	if (json_kind(value) != JSON_BOOLEAN) {
		fail(result, "subscribed must be true or false");
		return false;
	}
	result->subscribed_given = true;
	result->subscribed = json_boolean(value) != (turned != NULL);
	return true;
}

static void
explain_object(GString *why, const char *name, const struct json *object)
{
	if (json_member_count(object) == 0)
		return;
	g_autofree char *text = json_print(object);
	g_string_append_printf(
	    why, "%s%s%s%s", why->len > 0 ? ", " : "", name, *name ? " " : "", text);
}

/* Writes the names, the properties and the consent that change. */
static void
explain_update(const struct automation_step_input *input, struct automation_step_result *result)
{
	g_autoptr(GString) why = g_string_new(NULL);

	explain_object(why, "", result->names);
	explain_object(why, "", result->patch);
	if (result->subscribed_given)
		g_string_append_printf(why, "%ssubscribed %s", why->len > 0 ? ", " : "",
		    result->subscribed ? "true" : "false");
	explain_object(why, "topics", result->topics);
	explain_object(why, "audiences", result->audiences);
	explain(input, result, "%s", why->len > 0 ? why->str : "{}");
}

static void
step_update(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_node_update *node = &input->node->update;

	if ((node->names && !(result->names = find_names(input, result))) ||
	    (node->subscribed && !find_subscribed(input, result)))
		return;
	result->topics = node->topics;
	result->audiences = node->audiences;
	result->patch = node->patch;
	if (node->copy)
		result->patch = result->made = step_copy(input, node);
	step_move(input, result, STEP_UPDATE, NULL);
	if (input->explain)
		explain_update(input, result);
}

#define REFUSED "This person has unsubscribed"

void
automation_step_note_refused(struct automation_step_result *result)
{
	g_autofree char *before = g_steal_pointer(&result->why);
	const glong most = LIMIT_WHY_LENGTH - (glong)strlen(": " REFUSED);

	if (before && g_utf8_strlen(before, -1) > most)
		*g_utf8_offset_to_pointer(before, most) = '\0';
	result->why = g_strconcat(before ? before : "", before ? ": " : "", REFUSED, NULL);
}

/* Returns the first 8 bytes of SHA-256 over contact and node, as a number. */
static guint64
step_hash(const char *node_id, const struct base_id *contact)
{
	gsize length = strlen(node_id);
	g_autofree guint8 *text = g_malloc(sizeof(contact->bytes) + length);
	guint8 digest[SHA256_SIZE];
	guint64 number;

	memcpy(text, contact->bytes, sizeof(contact->bytes));
	memcpy(text + sizeof(contact->bytes), node_id, length);
	base_secret_sha256(text, sizeof(contact->bytes) + length, digest);
	memcpy(&number, digest, sizeof(number));
	return GUINT64_FROM_BE(number);
}

/* Returns the side of a split for a contact: the same for the same node, contact and weights,
   independent of the contact's sides at other nodes. Contacts fall on the sides in proportion to
   the weights; a side of weight 0 gets none. */
static const struct automation_node_side *
step_side_of(
    const struct automation_node_split *split, const char *node_id, const struct base_id *contact)
{
	gint64 place = (gint64)(step_hash(node_id, contact) % (guint64)split->total);
	const struct automation_node_side *side = split->sides;

	while (place >= side->weight)
		place -= side++->weight;
	return side;
}

static void
split(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_design_node *node = input->node;
	const struct automation_node_side *side =
	    step_side_of(&node->split, node->id, input->contact);

	step_move(input, result, STEP_MOVE, side->handle);
	explain(input, result,
	    "this contact is of the %" G_GINT64_FORMAT " in %" G_GINT64_FORMAT " on this side",
	    side->weight, node->split.total);
}

/* The result of a request: {"status", "body"}. The caller owns it. */
static char *
step_print_answer(const struct automation_step_answer *answer)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "status", answer->status);
	if (answer->body)
		json_writer_raw(writer, "body", answer->body, strlen(answer->body));
	else
		json_writer_null(writer, "body");
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static void
step_ask(const struct automation_step_input *input, struct automation_step_result *result)
{
	const struct automation_step_answer *answer = input->answer;

	if (!answer) {
		result->kind = STEP_REQUEST;
		return;
	}
	if (answer->error && !automation_design_next(input->design, input->node, "failed")) {
		fail(result, "%s", answer->error);
		return;
	}
	result->given = step_print_answer(answer);
	step_move(input, result, STEP_MOVE, answer->error ? "failed" : "ok");
	if (answer->error)
		explain(input, result, "%s", answer->error);
	else
		explain(input, result, "the answer is %u", answer->status);
}

static void
step_delete(const struct automation_step_input *input, struct automation_step_result *result)
{
	result->kind = STEP_DELETE;
}

static void
step_leave(const struct automation_step_input *input, struct automation_step_result *result)
{
	result->kind = STEP_END;
}

static void
step_cut(char *why)
{
	if (why && strlen(why) > LIMIT_WHY_LENGTH && g_utf8_strlen(why, -1) > LIMIT_WHY_LENGTH)
		*g_utf8_offset_to_pointer(why, LIMIT_WHY_LENGTH) = '\0';
}

void
automation_step(const struct automation_step_input *input, struct automation_step_result *result_r)
{
	static void (*const steps[])(
	    const struct automation_step_input *, struct automation_step_result *) = {
	    [NODE_TRIGGER] = step_start,
	    [NODE_SEND_EMAIL] = step_send_email,
	    [NODE_WAIT] = wait,
	    [NODE_WAIT_FOR_EVENT] = wait_for_event,
	    [NODE_CONDITION] = step_decide,
	    [NODE_UPDATE_CONTACT] = step_update,
	    [NODE_DELETE_CONTACT] = step_delete,
	    [NODE_REQUEST] = step_ask,
	    [NODE_SPLIT] = split,
	    [NODE_DIGEST] = step_digest,
	    [NODE_EXIT] = step_leave,
	};
	const struct automation_design_node *node = input->node;

	*result_r = (struct automation_step_result){0};
	if (node->fault)
		fail(result_r, "node \"%s\": %s", node->id, node->fault);
	else if (input->count > LIMIT_STEPS)
		fail(result_r, "more than %d steps", LIMIT_STEPS);
	else
		steps[node->type](input, result_r);
	step_cut(result_r->why);
}

static void
step_take_event(const struct automation_step_input *input, struct automation_step_result *result)
{
	explain(input, result, CAME, input->node->wait_event.event_name);
	if (input->keeps_results)
		result->given = automation_results_event(input->released, input->time);
}

void
automation_step_leave(const struct automation_step_input *input, enum automation_step_leave how,
    struct automation_step_result *result_r)
{
	static const char *const handles[] = {
	    [LEAVE_TIME] = NULL, [LEAVE_EVENT] = "event", [LEAVE_TIMEOUT] = "timeout"};

	*result_r = (struct automation_step_result){0};
	step_move(input, result_r, STEP_MOVE, handles[how]);
	if (input->digest)
		result_r->given = g_strdup(input->digest);
	if (how == LEAVE_TIME)
		explain(input, result_r, "the wait is over");
	else if (how == LEAVE_EVENT)
		step_take_event(input, result_r);
	else
		explain(input, result_r, "%s did not come", input->node->wait_event.event_name);
}

void
automation_step_clear(struct automation_step_result *result)
{
	g_clear_pointer(&result->message, g_free);
	g_clear_pointer(&result->given, g_free);
	g_clear_pointer(&result->why, g_free);
	g_clear_pointer(&result->made, json_free);
	g_clear_pointer(&result->names, json_free);
}

bool
automation_step_releases(const struct automation_design_node *node, const char *event_name,
    const struct automation_rules_scope *scope)
{
	return node->type == NODE_WAIT_FOR_EVENT && !node->fault &&
	       strcmp(node->wait_event.event_name, event_name) == 0 &&
	       automation_trigger_is_about(&node->wait_event.segment_id, scope) &&
	       automation_rules_hold(node->wait_event.filter, scope, NULL);
}

bool
automation_step_in_time(gint64 step_time, gint64 until, gint64 event_time)
{
	return event_time > step_time && (until == 0 || event_time < until);
}

bool
automation_step_matches(const struct automation_node_trigger *trigger, const char *event_name,
    const struct automation_rules_scope *scope, GString *why)
{
	bool is_named = strcmp(trigger->event_name, event_name) == 0;

	if (is_named && automation_trigger_is_about(&trigger->segment_id, scope))
		return automation_rules_hold(trigger->filter, scope, why);
	if (why && is_named)
		g_string_append(why, "the trigger waits for another segment");
	else if (why)
		g_string_append_printf(why, "the trigger waits for %s", trigger->event_name);
	return false;
}

bool
automation_step_is_duplicate(const struct automation_node_trigger *trigger, const char *last_name,
    gint64 last_time, const char *event_name, gint64 event_time)
{
	return last_name && !rule_event_name_reserved(event_name) &&
	       !rule_event_name_is_own(event_name) && strcmp(last_name, event_name) == 0 &&
	       ABS(event_time - last_time) < trigger->dedupe_window;
}

char *
automation_step_key(const struct json *value)
{
	const char *text = rule_properties_text(value);

	if (text && strlen(text) > LIMIT_KEY_BYTES)
		return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	return g_strdup(text ? text : "");
}
