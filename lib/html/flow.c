/* SPDX-License-Identifier: MIT */
/* Writes plain text from runs of text and breaks. */
#include "html/flow.h"

#include <glib.h>
#include <string.h>

#include "base/limits/template.h"
#include "html/html.h"

/* Deeper lists and quotes are not marked: a line must not grow with the depth of the document. */
#define MAX_DEPTH 8

#define RULE "----------"
#define SPACES " \t\n\r\f"
#define CLOSING ".,;:!?)]" /* no space stands in front of these */
#define OPENING "(["	   /* nor behind these */
#define NO_LINK -2
#define LINK_WITHOUT_TEXT -1

struct list {
	bool ordered;
	gint64 next;
	int step;
};

struct html_flow {
	char *text; /* of the full size from the start */
	gsize size;
	gsize most; /* without the line break at the end */
	bool full;

	/* due before the next text */
	guint breaks;
	bool space;
	bool gap; /* a space, if need be */
	gunichar joiner;
	bool mark; /* of an item */
	bool cell;

	guint pre;
	bool pre_start;
	guint quotes;
	guint lists;
	struct list list[MAX_DEPTH];
	struct list loose; /* used for an item outside a list, or in one that is too deep */
	bool is_numbered;  /* the item has a number, else a dash */
	gint64 number;
	bool row_text; /* the row has text */
	gssize link;   /* offset in text at which the link's text begins */
	bool picture;  /* the link shows a picture without alternative text */
	char *url;
	bool is_relative;	/* the url is */
	char *base;		/* NULL: none */
	html_flow_link watcher; /* NULL: none */
	void *watched;
};

struct html_flow *
html_flow_new(gsize most)
{
	struct html_flow *flow = g_new0(struct html_flow, 1);

	flow->text = g_malloc(most + 1);
	flow->text[0] = '\0';
	flow->most = most > 0 ? most - 1 : 0;
	flow->link = NO_LINK;
	return flow;
}

void
html_flow_watch(struct html_flow *flow, html_flow_link link, void *context)
{
	flow->watcher = link;
	flow->watched = context;
}

bool
html_flow_is_full(const struct html_flow *flow)
{
	return flow->full;
}

/* Appends whole characters, as many as fit; after the first cut, none. */
static void
put_sized(struct html_flow *flow, const char *text, gsize size)
{
	gsize room = flow->full ? 0 : flow->most - flow->size;

	if (size > room) {
		flow->full = true;
		for (size = room; size > 0 && ((guchar)text[size] & 0xc0) == 0x80;)
			size--;
	}
	memcpy(flow->text + flow->size, text, size);
	flow->size += size;
	flow->text[flow->size] = '\0';
}

static void
flow_put(struct html_flow *flow, const char *text)
{
	put_sized(flow, text, strlen(text));
}

static void
put_char(struct html_flow *flow, gunichar c)
{
	char text[6];

	put_sized(flow, text, (gsize)g_unichar_to_utf8(c, text));
}

/* Writes the joiner that is due behind the last character. */
static void
put_joiner(struct html_flow *flow)
{
	if (flow->joiner)
		put_char(flow, flow->joiner);
	flow->joiner = 0;
}

char *
html_flow_finish(struct html_flow *flow)
{
	html_flow_link_close(flow);
	put_joiner(flow);
	if (flow->size > 0)
		flow->text[flow->size++] = '\n';
	flow->text[flow->size] = '\0';
	char *text = g_realloc(flow->text, flow->size + 1);
	g_free(flow->url);
	g_free(flow->base);
	g_free(flow);
	return text;
}

static void
put_times(struct html_flow *flow, const char *text, guint times)
{
	while (times-- > 0 && !flow->full)
		flow_put(flow, text);
}

/* Writes a line break, and the marks at the start of the next line. */
static void
begin_line(struct html_flow *flow)
{
	guint lists = MIN(flow->lists, MAX_DEPTH);
	char number[32];

	while (flow->size > 0 && strchr(" \t", flow->text[flow->size - 1]))
		flow->text[--flow->size] = '\0';
	if (flow->size > 0)
		put_times(flow, "\n", flow->breaks);
	put_times(flow, "> ", MIN(flow->quotes, MAX_DEPTH));
	put_times(flow, "  ", flow->mark && lists > 0 ? lists - 1 : lists);
	g_snprintf(number, sizeof(number), "%" G_GINT64_FORMAT ". ", flow->number);
	if (flow->mark)
		flow_put(flow, flow->is_numbered ? number : "- ");
}

static bool
flow_is_one_of(gunichar c, const char *marks)
{
	return c > 0 && c < 0x7f && strchr(marks, (int)c);
}

/* Whether a gap in front of this character is a space. */
static bool
is_gap(const struct html_flow *flow, gunichar next)
{
	return flow->gap && !flow_is_one_of(next, CLOSING) &&
	       !flow_is_one_of((guchar)flow->text[flow->size - 1], OPENING " ");
}

/* Writes the pending breaks, marks and space before text, which begins with this character. */
static void
begin_text(struct html_flow *flow, gunichar next)
{
	bool is_new = flow->breaks > 0 || flow->size == 0;

	put_joiner(flow);
	if (is_new)
		begin_line(flow);
	else if (flow->cell)
		flow_put(flow, " | ");
	else if (flow->space || is_gap(flow, next))
		flow_put(flow, " ");
	flow->breaks = 0;
	flow->mark = false;
	flow->cell = false;
	flow->space = false;
	flow->gap = false;
	flow->row_text = true;
	flow->pre_start = false;
	if (flow->link == LINK_WITHOUT_TEXT)
		flow->link = (gssize)flow->size;
}

static bool
flow_is_space(gunichar c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || g_unichar_isspace(c) ||
	       g_unichar_type(c) == G_UNICODE_SPACE_SEPARATOR;
}

/* Invisible characters: controls, soft hyphen, combining grapheme joiner, zero-width spaces and
   marks (which pad the preview that a mail reader shows beside the subject), and the replacement
   character. */
static bool
is_invisible(gunichar c)
{
	return g_unichar_iscntrl(c) || c == 0xad || c == 0x34f || c == 0x200b ||
	       (c >= 0x2060 && c <= 0x2064) || c == 0xfeff || c == 0xfffd;
}

static void
write_space(struct html_flow *flow, gunichar c)
{
	if (flow->pre == 0) {
		flow->space = true;
	} else if (c == '\n') {
		flow->breaks += !flow->pre_start;
		flow->pre_start = false;
	} else if (c != '\r') {
		begin_text(flow, ' ');
		flow_put(flow, c == '\t' ? "\t" : " ");
	}
}

static bool
is_joiner(gunichar c)
{
	return c == 0x200c || c == 0x200d;
}

static void
write_char(struct html_flow *flow, gunichar c)
{
	if (flow_is_space(c)) {
		write_space(flow, c);
	} else if (is_joiner(c)) {
		if (flow->size > 0 && flow->breaks == 0 && !flow->space && !flow->cell &&
		    flow->text[flow->size - 1] != ' ')
			flow->joiner = c;
	} else if (!is_invisible(c)) {
		begin_text(flow, c);
		put_char(flow, c);
	}
}

void
html_flow_text(struct html_flow *flow, const char *text, gsize size)
{
	const char *end = text + size;

	while (text < end && !flow->full) {
		const char *run = text;
		while (text < end && (*text > ' ' && *text < 0x7f))
			text++;
		if (text > run) {
			begin_text(flow, (guchar)*run);
			put_sized(flow, run, (gsize)(text - run));
			continue;
		}
		gunichar c = g_utf8_get_char_validated(text, end - text);
		if (c == (gunichar)-1 || c == (gunichar)-2) {
			text++;
			continue;
		}
		write_char(flow, c);
		text = g_utf8_next_char(text);
	}
}

bool
html_flow_keeps(const char *text)
{
	gsize size = strlen(text);
	struct html_flow *flow = html_flow_new(size + 1);

	html_flow_text(flow, text, size);
	g_autofree char *kept = html_flow_finish(flow);
	if (size == 0 || strlen(kept) != size + 1 || strncmp(kept, text, size) != 0)
		return false;
	for (const char *p = text; *p; p = g_utf8_next_char(p))
		if (!html_keeps(g_utf8_get_char(p)))
			return false;
	/* One of two joiners in a row stays. */
	return !is_joiner(g_utf8_get_char(g_utf8_prev_char(text + size)));
}

void
html_flow_gap(struct html_flow *flow)
{
	flow->gap = flow->pre == 0;
}

bool
html_flow_bridges_gap(const char *text)
{
	return *text && (strchr(CLOSING, *text) || strchr(OPENING, text[strlen(text) - 1]));
}

void
html_flow_break(struct html_flow *flow, guint lines)
{
	if (flow->mark)
		return;
	if (flow->lists > 0)
		lines = 1;
	flow->breaks = MAX(flow->breaks, lines);
	flow->space = false;
}

void
html_flow_newline(struct html_flow *flow)
{
	if (flow->mark)
		return;
	if (flow->pre > 0 || flow->breaks < 2)
		flow->breaks++;
	flow->space = false;
}

void
html_flow_rule(struct html_flow *flow)
{
	html_flow_break(flow, 2);
	begin_text(flow, ' ');
	flow_put(flow, RULE);
	html_flow_break(flow, 2);
}

void
html_flow_pre_open(struct html_flow *flow)
{
	html_flow_break(flow, 2);
	flow->pre++;
	flow->pre_start = true;
}

void
html_flow_pre_close(struct html_flow *flow)
{
	if (flow->pre == 0)
		return;
	flow->pre--;
	flow->pre_start = false;
	flow->breaks = MIN(flow->breaks, 2);
	html_flow_break(flow, 2);
}

void
html_flow_quote_open(struct html_flow *flow)
{
	html_flow_break(flow, 2);
	flow->quotes++;
}

void
html_flow_quote_close(struct html_flow *flow)
{
	if (flow->quotes > 0)
		flow->quotes--;
	html_flow_break(flow, 2);
}

static struct list *
flow_innermost(struct html_flow *flow)
{
	if (flow->lists == 0 || flow->lists > MAX_DEPTH)
		return &flow->loose;
	return &flow->list[flow->lists - 1];
}

void
html_flow_list_open(struct html_flow *flow, bool ordered, gint64 start, int step)
{
	html_flow_break(flow, 2);
	flow->lists++;
	*flow_innermost(flow) = (struct list){.ordered = ordered, .next = start, .step = step};
}

void
html_flow_list_close(struct html_flow *flow)
{
	flow->mark = false;
	if (flow->lists > 0)
		flow->lists--;
	flow->loose = (struct list){0};
	html_flow_break(flow, 2);
}

void
html_flow_item_open(struct html_flow *flow, const gint64 *value)
{
	struct list *list = flow_innermost(flow);

	html_flow_break(flow, 1);
	flow->mark = true;
	flow->is_numbered = list->ordered;
	flow->number = value ? *value : list->next;
	list->next = flow->number + list->step;
}

void
html_flow_item_close(struct html_flow *flow)
{
	flow->mark = false;
	html_flow_break(flow, 1);
}

void
html_flow_row(struct html_flow *flow)
{
	html_flow_break(flow, 1);
	flow->row_text = false;
	flow->cell = false;
}

void
html_flow_cell(struct html_flow *flow)
{
	flow->cell = flow->row_text;
}

/* The url of the link that is closed, resolved if it is relative. Takes it off the flow. */
static char *
take_url(struct html_flow *flow)
{
	g_autofree char *url = g_steal_pointer(&flow->url);
	g_autofree char *whole = url && flow->base && flow->is_relative
				     ? g_uri_resolve_relative(flow->base, url,
					   G_URI_FLAGS_ENCODED | G_URI_FLAGS_PARSE_RELAXED, NULL)
				     : NULL;

	return whole && strlen(whole) <= LIMIT_SHOWN_LINK_BYTES && g_utf8_validate(whole, -1, NULL)
		   ? g_steal_pointer(&whole)
		   : g_steal_pointer(&url);
}

void
html_flow_link_open(struct html_flow *flow, const char *href)
{
	html_flow_link_close(flow);
	flow->url = href ? html_flow_url(href) : NULL;
	flow->is_relative = href && !g_uri_peek_scheme(href + strspn(href, SPACES));
	flow->picture = false;
	flow->link = LINK_WITHOUT_TEXT;
}

void
html_flow_link_close(struct html_flow *flow)
{
	gssize link = flow->link;

	flow->link = NO_LINK;
	if (!flow->url || (link < 0 && !flow->picture)) {
		g_clear_pointer(&flow->url, g_free);
		return;
	}
	g_autofree char *url = take_url(flow);
	const char *text = link >= 0 ? flow->text + link : NULL;
	bool is_said = text && html_flow_says_url(text, url);
	if (flow->watcher)
		flow->watcher(text, url, is_said, flow->watched);
	if (!text) {
		html_flow_text(flow, url, strlen(url));
	} else if (!is_said) {
		put_joiner(flow);
		flow_put(flow, " (");
		flow_put(flow, url);
		flow_put(flow, ")");
	}
}

void
html_flow_base(struct html_flow *flow, const char *href)
{
	g_autofree char *url = html_flow_url(href);

	if (!flow->base && url &&
	    (g_ascii_strncasecmp(url, "http://", strlen("http://")) == 0 ||
		g_ascii_strncasecmp(url, "https://", strlen("https://")) == 0))
		flow->base = g_steal_pointer(&url);
}

void
html_flow_picture(struct html_flow *flow, const char *alt)
{
	flow->picture = true;
	if (!*alt)
		return;
	html_flow_gap(flow);
	html_flow_text(flow, alt, strlen(alt));
	html_flow_gap(flow);
}

/* The scheme of a NULL-terminated list that the href begins with; NULL for none. */
static const char *
find_scheme(const char *href, const char *const *schemes)
{
	for (; *schemes; schemes++)
		if (g_ascii_strncasecmp(href, *schemes, strlen(*schemes)) == 0)
			return *schemes;
	return NULL;
}

/* The text of an address or a number that is percent-encoded. The caller owns it. NULL when that is
   no text of one line. */
static char *
flow_decode(const char *text)
{
	g_autofree char *decoded = g_uri_unescape_string(text, NULL);

	if (!decoded || !g_utf8_validate(decoded, -1, NULL))
		return NULL;
	for (const char *p = decoded; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);
		if (c != ' ' && (flow_is_space(c) || is_invisible(c)))
			return NULL;
	}
	return g_steal_pointer(&decoded);
}

char *
html_flow_url(const char *href)
{
	static const char *const unsaid[] = {
	    "#", "javascript:", "vbscript:", "data:", "cid:", "about:", NULL};
	static const char *const left_out[] = {"mailto:", "tel:", "sms:", NULL};
	GString *url = g_string_new(NULL);

	href += strspn(href, SPACES);
	const char *scheme = find_scheme(href, left_out);
	gsize size = strlen(href);
	if (scheme) {
		href += strlen(scheme);
		size = strcspn(href, "?");
	}
	while (size > 0 && strchr(SPACES, href[size - 1]))
		size--;
	if (size > LIMIT_SHOWN_LINK_BYTES)
		size = 0;
	for (gsize i = 0; i < size; i++) {
		if (href[i] == ' ' && !scheme)
			g_string_append(url, "%20");
		else if (!g_ascii_iscntrl(href[i]))
			g_string_append_c(url, href[i]);
	}
	g_autofree char *decoded = scheme ? flow_decode(url->str) : NULL;
	if (decoded)
		g_string_assign(url, decoded);
	bool said = url->len > 0 && !find_scheme(url->str, unsaid) &&
		    g_utf8_validate(url->str, (gssize)url->len, NULL);
	return g_string_free(url, !said);
}

bool
html_flow_says_url(const char *text, const char *url)
{
	if (g_ascii_strcasecmp(text, url) == 0)
		return true;
	const char *host = strstr(url, "://");
	if (!host)
		return false;
	host += 3;
	gsize size = strlen(host);
	if (size > 0 && host[size - 1] == '/')
		size--;
	if (g_ascii_strncasecmp(text, url, host - url) == 0)
		text += host - url;
	return g_ascii_strncasecmp(text, host, size) == 0 &&
	       (text[size] == '\0' || strcmp(text + size, "/") == 0);
}
