/* SPDX-License-Identifier: MIT */
/* Keeps what parsed html templates are made of, and fills their texts and links. */
#include "template/outline.h"

#include <string.h>

#include "base/limits/template.h"
#include "html/flow.h"
#include "html/html.h"
#include "html/links.h"
#include "html/slots.h"
#include "html/textpart.h"
#include "template/out.h"
#include "template/tag.h"

/* A reference. It is borrowed from the copy of the source. */
struct reference {
	struct template_tag tag;
	char *fallback; /* NULL: there is none, or it may be more than text */
};

/* A link that is shown, whose text or URL has references. */
struct shown {
	char *text; /* NULL: it is a picture, and its URL stands in place of a text */
	char *url;
	bool is_said; /* the text says the URL */
};

struct template_outline {
	char *source;
	gsize size;
	GArray *references; /* struct reference; a mark has the number of the first that is alike */
	char mark[HTML_SLOTS_MARK_SIZE];
	char *marked;		  /* the source with marks in place of references */
	char *text;		  /* of the marked source */
	char *template;		  /* the text with references; NULL: it is not known */
	GArray *shown;		  /* struct shown */
	struct html_links *links; /* of the marked source */
};

static void
clear_reference(void *reference)
{
	g_free(((struct reference *)reference)->fallback);
}

static void
clear_shown(void *data)
{
	struct shown *shown = data;

	g_free(shown->text);
	g_free(shown->url);
}

void
template_outline_free(struct template_outline *outline)
{
	g_array_unref(outline->references);
	g_array_unref(outline->shown);
	g_clear_pointer(&outline->links, html_links_free);
	g_free(outline->source);
	g_free(outline->marked);
	g_free(outline->text);
	g_free(outline->template);
	g_free(outline);
}

/* Whether html and text show a value alike: html joins white space and leaves invisible characters
   out, and where nothing is shown a line may vanish, or a space in front of a punctuation mark. */
static bool
outline_is_plain(const char *value)
{
	const char *p = value;

	if (html_flow_bridges_gap(value))
		return false;
	while (g_ascii_isgraph(*p) || (*p == ' ' && p > value && g_ascii_isgraph(p[1])))
		p++;
	return (!*p && p > value) || html_flow_keeps(value);
}

static const struct reference *
reference_at(const struct template_outline *outline, guint i)
{
	return &g_array_index(outline->references, struct reference, i);
}

/* Whether a value at p could become a part of a tag or of a character reference: "&" or "<" stands
   in front, with nothing but a name between. */
static bool
continues(const char *source, const char *p)
{
	while (p > source && (g_ascii_isalnum(p[-1]) || p[-1] == '#' || p[-1] == '/'))
		p--;
	return p > source && (p[-1] == '&' || p[-1] == '<');
}

/* The number of the first reference that is written like this one. */
static guint
outline_number_of(const struct template_outline *outline, const struct template_tag *tag)
{
	gsize size = (gsize)(tag->end - tag->start);
	guint i = 0;

	for (; i < outline->references->len; i++) {
		const struct template_tag *other = &reference_at(outline, i)->tag;
		if ((gsize)(other->end - other->start) == size &&
		    memcmp(other->start, tag->start, size) == 0)
			break;
	}
	return i;
}

static void
add_reference(struct template_outline *outline, const struct template_tag *tag)
{
	struct reference reference = {*tag, NULL};
	g_autofree char *fallback =
	    tag->fallback ? g_strndup(tag->fallback, tag->fallback_size) : NULL;

	if (fallback && !strpbrk(fallback, "<>&\"'{}") && outline_is_plain(fallback))
		reference.fallback = g_steal_pointer(&fallback);
	g_array_append_val(outline->references, reference);
}

/* Reads the references, and writes the marked source. */
static bool
mark_references(struct template_outline *outline)
{
	const char *p = outline->source;
	struct template_scanner scanner = {.end = p + outline->size};
	struct template_tag tag;
	GString *marked = g_string_sized_new(outline->size + 64);
	bool is_safe = true;

	for (; is_safe && template_tag_find(&scanner, p, &tag); p = tag.end) {
		g_string_append_len(marked, p, tag.start - p);
		html_slots_append(marked, outline->mark, outline_number_of(outline, &tag));
		is_safe = !tag.raw && outline->references->len < TEMPLATE_OUTLINE_REFERENCES &&
			  !continues(outline->source, tag.start);
		add_reference(outline, &tag);
	}
	g_string_append_len(marked, p, scanner.end - p);
	outline->marked = g_string_free(marked, FALSE);
	return is_safe;
}

static void
outline_note_link(const char *text, const char *url, bool is_said, void *context)
{
	struct template_outline *outline = context;
	struct shown shown = {g_strdup(text), g_strdup(url), is_said};

	if (strstr(url, outline->mark) || (text && strstr(text, outline->mark)))
		g_array_append_val(outline->shown, shown);
	else
		clear_shown(&shown);
}

/* Writes the text with the references themselves. NULL when that would have other references, or
   be longer than a text may be: a long fallback may stand in it many times. */
static char *
outline_write_template(const struct template_outline *outline)
{
	const char *p = outline->text, *next;
	GString *out = g_string_new(NULL);
	gsize known = 0;
	guint i;

	for (; (next = html_slots_next(p, outline->mark, &i)); p = next) {
		const struct template_tag *tag = &reference_at(outline, i)->tag;

		if (out->len > html_textpart_most(outline->size))
			return g_string_free(out, TRUE); /* NULL */
		g_string_append_len(out, p, html_slots_start(p, outline->mark) - p);
		g_string_append_len(out, tag->start, tag->end - tag->start);
		known++;
	}
	g_string_append(out, p);
	for (p = out->str; known > 0 && (p = strstr(p, "{{")); known--) {
		const char *end = strstr(p, "}}");
		if (p[2] == '{' || !end || end[2] == '}' ||
		    memmem(p + 2, (gsize)(end - p) - 2, "{{", 2))
			break;
		p = end + 2;
	}
	bool is_whole = known == 0 && p && !strstr(p, "{{");
	return g_string_free(out, !is_whole);
}

static bool
outline_parse(struct template_outline *outline)
{
	gsize size = strlen(outline->marked);
	AUTO(html) html = html_parse(outline->marked, size);

	if (!html_tree(html) || !html_slots_are_safe(html, outline->mark, outline->references->len))
		return false;
	outline->text = html_textpart_watch(html, outline_note_link, outline);
	outline->links = html_links_find_marked(html, outline->mark);
	outline->template = outline_write_template(outline);
	return strlen(outline->text) + 4 <= html_textpart_most(size);
}

struct template_outline *
template_outline_read(const char *source, gsize size)
{
	AUTO(template_outline) outline = g_new0(struct template_outline, 1);

	outline->source = g_strndup(source, size);
	outline->size = size;
	outline->references = g_array_new(FALSE, FALSE, sizeof(struct reference));
	outline->shown = g_array_new(FALSE, FALSE, sizeof(struct shown));
	g_array_set_clear_func(outline->references, clear_reference);
	g_array_set_clear_func(outline->shown, clear_shown);
	html_slots_mark(outline->mark);
	if (memchr(source, '\0', size) || strstr(outline->source, outline->mark) ||
	    !template_is_plain(source, size) || !mark_references(outline) ||
	    !outline_parse(outline))
		return NULL;
	return g_steal_pointer(&outline);
}

static gsize
outline_size_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

gsize
template_outline_size(const struct template_outline *outline)
{
	const GArray *references = outline->references, *shown = outline->shown;
	const GArray *links = outline->links->links;
	gsize size = sizeof(*outline) + outline->size + 1 + outline_size_of(outline->marked) +
		     outline_size_of(outline->text) + outline_size_of(outline->template) +
		     references->len * sizeof(struct reference) +
		     shown->len * sizeof(struct shown) + links->len * sizeof(struct html_link);

	for (guint i = 0; i < references->len; i++)
		size += outline_size_of(reference_at(outline, i)->fallback);
	for (guint i = 0; i < shown->len; i++) {
		const struct shown *link = &g_array_index(shown, struct shown, i);
		size += outline_size_of(link->text) + outline_size_of(link->url);
	}
	for (guint i = 0; i < links->len; i++)
		size += outline_size_of(g_array_index(links, struct html_link, i).destination);
	return size;
}

const char *
template_outline_text(const struct template_outline *outline)
{
	return outline->template;
}

/* The template with the values of one message. */
struct filling {
	const struct template_outline *outline;
	GPtrArray *values; /* char *, by reference */
	GArray *shifts;	   /* gssize: by how much places move that lie behind so many references */
	GArray *ends;	   /* gsize: of the mark of each reference in the marked source */
};

/* Compares the html with the template and the values, and finds where its places lie. */
static bool
outline_follow(struct filling *filling, const char *filled, gsize size)
{
	const struct template_outline *outline = filling->outline;
	g_autoptr(GString) whole = g_string_sized_new(size + 1);
	const char *at = outline->source, *marked = outline->marked;
	gssize shift = 0;
	guint next;

	g_array_append_val(filling->shifts, shift);
	for (guint i = 0; i < outline->references->len; i++) {
		const struct reference *reference = reference_at(outline, i);

		g_string_append_len(whole, at, reference->tag.start - at);
		template_out_append(
		    whole, &reference->tag, TEMPLATE_HTML, filling->values->pdata[i]);
		at = reference->tag.end;
		marked = html_slots_next(marked, outline->mark, &next);
		gsize end = marked - outline->marked;
		shift = (gssize)whole->len - (gssize)end;
		g_array_append_val(filling->shifts, shift);
		g_array_append_val(filling->ends, end);
	}
	g_string_append_len(whole, at, outline->source + outline->size - at);
	return whole->len == size && memcmp(whole->str, filled, size) == 0;
}

static bool
find_values(struct filling *filling, template_lookup lookup, void *context)
{
	for (guint i = 0; i < filling->outline->references->len; i++) {
		const struct reference *reference = reference_at(filling->outline, i);
		const char *value = lookup(reference->tag.path.name, context);

		if (!value)
			value = reference->fallback;
		if (!value || !outline_is_plain(value))
			return false;
		g_ptr_array_add(filling->values, g_strdup(value));
	}
	return true;
}

/* Fills a marked text. A text that gets longer than most is cut off, at a place behind most. The
   caller owns the result. */
static char *
outline_fill(const struct filling *filling, const char *marked, gsize most)
{
	const char *mark = filling->outline->mark, *next;
	GString *out = g_string_sized_new(strlen(marked));
	guint i;

	for (; out->len <= most && (next = html_slots_next(marked, mark, &i)); marked = next) {
		g_string_append_len(out, marked, html_slots_start(marked, mark) - marked);
		g_string_append(out, filling->values->pdata[i]);
	}
	g_string_append(out, marked);
	return g_string_free(out, FALSE);
}

/* Whether a link is shown with these values as it is with marks. */
static bool
is_shown_alike(const struct filling *filling, const struct shown *shown)
{
	g_autofree char *url = outline_fill(filling, shown->url, G_MAXSIZE);
	g_autofree char *text = shown->text ? outline_fill(filling, shown->text, G_MAXSIZE) : NULL;
	g_autofree char *written = html_flow_url(url);
	bool has_values = strstr(shown->url, filling->outline->mark);

	if (has_values && g_strcmp0(written, url) != 0)
		return false;
	return text ? html_flow_says_url(text, url) == shown->is_said : outline_is_plain(url);
}

static char *
fill_text(const struct filling *filling, gsize size)
{
	const GArray *shown = filling->outline->shown;

	for (guint i = 0; i < shown->len; i++)
		if (!is_shown_alike(filling, &g_array_index(shown, struct shown, i)))
			return NULL;
	g_autofree char *text =
	    outline_fill(filling, filling->outline->text, html_textpart_most(size));
	return strlen(text) + 4 <= html_textpart_most(size) ? g_steal_pointer(&text) : NULL;
}

/* A place of the marked source in the filled html. *before: the number of references in front of an
   earlier place, and then of this one. */
static gsize
outline_move(const struct filling *filling, gsize place, guint *before)
{
	while (
	    *before < filling->ends->len && g_array_index(filling->ends, gsize, *before) <= place)
		++*before;
	return (gsize)((gssize)place + g_array_index(filling->shifts, gssize, *before));
}

static struct html_links *
fill_links(const struct filling *filling)
{
	const struct html_links *marked = filling->outline->links;
	const char *mark = filling->outline->mark;
	struct html_links *links = html_links_new();
	guint before = 0;

	for (guint i = 0; i < marked->links->len; i++) {
		const struct html_link *link = &g_array_index(marked->links, struct html_link, i);
		gsize start = outline_move(filling, link->start, &before);
		gsize end = outline_move(filling, link->start + link->size, &before);
		g_autofree char *value = outline_fill(filling, link->destination, G_MAXSIZE);
		struct html_link own = {start, end - start, NULL};

		own.destination = strstr(link->destination, mark) ? html_links_destination(value)
								  : g_steal_pointer(&value);
		if (own.destination)
			g_array_append_val(links->links, own);
	}
	before = 0;
	links->end = outline_move(filling, marked->end, &before);
	return links;
}

bool
template_outline_fill(const struct template_outline *outline, const char *filled, gsize size,
    template_lookup lookup, void *context, char **text_r, struct html_links **links_r)
{
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) shifts = g_array_new(FALSE, FALSE, sizeof(gssize));
	g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(gsize));
	struct filling filling = {outline, values, shifts, ends};
	char *text = NULL;

	if (size > LIMIT_PARSED_HTML_BYTES || !find_values(&filling, lookup, context) ||
	    !outline_follow(&filling, filled, size))
		return false;
	if (text_r && !(text = fill_text(&filling, size)))
		return false;
	if (text_r)
		*text_r = text;
	if (links_r)
		*links_r = fill_links(&filling);
	return true;
}
