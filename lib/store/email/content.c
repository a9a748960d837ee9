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
#define KEPT 4
#define KEPT_BYTES (32 * 1024) /* of a content that is kept */

/* A content that was packed a moment ago. Most emails are made from few templates, whose values
   stand elsewhere; to compress the same bytes again is an eighth of a worker's time. */
struct packed_content {
	GByteArray *whole; /* as it is compressed; NULL: none */
	GBytes *packed;
};

/* Those of a thread. */
struct content_kept {
	struct packed_content contents[KEPT];
	guint next; /* the oldest one */
};

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

static void
content_kept_free(gpointer data)
{
	struct content_kept *kept = data;

	for (guint i = 0; i < KEPT; i++) {
		g_clear_pointer(&kept->contents[i].whole, g_byte_array_unref);
		g_clear_pointer(&kept->contents[i].packed, g_bytes_unref);
	}
	g_free(kept);
}

static GPrivate content_kept_private = G_PRIVATE_INIT(content_kept_free);

static struct content_kept *
content_kept_of_thread(void)
{
	struct content_kept *kept = g_private_get(&content_kept_private);

	if (!kept) {
		kept = g_new0(struct content_kept, 1);
		g_private_set(&content_kept_private, kept);
	}
	return kept;
}

/* The packed bytes of the same content. The caller owns them. NULL: it is not kept. */
static GBytes *
content_recall(const struct content_kept *kept, const GByteArray *header, const GByteArray *whole)
{
	for (guint i = 0; i < KEPT; i++) {
		const struct packed_content *one = &kept->contents[i];

		if (one->whole && one->whole->len == whole->len &&
		    memcmp(g_bytes_get_data(one->packed, NULL), header->data, header->len) == 0 &&
		    memcmp(one->whole->data, whole->data, whole->len) == 0)
			return g_bytes_ref(one->packed);
	}
	return NULL;
}

static void
content_keep(struct content_kept *kept, GByteArray *whole, GBytes *packed)
{
	struct packed_content *oldest = &kept->contents[kept->next++ % KEPT];

	g_clear_pointer(&oldest->whole, g_byte_array_unref);
	g_clear_pointer(&oldest->packed, g_bytes_unref);
	*oldest = (struct packed_content){g_byte_array_ref(whole), g_bytes_ref(packed)};
}

GBytes *
store_content_pack(const struct store_content *content)
{
	struct content_kept *kept = content_kept_of_thread();
	g_autoptr(GByteArray) header = g_byte_array_new();
	g_autoptr(GByteArray) whole = g_byte_array_new();
	const guint8 form = FORM;
	GBytes *packed;

	g_byte_array_append(header, &form, 1);
	append_size(header, content->html);
	append_size(header, content->text);
	content_append(whole, content->html);
	content_append(whole, content->text);
	packed = content_recall(kept, header, whole);
	if (packed)
		return packed;
	base_compress(header, whole->data, whole->len);
	packed = g_byte_array_free_to_bytes(g_steal_pointer(&header));
	if (whole->len <= KEPT_BYTES)
		content_keep(kept, whole, packed);
	return packed;
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
