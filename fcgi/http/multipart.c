/* SPDX-License-Identifier: MIT */
/* Reads bodies of the type multipart/form-data. */
#include "fcgi/http/multipart.h"

#include <string.h>

/* The value of a parameter (RFC 2045 section 5.1, RFC 7578): text or "text". The caller owns it. */
static char *
parameter_of(const char *header, const char *name)
{
	for (const char *p = header; (p = strchr(p, ';'));) {
		p += 1 + strspn(p + 1, " \t");
		if (g_ascii_strncasecmp(p, name, strlen(name)) != 0 || p[strlen(name)] != '=')
			continue;
		p += strlen(name) + 1;
		return *p == '"' ? g_strndup(p + 1, strcspn(p + 1, "\""))
				 : g_strndup(p, strcspn(p, "; \t\r\n"));
	}
	return NULL;
}

char *
fcgi_multipart_boundary(const char *type)
{
	static const char form[] = "multipart/form-data";
	g_autofree char *boundary = NULL;

	if (type && g_ascii_strncasecmp(type, form, strlen(form)) == 0)
		boundary = parameter_of(type, "boundary");
	return boundary && *boundary ? g_steal_pointer(&boundary) : NULL;
}

/* A parameter of Content-Disposition in the header fields of a part. The caller owns it; NULL:
 * none.
 */
static char *
disposition_of(const char *header, const char *parameter)
{
	g_auto(GStrv) lines = g_strsplit(header, "\r\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (g_ascii_strncasecmp(lines[i], "content-disposition:", 20) == 0)
			return parameter_of(lines[i], parameter);
	return NULL;
}

/* Reads a part: header fields, an empty line, the value. */
static void
multipart_read_part(const char *part, gsize size,
    void (*take)(const struct fcgi_multipart_part *part, void *context), void *context)
{
	const char *end = memmem(part, size, "\r\n\r\n", 4);

	if (!end || !g_utf8_validate(part, end - part, NULL))
		return;
	g_autofree char *header = g_strndup(part, (gsize)(end - part));
	g_autofree char *name = disposition_of(header, "name");
	g_autofree char *filename = disposition_of(header, "filename");
	const struct fcgi_multipart_part taken = {
	    name, filename, end + 4, size - (gsize)(end + 4 - part)};
	if (name)
		take(&taken, context);
}

/* The parts stand between delimiters (RFC 2046 section 5.1.1). */
void
fcgi_multipart_read(const char *data, gsize size, const char *boundary,
    void (*take)(const struct fcgi_multipart_part *part, void *context), void *context)
{
	g_autofree char *delimiter = g_strdup_printf("\r\n--%s", boundary);
	gsize length = strlen(delimiter);
	const char *p = data, *stop = data + size;

	/* The first delimiter may lack the line break before it. */
	if (size >= length - 2 && memcmp(data, delimiter + 2, length - 2) == 0)
		p += length - 2;
	else if ((p = memmem(data, size, delimiter, length)))
		p += length;
	while (p && stop - p > 2 && memcmp(p, "--", 2) != 0) {
		const char *part = p;

		p = memmem(part, (gsize)(stop - part), delimiter, length);
		if (!p)
			return;
		/* The line break of the delimiter's line belongs to no part. */
		if (p - part >= 2)
			multipart_read_part(part, (gsize)(p - part), take, context);
		p += length;
	}
}

static void
form_take(const struct fcgi_multipart_part *part, void *context)
{
	struct fcgi_multipart_form *form = context;

	if (strcmp(part->name, "file") == 0) {
		form->file = part->data;
		form->size = part->size;
		g_free(form->filename);
		form->filename = g_strdup(part->filename);
	} else if (g_utf8_validate(part->data, (gssize)part->size, NULL)) {
		g_hash_table_replace(
		    form->texts, g_strdup(part->name), g_strndup(part->data, part->size));
	}
}

bool
fcgi_multipart_form_read(
    const char *type, const char *body, gsize size, struct fcgi_multipart_form *form_r)
{
	g_autofree char *boundary = fcgi_multipart_boundary(type);

	*form_r = (struct fcgi_multipart_form){
	    .texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
	if (boundary)
		fcgi_multipart_read(body ? body : "", size, boundary, form_take, form_r);
	return boundary != NULL;
}

void
fcgi_multipart_form_clear(struct fcgi_multipart_form *form)
{
	g_clear_pointer(&form->filename, g_free);
	g_clear_pointer(&form->texts, g_hash_table_unref);
}
