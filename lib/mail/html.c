/* Runs gumbo on a budget: its memory comes from an arena that ends the parse when it is spent. */
#include "mail/html.h"

#include <setjmp.h>
#include <string.h>

#include "base/limits.h"

#define CHUNK_BYTES (256 * 1024)
#define MAX_ALLOCATIONS 500000
#define MAX_BYTES (64 * LIMIT_MIB)

/* A document of the permitted number of tags needs about a tenth of this, unless it is made to
 * multiply. */
struct mail_html {
	GPtrArray *chunks;
	char *next; /* in the last chunk */
	gsize left;
	gsize bytes;
	guint allocations;
	guint attributes;
	jmp_buf spent;
	GumboOutput *output;
};

static void
start_chunk(struct mail_html *html, gsize size)
{
	html->left = MAX(size, CHUNK_BYTES);
	html->next = g_malloc(html->left);
	g_ptr_array_add(html->chunks, html->next);
}

/* Attributes are counted, by the size of their struct, because gumbo compares each attribute of a
 * tag with all before it. */
static void
count(struct mail_html *html, gsize size)
{
	html->bytes += size;
	html->allocations++;
	html->attributes += size == sizeof(GumboAttribute);
	if (html->bytes > MAX_BYTES || html->allocations > MAX_ALLOCATIONS ||
	    html->attributes > LIMIT_PARSED_HTML_ATTRIBUTES)
		longjmp(html->spent, 1);
}

static void *
allocate(void *context, size_t wanted)
{
	struct mail_html *html = context;
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
release(void *context, void *memory)
{
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
	return true;
}

struct mail_html *
mail_html_parse(const char *source, gsize size)
{
	if (!is_parsable(source, size))
		return NULL;
	struct mail_html *html = g_new0(struct mail_html, 1);
	html->chunks = g_ptr_array_new_with_free_func(g_free);
	/* Gumbo holds nothing but memory, all of it ours: it can be left in the middle. */
	if (setjmp(html->spent) != 0) {
		mail_html_free(html);
		return NULL;
	}
	GumboOptions options = kGumboDefaultOptions;
	options.allocator = allocate;
	options.deallocator = release;
	options.userdata = html;
	options.max_errors = 0;
	html->output = gumbo_parse_with_options(&options, source, size);
	return html;
}

const GumboOutput *
mail_html_tree(const struct mail_html *html)
{
	return html->output;
}

void
mail_html_free(struct mail_html *html)
{
	if (!html)
		return;
	g_ptr_array_free(html->chunks, TRUE);
	g_free(html);
}
