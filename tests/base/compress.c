/* SPDX-License-Identifier: MIT */
#include "base/compress.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/secret.h"

/* Bytes of one kind. */
static void
compress_fill(guint8 *data, gsize size, bool is_random)
{
	if (is_random)
		base_secret_random(data, size);
	else
		memset(data, 'a', size);
}

Test(compress, gives_back_what_it_took)
{
	static const gsize sizes[] = {0, 1, 5000, 65536, 200001};

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(sizes); i++) {
		gsize size = sizes[i / 2];
		g_autofree guint8 *data = g_malloc(size + 1), *got = g_malloc(size + 1);
		g_autoptr(GByteArray) frame = g_byte_array_new();
		g_autoptr(GError) error = NULL;

		compress_fill(data, size, i % 2);
		g_byte_array_append(frame, (const guint8 *)"before", 6);
		base_compress(frame, data, size);
		cr_expect(memcmp(frame->data, "before", 6) == 0);
		cr_assert(base_decompress(frame->data + 6, frame->len - 6, got, size, &error),
		    "%zu bytes: %s", size, error ? error->message : "");
		cr_expect(memcmp(got, data, size) == 0, "%zu bytes", size);
		cr_expect(i % 2 || size < 5000 || frame->len < size / 10, "%zu bytes became %u",
		    size, frame->len);
	}
}

static void
append_paragraphs(GString *whole, const char *begin, const char *end)
{
	static const char *const words[] = {"account", "address", "answer", "before", "change",
	    "customer", "delivery", "email", "figure", "from", "invoice", "letter", "message",
	    "month", "offer", "order", "people", "please", "price", "question", "reader", "second"};
	g_autoptr(GRand) random = g_rand_new_with_seed(1);

	for (guint i = 0; i < 30; i++) {
		g_string_append(whole, begin);
		for (guint w = 0; w < 20; w++)
			g_string_append_printf(
			    whole, "%s ", words[g_rand_int_range(random, 0, G_N_ELEMENTS(words))]);
		g_string_append(whole, end);
	}
}

/* The text of an email beside its html. */
Test(compress, finds_what_is_repeated)
{
	g_autoptr(GString) whole = g_string_new(NULL);
	g_autoptr(GByteArray) html = g_byte_array_new(), both = g_byte_array_new();

	append_paragraphs(whole, "<p>", "</p>");
	base_compress(html, whole->str, whole->len);
	append_paragraphs(whole, "", "\n\n");
	base_compress(both, whole->str, whole->len);
	cr_expect(
	    both->len < html->len + html->len / 3, "%u bytes became %u", html->len, both->len);
}

/* Each byte of a frame changed, and each length cut off. */
Test(compress, finds_damage)
{
	static const char text[] = "one two three one two three one two three";
	g_autoptr(GByteArray) frame = g_byte_array_new();
	char got[sizeof(text)];

	base_compress(frame, text, sizeof(text));
	for (guint at = 0; at < frame->len; at++) {
		g_autoptr(GError) changed = NULL, cut = NULL;

		frame->data[at] ^= 0x10;
		/* A bit of the fourth byte of the header may say nothing. */
		cr_expect(!base_decompress(frame->data, frame->len, got, sizeof(got), &changed) ||
			      memcmp(got, text, sizeof(text)) == 0,
		    "byte %u", at);
		frame->data[at] ^= 0x10;
		cr_expect_not(base_decompress(frame->data, at, got, sizeof(got), &cut), "%u", at);
		cr_expect(!cut || g_error_matches(cut, PH_ERROR, PH_ERROR_FAILED));
		cr_expect(!changed || g_error_matches(changed, PH_ERROR, PH_ERROR_FAILED));
	}
}

Test(compress, writes_no_more_than_there_is_room)
{
	static const char text[] = "one two three one two three one two three";
	g_autoptr(GByteArray) frame = g_byte_array_new();
	char got[sizeof(text) + 1];

	base_compress(frame, text, sizeof(text));
	for (gsize room = sizeof(text) - 1; room <= sizeof(text) + 1; room++) {
		g_autoptr(GError) error = NULL;

		memset(got, '#', sizeof(got));
		cr_expect_eq(base_decompress(frame->data, frame->len, got, room, &error),
		    room == sizeof(text), "%zu", room);
		cr_expect_eq(got[sizeof(text)], '#');
		cr_expect(room >= sizeof(text) || got[room] == '#');
	}
}
