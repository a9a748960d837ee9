/* SPDX-License-Identifier: MIT */
/* Reads bodies of the type multipart/form-data. */
#include "fcgi/multipart.h"

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

/* The name in the header fields of a part. The caller owns it; NULL: none. */
static char *
name_of(const char *header)
{
	g_auto(GStrv) lines = g_strsplit(header, "\r\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (g_ascii_strncasecmp(lines[i], "content-disposition:", 20) == 0)
			return parameter_of(lines[i], "name");
	return NULL;
}

/* Reads a part: header fields, an empty line, the value. */
static void
read_part(const char *part, gsize size,
    void (*take)(const struct fcgi_multipart_part *part, void *context), void *context)
{
	const char *end = memmem(part, size, "\r\n\r\n", 4);

	if (!end || !g_utf8_validate(part, end - part, NULL))
		return;
	g_autofree char *header = g_strndup(part, (gsize)(end - part));
	g_autofree char *name = name_of(header);
	const struct fcgi_multipart_part taken = {name, end + 4, size - (gsize)(end + 4 - part)};
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
			read_part(part, (gsize)(p - part), take, context);
		p += length;
	}
}
