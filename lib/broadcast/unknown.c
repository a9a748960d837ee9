/* SPDX-License-Identifier: MIT */
/* Looks for variables that nobody has. */
#include "broadcast/unknown.h"

#include <stdbool.h>
#include <string.h>

#include "broadcast/source.h"
#include "delivery/part.h"
#include "json/strict.h"
#include "json/value.h"
#include "service/service.h"
#include "store/person/people.h"
#include "store/person/property.h"
#include "template/template.h"

/* Fields are left out. */
static void
unknown_add_name(const char *name, void *names)
{
	if (*name && !delivery_part_knows(name))
		g_hash_table_add(names, g_strdup(name));
}

static void
unknown_add_names(const char *source, GHashTable *names)
{
	if (source)
		template_bare_variables(source, strlen(source), unknown_add_name, names);
}

static gboolean
is_property(void *name, void *value, void *property)
{
	const char *key = ((const struct store_property *)property)->key;
	gsize length = strlen(key);

	return strncmp(name, key, length) == 0 && strchr(".", ((const char *)name)[length]);
}

static gboolean
unknown_is_member(void *name, void *value, void *values)
{
	return json_member_find(values, name) != NULL;
}

/* Takes out the names that are defined, or that one of the newest people has. */
static bool
take_out_known(
    struct service *service, const struct base_id *workspace, GHashTable *names, GError **error)
{
	g_autoptr(GPtrArray) properties = store_property_list(service->db, workspace, error);
	g_autoptr(GPtrArray) people =
	    properties ? store_people_list(service->db, workspace, NULL, STORE_PEOPLE_MOST, error)
		       : NULL;

	if (!people)
		return false;
	for (guint i = 0; i < properties->len; i++)
		g_hash_table_foreach_remove(names, is_property, properties->pdata[i]);
	for (guint i = 0; i < people->len && g_hash_table_size(names) > 0; i++) {
		const char *text = ((const struct store_person *)people->pdata[i])->properties;
		AUTO(json) own = json_parse(text, strlen(text), NULL);

		g_hash_table_foreach_remove(names, unknown_is_member, own);
	}
	return true;
}

static int
unknown_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *
write_sentences(
    struct service *service, const struct base_id *workspace, GHashTable *names, GError **error)
{
	GHashTableIter iterator;
	void *name;

	if (g_hash_table_size(names) > 0 && !take_out_known(service, workspace, names, error))
		return NULL;
	GPtrArray *sentences = g_ptr_array_new_with_free_func(g_free);
	g_hash_table_iter_init(&iterator, names);
	while (g_hash_table_iter_next(&iterator, &name, NULL))
		g_ptr_array_add(
		    sentences, g_strdup_printf("{{%s}} has no value", (const char *)name));
	g_ptr_array_sort(sentences, unknown_by_text);
	return sentences;
}

static GHashTable *
begin_names(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

GPtrArray *
broadcast_unknown(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error)
{
	g_autoptr(GHashTable) names = begin_names();

	unknown_add_names(content->subject, names);
	unknown_add_names(content->html, names);
	unknown_add_names(content->text, names);
	return write_sentences(service, workspace, names, error);
}

/* A source with includes has zero bytes. */
static void
add_names_of(GBytes *bytes, GHashTable *names)
{
	gsize size;
	const char *source = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	if (source)
		template_bare_variables(source, size, unknown_add_name, names);
}

GPtrArray *
broadcast_unknown_in(struct service *service, const struct base_id *workspace,
    const GPtrArray *sources, GError **error)
{
	g_autoptr(GHashTable) names = begin_names();
	GHashTableIter iterator;
	void *name;

	for (guint i = 0; i < sources->len; i++) {
		const struct broadcast_source *source = sources->pdata[i];
		g_autoptr(GHashTable) own = begin_names();
		const char *given = source->variables ? source->variables : "{}";
		AUTO(json) defaults = json_parse(given, strlen(given), NULL);

		unknown_add_names(source->subject, own);
		add_names_of(source->html, own);
		add_names_of(source->text, own);
		g_hash_table_foreach_remove(own, unknown_is_member, defaults);
		g_hash_table_iter_init(&iterator, own);
		while (g_hash_table_iter_next(&iterator, &name, NULL))
			g_hash_table_add(names, g_strdup(name));
	}
	return write_sentences(service, workspace, names, error);
}
