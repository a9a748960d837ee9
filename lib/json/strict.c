/* SPDX-License-Identifier: MIT */
/* From text to document: the tree, and the bytes that it refers to. */
#include "json/strict.h"

#include "base/error.h"
#include "json/node.h"
#include "json/tree.h"

struct document {
	struct json root; /* its address is the document's */
	char *bytes;
};

static struct json *
take(const char *name, char *bytes, gsize size, GError **error)
{
	g_autofree struct document *document = g_new0(struct document, 1);
	g_autofree char *own = bytes;

	if (!json_tree_read(name, bytes, size, &document->root, error))
		return NULL;
	json_tree_settle(&document->root);
	document->bytes = g_steal_pointer(&own);
	return &g_steal_pointer(&document)->root;
}

static bool
is_too_large(const char *name, gsize size, GError **error)
{
	if (size <= G_MAXINT)
		return false;
	g_set_error(error, PH_ERROR, PH_ERROR_TOO_LARGE, "%s is larger than 2 GiB", name);
	return true;
}

struct json *
json_parse_as(const char *name, const char *bytes, gsize size, GError **error)
{
	if (is_too_large(name, size, error))
		return NULL;
	return take(name, g_memdup2(bytes, size), size, error);
}

struct json *
json_parse(const char *bytes, gsize size, GError **error)
{
	return json_parse_as("body", bytes, size, error);
}

struct json *
json_parse_take(char *bytes, gsize size, GError **error)
{
	if (!is_too_large("body", size, error))
		return take("body", bytes, size, error);
	g_free(bytes);
	return NULL;
}

void
json_free(struct json *root)
{
	struct document *document = (struct document *)root;

	if (!document)
		return;
	json_tree_clear(root);
	g_free(document->bytes);
	g_free(document);
}

void
json_forget(const struct json *value)
{
	struct json *container = (struct json *)value;

	if (json_kind(value) != JSON_ARRAY && json_kind(value) != JSON_OBJECT)
		return;
	json_tree_clear(container);
	container->size = 0;
}
