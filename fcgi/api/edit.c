/* SPDX-License-Identifier: MIT */
/* Reads If-Match, and writes ETag. */
#include "fcgi/api/edit.h"

#include <string.h>

#include "automation/workflow.h"
#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/http/reply.h"
#include "fcgi/http/request.h"

#define BLANKS " \t"
#define GZIP "-gzip"

/* Whether a byte may be in the text of an entity tag (etagc of RFC 9110 section 8.8.3). */
static bool
edit_is_tag_byte(char c)
{
	return (guchar)c > ' ' && c != '"' && c != 0x7f;
}

/* Reads an entity tag, and moves *at behind it. *tag_r is its text, NULL of a weak one, which
   matches nothing; the caller owns it. False: there is none. */
static bool
edit_read_tag(const char **at, char **tag_r)
{
	bool is_weak = g_str_has_prefix(*at, "W/");
	const char *begin = *at + (is_weak ? strlen("W/") : 0), *end = begin + 1;

	*tag_r = NULL;
	if (*begin != '"')
		return false;
	while (edit_is_tag_byte(*end))
		end++;
	if (*end != '"')
		return false;
	*at = end + 1;
	if (is_weak)
		return true;
	*tag_r = g_strndup(begin + 1, (gsize)(end - begin) - 1);
	/* Apache has put it behind our tag, when it compressed the answer. */
	if (g_str_has_suffix(*tag_r, GZIP))
		(*tag_r)[strlen(*tag_r) - strlen(GZIP)] = '\0';
	return true;
}

/* Reads a list of tags, in which elements may be empty. NULL: it is none, or has no tag. */
static char **
edit_read_list(const char *text)
{
	g_autoptr(GStrvBuilder) tags = g_strv_builder_new();
	guint count = 0;

	for (text += strspn(text, BLANKS ","); *text; text += strspn(text, BLANKS ",")) {
		g_autofree char *tag = NULL;

		if (!edit_read_tag(&text, &tag))
			return NULL;
		if (tag)
			g_strv_builder_add(tags, tag);
		count++;
		text += strspn(text, BLANKS);
		if (*text && *text != ',')
			return NULL;
	}
	return count > 0 ? g_strv_builder_end(tags) : NULL;
}

void
fcgi_edit_free(struct fcgi_edit *edit)
{
	g_strfreev(edit->tags);
	g_free(edit);
}

struct fcgi_edit *
fcgi_edit_new(const struct fcgi_call *call)
{
	struct fcgi_edit *edit = g_new0(struct fcgi_edit, 1);

	edit->edit.author = fcgi_call_author(call, edit->key).name;
	return edit;
}

struct fcgi_edit *
fcgi_edit_read(const struct fcgi_call *call, GError **error)
{
	const char *given = fcgi_request_header(call->request, "HTTP_IF_MATCH");
	AUTO(fcgi_edit) edit = fcgi_edit_new(call);
	g_autofree char *text = g_strstrip(g_strdup(given ? given : "*"));

	if (strcmp(text, "*") == 0)
		return g_steal_pointer(&edit);
	edit->tags = edit_read_list(text);
	edit->edit.tags = (const char *const *)edit->tags;
	if (edit->tags)
		return g_steal_pointer(&edit);
	base_invalid(error, "If-Match must be * or a list of entity tags");
	return NULL;
}

void
fcgi_edit_tag(struct fcgi_reply *reply, const char *tag)
{
	g_autofree char *quoted = g_strdup_printf("\"%s\"", tag);

	fcgi_reply_header(reply, "ETag", quoted);
}

void
fcgi_edit_tag_time(struct fcgi_reply *reply, gint64 updated)
{
	char tag[STORE_EDIT_TAG_SIZE];

	fcgi_edit_tag(reply, store_edit_tag(updated, tag));
}
