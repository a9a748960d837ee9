/* SPDX-License-Identifier: MIT */
#include "store/email/content.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/secret.h"

static GBytes *
content_random_bytes(gsize size)
{
	guint8 *data = g_malloc(size + 1);

	base_secret_random(data, size);
	return g_bytes_new_take(data, size);
}

static bool
content_unpack(GBytes *packed, struct store_content *content_r, GError **error)
{
	gsize size;
	const void *data = g_bytes_get_data(packed, &size);

	return store_content_unpack(data, size, content_r, error);
}

static void
content_expect_same(const char *name, GBytes *got, GBytes *want)
{
	cr_assert_eq(!got, !want, "%s", name);
	if (!got)
		return;
	gsize size;
	const char *data = g_bytes_get_data(got, &size);
	cr_expect(g_bytes_equal(got, want), "%s", name);
	cr_expect_eq(data[size], '\0', "%s", name);
}

Test(content, comes_back_as_it_was)
{
	/* -1: none */
	static const struct {
		const char *name;
		gssize html, text;
	} cases[] = {
	    {"html and text", 5000, 700},
	    {"html", 5000, -1},
	    {"text", -1, 700},
	    {"nothing", -1, -1},
	    {"empty html", 0, -1},
	    {"empty text", 5000, 0},
	    {"both empty", 0, 0},
	    {"as large as can be", LIMIT_OWN_CONTENT_BYTES, LIMIT_OWN_CONTENT_BYTES},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_content content = {
		    cases[i].html < 0 ? NULL : content_random_bytes((gsize)cases[i].html),
		    cases[i].text < 0 ? NULL : content_random_bytes((gsize)cases[i].text)};
		g_autoptr(GBytes) packed = store_content_pack(&content);
		g_autoptr(GError) error = NULL;
		struct store_content got;

		cr_assert(content_unpack(packed, &got, &error), "%s: %s", cases[i].name,
		    error ? error->message : "");
		content_expect_same(cases[i].name, got.html, content.html);
		content_expect_same(cases[i].name, got.text, content.text);
		store_content_clear(&content);
		store_content_clear(&got);
	}
}

/* Contents that were packed a moment ago are not compressed again; those that differ only in what
   is html and what is text, or in one byte, are other ones. */
Test(content, knows_what_it_packed)
{
	g_autoptr(GBytes) bytes = content_random_bytes(500);
	g_autofree guint8 *data = g_memdup2(g_bytes_get_data(bytes, NULL), 500);

	data[499] ^= 1;
	g_autoptr(GBytes) other = g_bytes_new(data, 500);
	const struct store_content contents[] = {{bytes, NULL}, {NULL, bytes}, {other, NULL}};
	g_autoptr(GBytes) first = store_content_pack(&contents[0]);

	for (gsize i = 0; i < 2 * G_N_ELEMENTS(contents); i++) {
		const struct store_content *content = &contents[i % G_N_ELEMENTS(contents)];
		g_autoptr(GBytes) packed = store_content_pack(content);
		g_autoptr(GError) error = NULL;
		struct store_content got;

		cr_expect_eq(packed == first, content == &contents[0]);
		cr_assert(content_unpack(packed, &got, &error), "%zu: %s", i,
		    error ? error->message : "");
		content_expect_same("html", got.html, content->html);
		content_expect_same("text", got.text, content->text);
		store_content_clear(&got);
	}
}

/* Each byte of a row changed, and each length cut off. */
Test(content, finds_damage)
{
	struct store_content content = {content_random_bytes(90), content_random_bytes(30)};
	g_autoptr(GBytes) packed = store_content_pack(&content);
	gsize size;
	g_autofree guint8 *data = g_bytes_unref_to_data(g_bytes_ref(packed), &size);

	for (gsize at = 0; at < size; at++) {
		g_autoptr(GError) cut = NULL, changed = NULL;
		struct store_content got;

		cr_expect_not(store_content_unpack(data, at, &got, &cut), "%zu", at);
		cr_expect(g_error_matches(cut, PH_ERROR, PH_ERROR_FAILED));
		cr_expect(strstr(cut->message, "a stored content is damaged"), "%s", cut->message);
		data[at] ^= 0x10;
		if (store_content_unpack(data, size, &got, &changed)) {
			content_expect_same("html", got.html, content.html);
			content_expect_same("text", got.text, content.text);
			store_content_clear(&got);
		} else {
			cr_expect(g_error_matches(changed, PH_ERROR, PH_ERROR_FAILED));
			cr_expect_null(got.html);
			cr_expect_null(got.text);
		}
		data[at] ^= 0x10;
	}
	store_content_clear(&content);
}

/* A row that says that it holds more than there can be, though it does. */
Test(content, refuses_what_is_too_large)
{
	for (gsize more = 0; more <= 1; more++) {
		struct store_content content = {
		    NULL, content_random_bytes(LIMIT_OWN_CONTENT_BYTES + more)};
		g_autoptr(GBytes) packed = store_content_pack(&content);
		g_autoptr(GError) error = NULL;
		struct store_content got;

		cr_expect_eq(content_unpack(packed, &got, &error), more == 0);
		cr_expect(more == 0 || strcmp(error->message, "a stored content is damaged") == 0);
		store_content_clear(&content);
		store_content_clear(&got);
	}
}

Test(content, tells_sizes_and_another_form)
{
	struct store_content content = {NULL, content_random_bytes(30)};
	g_autoptr(GBytes) packed = store_content_pack(&content);
	gsize size;
	g_autofree guint8 *data = g_bytes_unref_to_data(g_bytes_ref(packed), &size);
	g_autoptr(GError) error = NULL;
	guint32 html, text;

	cr_assert(store_content_sizes(data, size, &html, &text, NULL));
	cr_expect_eq(html, STORE_CONTENT_NONE);
	cr_expect_eq(text, 30);
	data[0] = 2;
	cr_expect_not(store_content_sizes(data, size, &html, &text, &error));
	cr_expect_str_eq(
	    error->message, "a stored content has the form 2, and this program knows 1");
	store_content_clear(&content);
}
