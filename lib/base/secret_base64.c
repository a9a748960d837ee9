/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648): strict where it is read, since a lenient reader lets two texts mean the same.
 */
#include "base/secret.h"

#include <string.h>

char *
base_secret_base64url(const void *data, size_t size)
{
	char *text = g_base64_encode(data, size);

	g_strdelimit(text, "+", '-');
	g_strdelimit(text, "/", '_');
	text[strcspn(text, "=")] = '\0';
	return text;
}

#define NO_DIGIT 0x80

/* size characters without padding, in an alphabet that ends with last_two. GLib's decoder skips
   what it does not know, so it cannot be used here. */
static GBytes *
base64_decode(const char *text, gsize size, const char last_two[2])
{
	const guint8 *in = (const guint8 *)text;
	guint8 value[256], bad = 0;
	guint8 *out = g_malloc(size / 4 * 3 + 3), *p = out;
	gsize rest = size % 4;

	memset(value, NO_DIGIT, sizeof(value));
	for (guint8 i = 0; i < 26; i++) {
		value['A' + i] = i;
		value['a' + i] = 26 + i;
	}
	for (guint8 i = 0; i < 10; i++)
		value['0' + i] = 52 + i;
	value[(guint8)last_two[0]] = 62;
	value[(guint8)last_two[1]] = 63;

	for (const guint8 *end = in + size - rest; in < end; in += 4) {
		guint8 a = value[in[0]], b = value[in[1]], c = value[in[2]], d = value[in[3]];

		bad |= a | b | c | d;
		*p++ = (guint8)(a << 2 | b >> 4);
		*p++ = (guint8)(b << 4 | c >> 2);
		*p++ = (guint8)(c << 6 | d);
	}
	if (rest >= 2) {
		guint8 a = value[in[0]], b = value[in[1]], c = rest == 3 ? value[in[2]] : 0;
		guint8 stray = rest == 3 ? c & 0x03 : b & 0x0f;

		bad |= a | b | c | (stray ? NO_DIGIT : 0);
		*p++ = (guint8)(a << 2 | b >> 4);
		if (rest == 3)
			*p++ = (guint8)(b << 4 | c >> 2);
	}
	if (rest == 1 || bad & NO_DIGIT) {
		g_free(out);
		return NULL;
	}
	return g_bytes_new_take(out, (gsize)(p - out));
}

GBytes *
base_secret_base64url_decode(const char *text)
{
	return base64_decode(text, strlen(text), "-_");
}

GBytes *
base_secret_base64_decode(const char *text, gsize size)
{
	if (size % 4)
		return NULL;
	for (int i = 0; i < 2 && size && text[size - 1] == '='; i++)
		size--;
	return base64_decode(text, size, "+/");
}
