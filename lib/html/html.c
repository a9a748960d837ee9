/* SPDX-License-Identifier: MIT */
/* Runs gumbo on a budget: its memory comes from an arena that ends the parse when it is spent. */
#include "html/html.h"

#include <setjmp.h>
#include <string.h>

#include "base/budget.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"

#define CHUNK_BYTES (256 * 1024)
#define MAX_ALLOCATIONS 500000
#define MAX_BYTES (64 * LIMIT_MIB)
#define STEPS                                                                                      \
	32 /* that an allocation counts for: between two, gumbo may go through all elements        \
	    */

/* A document with the most tags that are allowed needs about a tenth of this, unless it makes
   gumbo clone elements. */
struct html {
	const char *source;
	gsize size;
	char *first;	   /* the first chunk, of CHUNK_BYTES; NULL: not parsed */
	GPtrArray *chunks; /* the others */
	char *next;	   /* in the last chunk */
	gsize left;
	gsize bytes;
	guint allocations;
	guint attributes;
	struct base_budget budget;
	jmp_buf spent;
	GumboOutput *output; /* NULL: not parsed */
};

/* The first chunk is kept for the thread's next parse: to map it anew each time takes longer than
   to write to it. */
static GPrivate spare = G_PRIVATE_INIT(g_free);

static void
take_first(struct html *html)
{
	html->first = g_private_get(&spare);
	g_private_set(&spare, NULL);
	if (!html->first)
		html->first = g_malloc(CHUNK_BYTES);
	html->next = html->first;
	html->left = CHUNK_BYTES;
}

static void
start_chunk(struct html *html, gsize size)
{
	html->left = MAX(size, CHUNK_BYTES);
	html->next = g_malloc(html->left);
	g_ptr_array_add(html->chunks, html->next);
}

/* Attributes are counted by the size of their struct: gumbo may clone them. */
static void
count(struct html *html, gsize size)
{
	html->bytes += size;
	html->allocations++;
	html->attributes += size == sizeof(GumboAttribute);
	if (html->bytes > MAX_BYTES || html->allocations > MAX_ALLOCATIONS ||
	    html->attributes > LIMIT_PARSED_HTML_ATTRIBUTES ||
	    !base_budget_take(&html->budget, STEPS, html->size))
		longjmp(html->spent, 1);
}

static void *
html_allocate(void *context, size_t wanted)
{
	struct html *html = context;
	gsize size = (wanted + 15) & ~(gsize)15;

	count(html, wanted);
	if (size > html->left)
		start_chunk(html, size);
	void *memory = html->next;
	html->next += size;
	html->left -= size;
	return memory;
}

static void
html_release(void *context, void *memory)
{
}

/* The states within a tag (HTML standard, section 13.2.5, tokenization). */
enum place { OPEN, NAME, BEFORE, ATTRIBUTE, AFTER, EQUALS, VALUE, DOUBLE, SINGLE, PLACES };

static enum place
next_place(enum place place, char c)
{
	bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';

	switch (place) {
	case OPEN:
		return NAME;
	case NAME:
		return blank || c == '/' ? BEFORE : NAME;
	case BEFORE:
		return blank || c == '/' ? BEFORE : ATTRIBUTE;
	case ATTRIBUTE:
	case AFTER:
		return c == '=' ? EQUALS : c == '/' ? BEFORE : blank ? AFTER : ATTRIBUTE;
	case EQUALS:
		return blank ? EQUALS : c == '"' ? DOUBLE : c == '\'' ? SINGLE : VALUE;
	case VALUE:
		return blank ? BEFORE : VALUE;
	case DOUBLE:
		return c == '"' ? BEFORE : DOUBLE;
	default:
		return c == '\'' ? BEFORE : SINGLE;
	}
}

/* Readers of the source, each started at another "<"; at most one in each state. */
struct readers {
	guint places;	    /* bits */
	int counts[PLACES]; /* the attributes that it has counted in its tag */
};

/* Keeps the reader that has counted more, when two readers are in the same state. */
static void
place_reader(struct readers *readers, enum place place, int count)
{
	if (!(readers->places & 1u << place) || readers->counts[place] < count)
		readers->counts[place] = count;
	readers->places |= 1u << place;
}

/* Moves all readers on by one character; false when one has counted too many attributes. */
static bool
move_readers(struct readers *readers, char c)
{
	struct readers moved = {.places = 0};

	for (guint left = readers->places; left != 0; left &= left - 1) {
		enum place place = (enum place)__builtin_ctz(left);
		if (c == '>' && place != DOUBLE && place != SINGLE)
			continue;
		enum place next = next_place(place, c);
		int count = readers->counts[place] + (next == ATTRIBUTE && place != ATTRIBUTE);
		if (count > LIMIT_PARSED_HTML_TAG_ATTRIBUTES)
			return false;
		place_reader(&moved, next, count);
	}
	*readers = moved;
	return true;
}

static bool
begins_tag(const char *p, const char *end)
{
	const char *name = p + 1 < end && p[1] == '/' ? p + 2 : p + 1;

	return *p == '<' && name < end && g_ascii_isalpha(*name);
}

/* Gumbo compares each attribute of a tag with all before it while it reads the tag. Scripts,
   comments and much else decide which "<" begins a tag; so a reader starts at each of them, and
   at worst one tag too many is counted. */
static bool
has_large_tag(const char *source, gsize size)
{
	const char *end = source + size;
	struct readers readers = {.places = 0};

	for (const char *p = source; p < end; p++) {
		if (readers.places == 0 && !(p = memchr(p, '<', end - p)))
			return false;
		if (!move_readers(&readers, *p))
			return true;
		if (begins_tag(p, end))
			place_reader(&readers, OPEN, 0);
	}
	return false;
}

/* Elements that have no end tag, or may go without one: the next of their kind ends them. */
static bool
ends_by_itself(GumboTag tag)
{
	switch (tag) {
	case GUMBO_TAG_AREA:
	case GUMBO_TAG_BASE:
	case GUMBO_TAG_BODY:
	case GUMBO_TAG_BR:
	case GUMBO_TAG_COL:
	case GUMBO_TAG_COLGROUP:
	case GUMBO_TAG_DD:
	case GUMBO_TAG_DT:
	case GUMBO_TAG_EMBED:
	case GUMBO_TAG_HEAD:
	case GUMBO_TAG_HR:
	case GUMBO_TAG_HTML:
	case GUMBO_TAG_IMG:
	case GUMBO_TAG_INPUT:
	case GUMBO_TAG_LI:
	case GUMBO_TAG_LINK:
	case GUMBO_TAG_META:
	case GUMBO_TAG_OPTGROUP:
	case GUMBO_TAG_OPTION:
	case GUMBO_TAG_P:
	case GUMBO_TAG_PARAM:
	case GUMBO_TAG_SOURCE:
	case GUMBO_TAG_TBODY:
	case GUMBO_TAG_TD:
	case GUMBO_TAG_TFOOT:
	case GUMBO_TAG_TH:
	case GUMBO_TAG_THEAD:
	case GUMBO_TAG_TR:
	case GUMBO_TAG_TRACK:
	case GUMBO_TAG_WBR:
		return true;
	default:
		return false;
	}
}

/* Gumbo may go through all open elements at each tag. The names of the tags alone show how many are
   open; if that is too few, the time of the parse bounds it. */
static bool
is_tangled(const char *source, gsize size)
{
	const char *end = source + size;
	guint open[GUMBO_TAG_LAST + 1] = {0};
	gsize depth = 0, sum = 0;

	for (const char *p = source; (p = memchr(p, '<', end - p)); p++) {
		const char *name = p + 1 < end && p[1] == '/' ? p + 2 : p + 1, *behind = name;

		while (behind < end && g_ascii_isalnum(*behind))
			behind++;
		GumboTag tag = gumbo_tagn_enum(name, (guint)(behind - name));
		sum += depth;
		if (behind == name || ends_by_itself(tag))
			continue;
		if (name == p + 1) {
			open[tag]++;
			depth++;
		} else if (open[tag] > 0) {
			open[tag]--;
			depth--;
		}
	}
	return sum > LIMIT_PARSED_HTML_OPEN;
}

static bool
is_parsable(const char *source, gsize size)
{
	const char *end = source + size;
	guint tags = 0;

	if (size > LIMIT_PARSED_HTML_BYTES)
		return false;
	for (const char *p = source; (p = memchr(p, '<', end - p)); p++)
		if (++tags > LIMIT_PARSED_HTML_TAGS)
			return false;
	return !has_large_tag(source, size) && !is_tangled(source, size);
}

static void
html_parse_tree(struct html *html)
{
	GumboOptions options = kGumboDefaultOptions;

	options.allocator = html_allocate;
	options.deallocator = html_release;
	options.userdata = html;
	options.max_errors = 0;
	take_first(html);
	/* Gumbo holds only memory of our arena, so leaving it in the middle leaks nothing. */
	if (setjmp(html->spent) == 0)
		html->output = gumbo_parse_with_options(&options, html->source, html->size);
	else
		g_ptr_array_set_size(html->chunks, 0);
}

struct html *
html_parse(const char *source, gsize size)
{
	struct html *html = g_new0(struct html, 1);

	html->source = source;
	html->size = size;
	html->chunks = g_ptr_array_new_with_free_func(g_free);
	if (is_parsable(source, size))
		html_parse_tree(html);
	return html;
}

const char *
html_source(const struct html *html, gsize *size_r)
{
	*size_r = html->size;
	return html->source;
}

const GumboOutput *
html_tree(const struct html *html)
{
	return html->output;
}

bool
html_keeps(gunichar c)
{
	bool is_noncharacter = (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);

	return (c >= ' ' && c < 0x7f) || (c >= 0xa0 && !is_noncharacter) || c == '\t' || c == '\n';
}

void
html_free(struct html *html)
{
	if (html->first)
		g_private_replace(&spare, html->first);
	g_ptr_array_free(html->chunks, TRUE);
	g_free(html);
}
