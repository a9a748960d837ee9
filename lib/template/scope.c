/* SPDX-License-Identifier: MIT */
/* Finds values in the open blocks and included templates. */
#include "template/scope.h"

#include <string.h>

static struct template_frame *
frame_at(const struct template_scope *scope, guint number)
{
	return &g_array_index(scope->frames, struct template_frame, number);
}

void
template_scope_init(struct template_scope *scope, const struct template_values *values)
{
	*scope = (struct template_scope){
	    .values = values,
	    .frames = g_array_new(FALSE, FALSE, sizeof(struct template_frame)),
	    .data = TEMPLATE_SCOPE_NONE,
	};
	struct template_frame *base = template_scope_push(scope, FRAME_BASE);
	base->value.kind = VALUE_OBJECT;
	base->parent = TEMPLATE_SCOPE_NONE;
}

void
template_scope_clear(struct template_scope *scope)
{
	g_clear_pointer(&scope->frames, g_array_unref);
	template_measures_clear(&scope->measures);
}

struct template_frame *
template_scope_top(const struct template_scope *scope)
{
	return frame_at(scope, scope->frames->len - 1);
}

struct template_frame *
template_scope_push(struct template_scope *scope, enum template_frame_kind kind)
{
	const struct template_frame frame = {
	    .kind = kind, .level = scope->level, .data = scope->data, .blocks = scope->blocks};

	g_array_append_val(scope->frames, frame);
	if (kind == FRAME_EACH)
		scope->data = scope->frames->len - 1;
	return template_scope_top(scope);
}

struct template_frame *
template_scope_push_part(struct template_scope *scope, bool is_body)
{
	struct template_frame *frame = template_scope_push(scope, FRAME_PARTIAL);

	frame->value = frame_at(scope, is_body ? 0 : scope->level)->value;
	frame->parent = TEMPLATE_SCOPE_NONE;
	scope->level = scope->frames->len - 1;
	if (is_body) {
		scope->data = TEMPLATE_SCOPE_NONE;
		scope->blocks = 0;
	}
	frame->inside = scope->blocks;
	return frame;
}

void
template_scope_pop(struct template_scope *scope)
{
	const struct template_frame *frame = template_scope_top(scope);

	scope->level = frame->level;
	scope->data = frame->data;
	scope->blocks = frame->blocks;
	g_array_set_size(scope->frames, scope->frames->len - 1);
}

static bool
is_root(const struct template_value *value)
{
	return value->kind == VALUE_OBJECT && !value->node;
}

static struct template_value
truth(bool holds)
{
	return holds ? (struct template_value){VALUE_TRUE, "true", NULL, 0}
		     : (struct template_value){VALUE_FALSE, "false", NULL, 0};
}

/* The value of @index and so on. */
static struct template_value
find_data(struct template_scope *scope, enum template_root root)
{
	const struct template_frame *each =
	    scope->data == TEMPLATE_SCOPE_NONE ? NULL : frame_at(scope, scope->data);

	if (!each)
		return (struct template_value){VALUE_NONE, NULL, NULL, 0};
	if (root == PATH_FIRST || root == PATH_LAST)
		return truth(
		    root == PATH_FIRST ? each->index == 0 : each->index + 1 == each->list.count);
	if (root == PATH_KEY && each->key)
		return (struct template_value){VALUE_TEXT, each->key, NULL, 0};
	g_snprintf(scope->measures.number, sizeof(scope->measures.number), "%" G_GSIZE_FORMAT,
	    each->index);
	return (struct template_value){VALUE_NUMBER, scope->measures.number, NULL, 0};
}

static struct template_value
find_in(struct template_scope *scope, guint level, const char *name)
{
	static const struct template_value none = {VALUE_NONE, NULL, NULL, 0};

	if (level == TEMPLATE_SCOPE_NONE)
		return none;
	const struct template_value *context = &frame_at(scope, level)->value;
	/* For Handlebars null is an empty object in a block of its own. */
	if (!*name && context->kind == VALUE_NONE && scope->blocks > frame_at(scope, level)->inside)
		return (struct template_value){VALUE_OBJECT, NULL, &none, 0};
	if (!*name)
		return *context;
	return is_root(context)
		   ? template_value_find(scope->values, name, &scope->measures)
		   : template_value_below(scope->values, *context, name, &scope->measures);
}

struct template_value
template_scope_find(struct template_scope *scope, const struct template_path *path, bool is_old)
{
	const char *name = path->name;
	guint level = scope->level;

	if (path->root == PATH_ROOT)
		return find_in(scope, 0, name);
	if (path->root != PATH_HERE)
		return find_data(scope, path->root);
	for (guint i = 0; i < path->up && level != TEMPLATE_SCOPE_NONE; i++)
		level = frame_at(scope, level)->parent;
	if (path->up > 0 || is_old)
		return find_in(scope, level, name);
	if (strcmp(name, "..") == 0)
		return find_in(scope, frame_at(scope, level)->parent, "");
	if (strcmp(name, "this") == 0 || strcmp(name, ".") == 0)
		return find_in(scope, level, "");
	return find_in(
	    scope, level, g_str_has_prefix(name, "this.") ? name + strlen("this.") : name);
}

/* JavaScript compares the text of an array. The text of an array of several elements is left
   out. */
static struct template_value
primitive(const struct template_scope *scope, struct template_value value)
{
	const char *key;
	bool is_array = value.kind == VALUE_ARRAY;

	while (value.kind == VALUE_ARRAY && value.count == 1)
		value = scope->values->at(value.node, 0, &key);
	if (is_array && (value.kind == VALUE_NONE || (value.kind == VALUE_ARRAY && !value.count)))
		return (struct template_value){VALUE_TEXT, "", NULL, 0};
	if (is_array && value.kind < VALUE_TEXT)
		value.kind = VALUE_TEXT;
	return value;
}

/* Reads a number as JavaScript does for ==. Returns false for a text that is none. */
static bool
scope_number_of(struct template_scope *scope, const struct template_value *value, double *number_r)
{
	*number_r = value->kind == VALUE_TRUE;
	return value->kind <= VALUE_TRUE ||
	       template_value_number(value, &scope->measures, number_r);
}

static bool
is_same_text(struct template_scope *scope, const char *a, const char *b)
{
	const char *start = a;

	if (a == b)
		return true;
	while (*a && *a == *b) {
		a++;
		b++;
	}
	scope->measures.steps += (a - start) / 64;
	return *a == *b;
}

/* Whether JavaScript's == holds: then "../" leads on to the context around both. */
static bool
scope_is_same(
    struct template_scope *scope, const struct template_value *a, const struct template_value *b)
{
	double x, y;

	if (a->kind >= VALUE_ARRAY && b->kind >= VALUE_ARRAY)
		return a->kind == b->kind && a->node == b->node;
	if (a->kind == VALUE_NONE || b->kind == VALUE_NONE)
		return a->kind == b->kind;
	const struct template_value one = primitive(scope, *a), other = primitive(scope, *b);
	if (one.kind >= VALUE_ARRAY || other.kind >= VALUE_ARRAY)
		return false;
	if (one.kind == VALUE_TEXT && other.kind == VALUE_TEXT)
		return is_same_text(scope, one.text, other.text);
	return scope_number_of(scope, &one, &x) && scope_number_of(scope, &other, &y) && !(x < y) &&
	       !(x > y);
}

void
template_scope_turn(struct template_scope *scope)
{
	struct template_frame *each = template_scope_top(scope);

	each->key = NULL;
	each->value = scope->values->at(each->list.node, each->index, &each->key);
	const struct template_frame *outer = frame_at(scope, each->level);
	each->parent =
	    scope_is_same(scope, &each->value, &outer->value) ? outer->parent : each->level;
	scope->level = scope->frames->len - 1;
}
