/* SPDX-License-Identifier: MIT */
/* Puts a template together with its layouts and the templates that it includes. */
#include "content/template_link.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "content/preview.h"
#include "store/template/template.h"
#include "template/part.h"
#include "template/template.h"

/* A template of which one part is put together. */
struct linking {
	struct db *db;
	const struct store_template *template;
	const char *part; /* html or text */
	GHashTable *read; /* id → struct store_template: those that were read */
	GHashTable
	    *depths; /* id → how deep it includes others; IN_PROGRESS: it is being looked at */
	GString *included; /* joined */
	gsize size;
};

#define IN_PROGRESS G_MAXINT

/* Reads a template, once. INVALID when there is none; what names it: html, text or layout. */
static const struct store_template *
template_link_read_template(
    struct linking *linking, const char *what, const char *id, GError **error)
{
	struct store_template *template = g_hash_table_lookup(linking->read, id);
	g_autoptr(GError) local = NULL;

	if (template)
		return template;
	template = store_template_get(linking->db, &linking->template->workspace_id, id, &local);
	if (template)
		g_hash_table_insert(linking->read, template->id, template);
	else if (g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		base_invalid(error, "%s: no template \"%s\"", what, id);
	else
		g_propagate_error(error, g_steal_pointer(&local));
	return template;
}

static GBytes *
template_link_part_of(const struct linking *linking, const struct store_template *template)
{
	return strcmp(linking->part, "html") == 0 ? template->html : template->text;
}

static const char *
template_link_source_of(
    const struct linking *linking, const struct store_template *template, gsize *size_r)
{
	GBytes *bytes = template_link_part_of(linking, template);
	const char *source = bytes ? g_bytes_get_data(bytes, size_r) : NULL;

	if (!source)
		*size_r = 0;
	return source ? source : "";
}

static void
template_link_add_id(const char *id, void *ids)
{
	if (!g_ptr_array_find_with_equal_func(ids, id, g_str_equal, NULL))
		g_ptr_array_add(ids, g_strdup(id));
}

static bool template_link_look_at(struct linking *linking, const struct store_template *template,
    int level, int *depth_r, GError **error);

/* Looks at a template that another includes, at this level, and joins it. */
static bool
look_at_included(struct linking *linking, const char *id, int level, int *depth_r, GError **error)
{
	void *known;
	gsize size;

	if (g_hash_table_lookup_extended(linking->depths, id, NULL, &known)) {
		*depth_r = GPOINTER_TO_INT(known);
		if (*depth_r == IN_PROGRESS)
			return base_invalid(
			    error, "%s: template \"%s\" includes itself", linking->part, id);
	} else {
		const struct store_template *template =
		    template_link_read_template(linking, linking->part, id, error);
		if (!template ||
		    (level <= LIMIT_TEMPLATE_PARTIALS &&
			!template_link_look_at(linking, template, level, depth_r, error)))
			return false;
		const char *source = template_link_source_of(linking, template, &size);
		template_join(linking->included, template->id, source, size);
		linking->size += size;
	}
	return level + *depth_r <= LIMIT_TEMPLATE_PARTIALS ||
	       base_invalid(error, "%s: includes templates more than %d deep", linking->part,
		   LIMIT_TEMPLATE_PARTIALS);
}

/* Looks at all that a template includes. level: that of the templates that include it.
 *depth_r: how deep it includes others. Templates are joined behind those that they include. */
static bool
template_link_look_at(struct linking *linking, const struct store_template *template, int level,
    int *depth_r, GError **error)
{
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
	gsize size;
	const char *source = template_link_source_of(linking, template, &size);
	char *key = template->id;

	*depth_r = 0;
	template_includes(source, size, template_link_add_id, ids);
	g_hash_table_replace(linking->depths, key, GINT_TO_POINTER(IN_PROGRESS));
	for (guint i = 0; i < ids->len; i++) {
		int below = 0;
		if (!look_at_included(linking, ids->pdata[i], level + 1, &below, error))
			return false;
		*depth_r = MAX(*depth_r, below + 1);
	}
	g_hash_table_replace(linking->depths, key, GINT_TO_POINTER(*depth_r));
	return true;
}

/* The layouts of the template, each after the one that it has, as struct store_template *. */
static GPtrArray *
read_layouts(struct linking *linking, GError **error)
{
	g_autoptr(GPtrArray) layouts = g_ptr_array_new();
	const char *id = linking->template->layout;
	const struct store_template *layout;
	gsize size;

	for (; id; id = layout->layout) {
		bool again = strcmp(id, linking->template->id) == 0;
		for (guint i = 0; i < layouts->len; i++)
			again |= strcmp(id, ((struct store_template *)layouts->pdata[i])->id) == 0;
		if (again) {
			base_invalid(error, "layout: template \"%s\" includes itself", id);
			return NULL;
		}
		if (layouts->len == LIMIT_TEMPLATE_PARTIALS) {
			base_invalid(error, "layout: layouts are more than %d deep",
			    LIMIT_TEMPLATE_PARTIALS);
			return NULL;
		}
		if (!(layout = template_link_read_template(linking, "layout", id, error)))
			return NULL;
		const char *source = template_link_source_of(linking, layout, &size);
		if (!template_has_body(source, size)) {
			base_invalid(error, "layout: template \"%s\" has no {{{body}}}", id);
			return NULL;
		}
		g_ptr_array_insert(layouts, 0, (void *)layout);
	}
	return g_steal_pointer(&layouts);
}

/* Puts one part together. *joined_r is NULL when it stands alone. */
static bool
link_part(struct linking *linking, GBytes **joined_r, GError **error)
{
	bool is_html = strcmp(linking->part, "html") == 0;
	g_autoptr(GPtrArray) layouts = is_html ? read_layouts(linking, error) : g_ptr_array_new();
	g_autoptr(GString) joined = g_string_new(NULL);
	int depth;

	*joined_r = NULL;
	if (!layouts)
		return false;
	g_ptr_array_add(layouts, (void *)linking->template);
	for (guint i = 0; i < layouts->len; i++) {
		gsize size;
		const char *source = template_link_source_of(linking, layouts->pdata[i], &size);
		g_autofree char *shown = i == 0 && is_html ? content_preview_put(source, size,
								 linking->template->preview, &size)
							   : NULL;

		if (!template_link_look_at(linking, layouts->pdata[i], 0, &depth, error))
			return false;
		template_join(joined, "", shown ? shown : source, size);
		linking->size += size;
	}
	if (linking->size > LIMIT_HTML_BYTES)
		return base_invalid(error,
		    "%s: with the templates that it includes it is larger than %dMB", linking->part,
		    LIMIT_HTML_BYTES / LIMIT_MIB);
	g_string_append_len(joined, linking->included->str, linking->included->len);
	if (layouts->len > 1 || linking->included->len > 0)
		*joined_r = g_string_free_to_bytes(g_steal_pointer(&joined));
	return true;
}

static bool
template_link_make(struct db *db, const struct store_template *template, const char *part,
    GHashTable *read, GBytes **joined_r, GError **error)
{
	g_autoptr(GHashTable) depths = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GString) included = g_string_new(NULL);
	struct linking linking = {db, template, part, read, depths, included, 0};

	return link_part(&linking, joined_r, error);
}

/* Makes html and text; each is NULL when it stays as it is. */
static bool
make_both(struct db *db, const struct store_template *template, GBytes **html_r, GBytes **text_r,
    GError **error)
{
	g_autoptr(GHashTable) read =
	    g_hash_table_new_full(g_str_hash, g_str_equal, NULL, store_template_destroy);

	*html_r = *text_r = NULL;
	return template_link_make(db, template, "html", read, html_r, error) &&
	       (!template->text || template_link_make(db, template, "text", read, text_r, error));
}

static GBytes *
put_preview(GBytes *html, const char *preview)
{
	gsize size, put_size;
	const char *source = g_bytes_get_data(html, &size);
	char *put = content_preview_put(source ? source : "", size, preview, &put_size);

	return g_bytes_new_take(put, put_size);
}

bool
content_template_link(struct db *db, struct store_template *template, GError **error)
{
	g_autoptr(GBytes) html = NULL;
	g_autoptr(GBytes) text = NULL;

	if (!make_both(db, template, &html, &text, error))
		return false;
	if (!html && template->html && template->preview)
		html = put_preview(template->html, template->preview);
	if (html) {
		g_bytes_unref(template->html);
		template->html = g_steal_pointer(&html);
	}
	if (text) {
		g_bytes_unref(template->text);
		template->text = g_steal_pointer(&text);
	}
	return true;
}

bool
content_template_link_check(struct db *db, const struct store_template *template, GError **error)
{
	g_autoptr(GBytes) html = NULL;
	g_autoptr(GBytes) text = NULL;

	return make_both(db, template, &html, &text, error);
}
