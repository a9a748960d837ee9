/* SPDX-License-Identifier: MIT */
/* Packs and unpacks the contents of an email. */
#include "store/email/content.h"

#include <string.h>

#include "base/compress.h"
#include "base/error.h"
#include "base/limits/email.h"

#define FORM 1
#define SIZE_BYTES 4
#define HEADER_BYTES (1 + 2 * SIZE_BYTES)

void
store_content_clear(struct store_content *content)
{
	g_clear_pointer(&content->html, g_bytes_unref);
	g_clear_pointer(&content->text, g_bytes_unref);
}

static void
append_size(GByteArray *packed, GBytes *data)
{
	guint32 size = GUINT32_TO_BE(data ? (guint32)g_bytes_get_size(data) : STORE_CONTENT_NONE);

	g_byte_array_append(packed, (const guint8 *)&size, SIZE_BYTES);
}

static void
content_append(GByteArray *whole, GBytes *data)
{
	gsize size;
	const void *bytes = data ? g_bytes_get_data(data, &size) : NULL;

	if (!data)
		return;
	if (size > 0)
		g_byte_array_append(whole, bytes, (guint)size);
	g_byte_array_append(whole, (const guint8 *)"", 1);
}

GBytes *
store_content_pack(const struct store_content *content)
{
	GByteArray *packed = g_byte_array_new();
	g_autoptr(GByteArray) whole = g_byte_array_new();
	const guint8 form = FORM;

	g_byte_array_append(packed, &form, 1);
	append_size(packed, content->html);
	append_size(packed, content->text);
	content_append(whole, content->html);
	content_append(whole, content->text);
	base_compress(packed, whole->data, whole->len);
	return g_byte_array_free_to_bytes(packed);
}

static bool
content_damaged(GError **error)
{
	return base_fail(error, PH_ERROR_FAILED, "a stored content is damaged");
}

static guint32
read_size(const guint8 *at)
{
	guint32 size;

	memcpy(&size, at, SIZE_BYTES);
	return GUINT32_FROM_BE(size);
}

bool
store_content_sizes(
    const void *packed, gsize size, guint32 *html_r, guint32 *text_r, GError **error)
{
	const guint8 *header = packed;

	if (size < HEADER_BYTES)
		return content_damaged(error);
	if (header[0] != FORM)
		return base_fail(error, PH_ERROR_FAILED,
		    "a stored content has the form %d, and this program knows %d", header[0], FORM);
	*html_r = read_size(header + 1);
	*text_r = read_size(header + 1 + SIZE_BYTES);
	return ((*html_r == STORE_CONTENT_NONE || *html_r <= LIMIT_OWN_CONTENT_BYTES) &&
		   (*text_r == STORE_CONTENT_NONE || *text_r <= LIMIT_OWN_CONTENT_BYTES)) ||
	       content_damaged(error);
}

/* The bytes that a content of this size takes, with its NUL. */
static gsize
room(guint32 size)
{
	return size == STORE_CONTENT_NONE ? 0 : (gsize)size + 1;
}

bool
store_content_unpack(
    const void *packed, gsize size, struct store_content *content_r, GError **error)
{
	guint32 html, text;

	*content_r = (struct store_content){NULL, NULL};
	if (!store_content_sizes(packed, size, &html, &text, error))
		return false;
	gsize whole_size = room(html) + room(text);
	char *data = g_malloc(MAX(whole_size, 1));
	g_autoptr(GBytes) whole = g_bytes_new_take(data, whole_size);
	if (!base_decompress((const guint8 *)packed + HEADER_BYTES, size - HEADER_BYTES, data,
		whole_size, error))
		return g_prefix_error(error, "a stored content is damaged: "), false;
	if (html != STORE_CONTENT_NONE)
		content_r->html = g_bytes_new_from_bytes(whole, 0, html);
	if (text != STORE_CONTENT_NONE)
		content_r->text = g_bytes_new_from_bytes(whole, room(html), text);
	return true;
}
