/* SPDX-License-Identifier: MIT */
/* Checks host names and messages before libesmtp gets them. */
#include "smtp/envelope.h"

#include <string.h>

#include "base/limits/domain.h"

#define LINE_BYTES 998	/* RFC 5322 2.1.1 */
#define XTEXT_BYTES 250 /* libesmtp's buffer is 256, and it writes past it by up to three */

static bool
is_domain(const char *domain)
{
	gsize label = 0;

	if (strlen(domain) > LIMIT_DOMAIN_LENGTH)
		return false;
	for (const char *p = domain;; p++) {
		if (*p == '.' || *p == '\0') {
			if (label == 0 || label > LIMIT_LABEL_LENGTH || p[-1] == '-')
				return false;
			if (*p == '\0')
				return true;
			label = 0;
		} else if (g_ascii_isalnum(*p) || (*p == '-' && label > 0) || *p == '_') {
			label++;
		} else {
			return false;
		}
	}
}

bool
smtp_envelope_is_host(const char *host)
{
	return is_domain(host);
}

bool
smtp_envelope_fits_xtext(const char *text)
{
	gsize size = 0;

	for (const char *p = text; *p; p++)
		size += *p > ' ' && *p <= '~' && *p != '+' && *p != '=' ? 1 : 3;
	return size <= XTEXT_BYTES;
}

static bool
is_7bit(const char *line, gsize size)
{
	guint64 bits = 0, some;

	for (; size >= sizeof(some); line += sizeof(some), size -= sizeof(some)) {
		memcpy(&some, line, sizeof(some));
		bits |= some;
	}
	for (; size > 0; line++, size--)
		bits |= (guchar)*line;
	return (bits & 0x8080808080808080) == 0;
}

/* Why a line of size bytes, without its LF, cannot be sent; NULL: it can. */
static const char *
line_fault(const char *line, gsize size, bool is_raw)
{
	if (size == 0 || line[size - 1] != '\r')
		return "a line does not end in CR LF";
	if (size - 1 > LINE_BYTES)
		return "a line is longer than 998 bytes";
	if (memchr(line, '\r', size - 1) || memchr(line, '\0', size - 1))
		return "a line holds a bare CR or a NUL";
	return is_raw || is_7bit(line, size - 1) ? NULL : "it is not 7 bit";
}

const char *
smtp_envelope_fault(GBytes *content, bool is_raw)
{
	gsize size;
	const char *line = g_bytes_get_data(content, &size), *end = line + size;
	bool body = false;

	if (size > G_MAXINT)
		return "it is too large";
	while (line < end) {
		const char *lf = memchr(line, '\n', (gsize)(end - line));
		if (!lf)
			return "its last line does not end in CR LF";
		const char *fault = line_fault(line, (gsize)(lf - line), is_raw);
		if (fault)
			return fault;
		body = body || lf - line == 1;
		line = lf + 1;
	}
	return body ? NULL : "no empty line ends its header";
}
