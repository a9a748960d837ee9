/* SPDX-License-Identifier: MIT */
/* Writes and finds marks, and judges their places in html. */
#include "html/slots.h"

#include <string.h>

#include "base/secret.h"
#include "html/flow.h"
#include "html/html.h"

#define LAST 'n'

void
html_slots_mark(char mark_r[HTML_SLOTS_MARK_SIZE])
{
	guint64 random;

	base_secret_random(&random, sizeof(random));
	g_snprintf(mark_r, HTML_SLOTS_MARK_SIZE, "m%016" G_GINT64_MODIFIER "xn", random);
}

void
html_slots_append(GString *out, const char *mark, guint number)
{
	g_string_append_printf(out, "%s%u%c", mark, number, LAST);
}

const char *
html_slots_start(const char *text, const char *mark)
{
	return strstr(text, mark);
}

const char *
html_slots_next(const char *text, const char *mark, guint *number_r)
{
	const char *start = html_slots_start(text, mark);
	char *end;

	if (!start)
		return NULL;
	*number_r = (guint)g_ascii_strtoull(start + strlen(mark), &end, 10);
	return end + 1;
}

/* The marks that were found in good places. */
struct finding {
	const char *mark;
	GHashTable *seen; /* places in the source: unclosed elements stand in the tree again */
	guint count;
	bool is_safe;
};

static void
slots_note(struct finding *finding, const char *text, const char *place)
{
	guint number;

	if (!strstr(text, finding->mark) || !g_hash_table_add(finding->seen, (void *)place))
		return;
	while ((text = html_slots_next(text, finding->mark, &number)))
		finding->count++;
}

/* Whether an attribute may have any value. The values of others, like style, decide what is
   shown. */
static bool
slots_is_name(const GumboAttribute *attribute)
{
	static const char *const names[] = {"alt", "class", "href", "id", "src", "title"};
	const char *value = attribute->original_value.data;

	if (!value || (*value != '"' && *value != '\''))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(attribute->name, names[i]) == 0)
			return true;
	return false;
}

static bool
is_safe(const GumboAttribute *attribute)
{
	g_autofree char *url = NULL;

	if (!slots_is_name(attribute))
		return false;
	if (strcmp(attribute->name, "href") != 0)
		return true;
	url = html_flow_url(attribute->value);
	return g_strcmp0(url, attribute->value) == 0;
}

static void
see_attributes(struct finding *finding, const GumboElement *element)
{
	/* A value may be a relative link or not. */
	if (element->tag == GUMBO_TAG_BASE)
		finding->is_safe = false;
	for (guint i = 0; i < element->attributes.length; i++) {
		const GumboAttribute *attribute = element->attributes.data[i];

		if (!strstr(attribute->value, finding->mark))
			continue;
		finding->is_safe &= is_safe(attribute);
		slots_note(finding, attribute->value, attribute->original_value.data);
	}
}

/* Whether a value in a comment could end it: ">" stands behind a mark, with nothing between but
   what an end of a comment may have (--> and --!>). A value has no ">" of its own: it is escaped.
 */
static bool
may_end(const char *comment, const char *mark)
{
	guint number;

	while ((comment = html_slots_next(comment, mark, &number)))
		if (comment[strspn(comment, "-!")] == '>')
			return true;
	return false;
}

/* Whether a text of html is shown as it is written, without character references. */
static bool
slots_is_literal(const GumboNode *text)
{
	const GumboNode *parent = text->parent;

	return text->type == GUMBO_NODE_CDATA ||
	       (parent && parent->type == GUMBO_NODE_ELEMENT &&
		   (parent->v.element.tag == GUMBO_TAG_XMP ||
		       parent->v.element.tag == GUMBO_TAG_PLAINTEXT));
}

/* Notes the marks of a node, and adds its children to those that are left. */
static void
slots_see(struct finding *finding, const GumboNode *node, GPtrArray *left)
{
	const GumboVector *children = NULL;

	switch (node->type) {
	case GUMBO_NODE_DOCUMENT:
		children = &node->v.document.children;
		break;
	case GUMBO_NODE_ELEMENT:
	case GUMBO_NODE_TEMPLATE:
		see_attributes(finding, &node->v.element);
		children = &node->v.element.children;
		break;
	case GUMBO_NODE_COMMENT:
		if (node->v.text.original_text.length >= 4 &&
		    strncmp(node->v.text.original_text.data, "<!--", 4) == 0 &&
		    !may_end(node->v.text.text, finding->mark))
			slots_note(finding, node->v.text.text, node->v.text.original_text.data);
		break;
	default:
		if (!slots_is_literal(node))
			slots_note(finding, node->v.text.text, node->v.text.original_text.data);
		break;
	}
	for (guint i = 0; children && i < children->length; i++)
		g_ptr_array_add(left, children->data[i]);
}

bool
html_slots_are_safe(const struct html *html, const char *mark, guint count)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new();
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	struct finding finding = {mark, seen, 0, true};

	g_ptr_array_add(left, html_tree(html)->document);
	while (left->len > 0 && finding.is_safe)
		slots_see(&finding, g_ptr_array_steal_index_fast(left, left->len - 1), left);
	return finding.is_safe && finding.count == count;
}
