/* SPDX-License-Identifier: MIT */
/* Base64: what is written, and that nothing else is read. */
#include "base/secret.h"

#include <criterion/criterion.h>
#include <string.h>

/* As text, for the tables: "NULL" for none. */
static char *
show(GBytes *bytes)
{
	if (!bytes)
		return g_strdup("NULL");
	return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

Test(base64, reads_strictly)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    /* RFC 4648 section 10 */
	    {"", ""},
	    {"Zg==", "f"},
	    {"Zm8=", "fo"},
	    {"Zm9v", "foo"},
	    {"Zm9vYg==", "foob"},
	    {"Zm9vYmE=", "fooba"},
	    {"Zm9vYmFy", "foobar"},
	    {"+/+/", "\xfb\xff\xbf"},
	    {"-_-_", "NULL"},
	    {"Zg", "NULL"},
	    {"Zg=", "NULL"},
	    {"Zm8", "NULL"},
	    {"Zg===", "NULL"},
	    {"Zg==Zg==", "NULL"},
	    {"Z===", "NULL"},
	    {"====", "NULL"},
	    {"=", "NULL"},
	    {"==", "NULL"},
	    {"Zg=A", "NULL"},
	    {"=Zg=", "NULL"},
	    {"Zh==", "NULL"}, /* stray bits */
	    {"Zv==", "NULL"},
	    {"Zm9=", "NULL"},
	    {"Zm+=", "NULL"},
	    {"Zm9v\n", "NULL"},
	    {"Zm9v Zm9v", "NULL"},
	    {"Zm9v\r\nZg", "NULL"},
	    {" Zm9v", "NULL"},
	    {"Zm9v    ", "NULL"},
	    {"Zm.v", "NULL"},
	    {"Zm\xc3\xa9", "NULL"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) bytes =
		    base_secret_base64_decode(cases[i].text, strlen(cases[i].text));
		g_autofree char *got = show(bytes);
		cr_expect_str_eq(
		    got, cases[i].want, "'%s': got %s, want %s", cases[i].text, got, cases[i].want);
	}
}

Test(base64, reads_no_nul)
{
	g_autoptr(GBytes) bytes = base_secret_base64_decode("Zm9v\0\0\0\0", 8);

	cr_expect_null(bytes);
}

Test(base64, url_reads_strictly)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", ""},
	    {"Zg", "f"},
	    {"Zm8", "fo"},
	    {"Zm9v", "foo"},
	    {"-_-_", "\xfb\xff\xbf"},
	    {"+/+/", "NULL"},
	    {"Zg==", "NULL"},
	    {"Zm8=", "NULL"},
	    {"Z", "NULL"},
	    {"Zm9vZ", "NULL"},
	    {"Zh", "NULL"},
	    {"Zm9", "NULL"},
	    {"Zm 9", "NULL"},
	    {"Zm9v\n", "NULL"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) bytes = base_secret_base64url_decode(cases[i].text);
		g_autofree char *got = show(bytes);
		cr_expect_str_eq(
		    got, cases[i].want, "'%s': got %s, want %s", cases[i].text, got, cases[i].want);
	}
}

/* Each character at each place of a group: valid ones are 64, and GLib reads them the same. */
Test(base64, knows_its_alphabet)
{
	for (int place = 0; place < 4; place++) {
		int valid = 0;

		for (int c = 1; c < 256; c++) {
			char text[] = "AAAA";
			gsize size;

			text[place] = (char)c;
			g_autoptr(GBytes) got = base_secret_base64_decode(text, 4);
			if (!got || c == '=')
				continue;
			g_autofree guchar *want = g_base64_decode(text, &size);
			cr_expect(size == 3 && !memcmp(g_bytes_get_data(got, NULL), want, 3),
			    "%s differs from GLib", text);
			valid++;
		}
		cr_expect_eq(valid, 64, "place %d: got %d, want 64", place, valid);
	}
}

Test(base64, comes_back_at_each_size)
{
	guint8 data[200];

	base_secret_random(data, sizeof(data));
	for (gsize size = 0; size <= sizeof(data); size++) {
		g_autoptr(GBytes) want = g_bytes_new(data, size);
		g_autofree char *text = g_base64_encode(data, size);
		g_autofree char *url = base_secret_base64url(data, size);
		g_autoptr(GBytes) bytes = base_secret_base64_decode(text, strlen(text));
		g_autoptr(GBytes) url_bytes = base_secret_base64url_decode(url);

		cr_expect(bytes && g_bytes_equal(bytes, want), "%s", text);
		cr_expect(url_bytes && g_bytes_equal(url_bytes, want), "%s", url);
	}
}
