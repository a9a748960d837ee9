/* SPDX-License-Identifier: MIT */
/* Tests signatures, encryption and base64 against values made by other programs. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/process.h"
#include "base/secret.h"

#define OLD "0123456789abcdef0123456789abcdef"
#define NEW "a newer one, with blanks inside it"

static char *
secret_hex(const void *data, size_t size)
{
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < size; i++)
		g_string_append_printf(text, "%02x", ((const guint8 *)data)[i]);
	return g_string_free(text, FALSE);
}

static GBytes *
unhex(const char *text)
{
	GByteArray *bytes = g_byte_array_new();

	for (; *text; text += 2) {
		guint8 byte =
		    (guint8)(g_ascii_xdigit_value(text[0]) << 4 | g_ascii_xdigit_value(text[1]));
		g_byte_array_append(bytes, &byte, 1);
	}
	return g_byte_array_free_to_bytes(bytes);
}

static struct base_secret *
secret_parse(const char *lines)
{
	g_autoptr(GError) error = NULL;
	struct base_secret *secret = base_secret_parse(lines, &error);

	cr_assert(secret, "'%s': %s", lines, error ? error->message : "no error set");
	return secret;
}

Test(secret, random_bytes_differ)
{
	guint8 a[32] = {0}, b[32] = {0};

	base_secret_random(a, sizeof(a));
	base_secret_random(b, sizeof(b));
	cr_expect(memcmp(a, b, sizeof(a)) != 0);
}

Test(secret, sha256_is_that_of_fips_180)
{
	static const struct {
		const char *data, *want;
	} cases[] = {
	    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint8 digest[SHA256_SIZE];

		base_secret_sha256(cases[i].data, strlen(cases[i].data), digest);
		g_autofree char *got = secret_hex(digest, sizeof(digest));
		cr_expect_str_eq(
		    got, cases[i].want, "'%s': got %s, want %s", cases[i].data, got, cases[i].want);
	}
}

Test(secret, lines_are_parsed)
{
	static const struct {
		const char *name, *lines, *want; /* want: in the error, NULL when there is none */
	} cases[] = {
	    {"one line", OLD, NULL},
	    {"final newline", OLD "\n", NULL},
	    {"CRLF", OLD "\r\n" NEW "\r\n", NULL},
	    {"empty lines", "\n\n" OLD "\n\n" NEW "\n", NULL},
	    {"31 bytes", "0123456789abcdef0123456789abcde", "line 1 is shorter than 32 bytes"},
	    {"31 bytes and blanks", "  0123456789abcdef0123456789abcde  ", "line 1"},
	    {"second line short", OLD "\nshort\n", "line 2"},
	    {"nothing", "", "no secret"},
	    {"empty lines alone", "\n \r\n\n", "no secret"},
	};

	cr_assert_eq(strlen(OLD), LIMIT_SECRET_MIN_BYTES, "the cases stand at the limit");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(base_secret) secret = base_secret_parse(cases[i].lines, &error);
		const char *got = error ? error->message : "success";

		cr_expect_eq(!secret, !!error, "%s: result and error disagree", cases[i].name);
		if (!cases[i].want)
			cr_expect(secret, "%s: got %s, want success", cases[i].name, got);
		else
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID) &&
				      strstr(got, cases[i].want),
			    "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

/* Python: HMAC(HKDF(SHA256, 32, salt=None, info="posthouse sign", line), "click\0hello").
   A change here makes every link in every email already sent worthless. */
Test(secret, tag_stays_what_it_was)
{
	AUTO(base_secret) secret = secret_parse(OLD);
	guint8 tag[SHA256_SIZE];

	base_secret_sign(secret, "click", "hello", 5, tag, sizeof(tag));
	g_autofree char *got = secret_hex(tag, sizeof(tag));
	cr_expect_str_eq(got, "f215208de467a582edf02b6e8dd7371b9f2d133f1c49cc959a94fd2e442e2fcf");
}

Test(secret, tag_serves_one_purpose_and_data)
{
	static const struct {
		const char *name, *lines, *purpose, *data;
		size_t size;
		bool want;
	} cases[] = {
	    {"the same", OLD, "click", "hello", 16, true},
	    {"white space around the line", " " OLD " \r\n", "click", "hello", 16, true},
	    {"rotated, the old one second", NEW "\n" OLD, "click", "hello", 16, true},
	    {"another secret first in line", OLD "\n" NEW, "click", "hello", 16, true},
	    {"only another secret", NEW, "click", "hello", 16, false},
	    {"another purpose", OLD, "open", "hello", 16, false},
	    {"a letter moved from data to purpose", OLD, "clickh", "ello", 16, false},
	    {"other data", OLD, "click", "hellp", 16, false},
	    {"shorter data", OLD, "click", "hell", 16, false},
	    {"a shorter tag", OLD, "click", "hello", 8, true},
	    {"no tag", OLD, "click", "hello", 0, false},
	    {"a longer tag than there is", OLD, "click", "hello", 33, false},
	};
	AUTO(base_secret) signer = secret_parse(OLD);
	guint8 tag[SHA256_SIZE + 1] = {0};

	base_secret_sign(signer, "click", "hello", 5, tag, SHA256_SIZE);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(base_secret) secret = secret_parse(cases[i].lines);
		bool got = base_secret_verify(secret, cases[i].purpose, cases[i].data,
		    strlen(cases[i].data), tag, cases[i].size);

		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].name, got, cases[i].want);
	}
}

Test(secret, every_bit_of_a_tag_counts)
{
	AUTO(base_secret) secret = secret_parse(OLD);
	guint8 tag[12];

	base_secret_sign(secret, "click", "hello", 5, tag, sizeof(tag));
	for (size_t bit = 0; bit < 8 * sizeof(tag); bit++) {
		tag[bit / 8] ^= (guint8)(1 << bit % 8);
		cr_expect_not(base_secret_verify(secret, "click", "hello", 5, tag, sizeof(tag)),
		    "bit %zu is not looked at", bit);
		tag[bit / 8] ^= (guint8)(1 << bit % 8);
	}
	cr_expect(base_secret_verify(secret, "click", "hello", 5, tag, sizeof(tag)));
}

Test(secret, first_line_signs)
{
	AUTO(base_secret) both = secret_parse(NEW "\n" OLD);
	AUTO(base_secret) first = secret_parse(NEW);
	guint8 got[SHA256_SIZE], want[SHA256_SIZE];

	base_secret_sign(both, "click", "hello", 5, got, sizeof(got));
	base_secret_sign(first, "click", "hello", 5, want, sizeof(want));
	cr_expect_arr_eq(got, want, sizeof(want));
}

/* There is one tag for each line, in order, so a tag made with an older first line is found. */
Test(secret, every_line_signs_for_those_who_look_up)
{
	static const char *const lines[] = {NEW, OLD, NEW "!"};
	AUTO(base_secret) all = secret_parse(NEW "\n" OLD "\n" NEW "!");
	g_autoptr(GArray) tags = base_secret_sign_all(all, "list", "hello", 5);

	cr_assert_eq(tags->len, G_N_ELEMENTS(lines));
	for (guint i = 0; i < tags->len; i++) {
		AUTO(base_secret) one = secret_parse(lines[i]);
		guint8 want[SHA256_SIZE];

		base_secret_sign(one, "list", "hello", 5, want, sizeof(want));
		cr_expect_arr_eq(tags->data + (gsize)i * SHA256_SIZE, want, SHA256_SIZE, "%u", i);
	}
}

/* Python: AESGCM(HKDF(..., info="posthouse encrypt", line)) with the nonce 00..0b, context "row 1".
   A change here loses every key at rest. */
static const char sealed_elsewhere[] =
    "000102030405060708090a0bf09fc58d079c1bc655503466c10789e5beb149f2ee86a2d1c14a44e780f9";

Test(secret, decrypts_what_another_program_encrypted)
{
	static const struct {
		const char *name, *lines, *context;
		bool want;
	} cases[] = {
	    {"the same", OLD, "row 1", true},
	    {"rotated", NEW "\n" NEW "!\n" OLD, "row 1", true},
	    {"the secret is gone", NEW, "row 1", false},
	    {"another row", OLD, "row 2", false},
	    {"no row", OLD, "", false},
	};
	g_autoptr(GBytes) sealed = unhex(sealed_elsewhere);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(base_secret) secret = secret_parse(cases[i].lines);
		g_autoptr(GBytes) plain = base_secret_decrypt(
		    secret, sealed, cases[i].context, strlen(cases[i].context), &error);

		cr_expect_eq(!!plain, cases[i].want, "%s: got %s", cases[i].name,
		    plain ? "plain text" : "an error");
		if (plain)
			cr_expect(g_bytes_get_size(plain) == 14 &&
				      !memcmp(g_bytes_get_data(plain, NULL), "attack at dawn", 14),
			    "%s: the text differs", cases[i].name);
		else
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED), "%s: code",
			    cases[i].name);
	}
}

Test(secret, every_bit_of_a_sealed_value_counts)
{
	AUTO(base_secret) secret = secret_parse(OLD);
	g_autoptr(GBytes) sealed = unhex(sealed_elsewhere);
	gsize size = g_bytes_get_size(sealed);

	for (gsize bit = 0; bit < 8 * size; bit++) {
		guint8 *copy = g_memdup2(g_bytes_get_data(sealed, NULL), size);
		copy[bit / 8] ^= (guint8)(1 << bit % 8);
		g_autoptr(GBytes) forged = g_bytes_new_take(copy, size);
		g_autoptr(GBytes) plain = base_secret_decrypt(secret, forged, "row 1", 5, NULL);
		cr_expect_null(plain, "bit %zu is not looked at", bit);
	}
	for (gsize length = 0; length < size; length++) {
		g_autoptr(GBytes) cut = g_bytes_new_from_bytes(sealed, 0, length);
		g_autoptr(GBytes) plain = base_secret_decrypt(secret, cut, "row 1", 5, NULL);
		cr_expect_null(plain, "cut to %zu bytes it still decrypts", length);
	}
}

Test(secret, encrypts_any_size_with_the_first_line)
{
	static const gsize sizes[] = {0, 1, 15, 16, 17, 1 << 20};
	AUTO(base_secret) both = secret_parse(NEW "\n" OLD);
	AUTO(base_secret) first = secret_parse(NEW);
	AUTO(base_secret) old = secret_parse(OLD);

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree guint8 *data = g_malloc(sizes[i] + 1);
		base_secret_random(data, sizes[i] + 1);
		g_autoptr(GBytes) plain = g_bytes_new(data, sizes[i]);
		g_autoptr(GBytes) sealed = base_secret_encrypt(both, plain, "row", 3);
		g_autoptr(GBytes) again = base_secret_encrypt(both, plain, "row", 3);
		g_autoptr(GBytes) back = base_secret_decrypt(first, sealed, "row", 3, NULL);
		g_autoptr(GBytes) wrong = base_secret_decrypt(old, sealed, "row", 3, NULL);

		cr_expect_eq(g_bytes_get_size(sealed), sizes[i] + 28, "%zu: size", sizes[i]);
		cr_expect_not(g_bytes_equal(sealed, again), "%zu: nonce used twice", sizes[i]);
		cr_expect(back && g_bytes_equal(back, plain), "%zu: came back changed", sizes[i]);
		cr_expect_null(wrong, "%zu: not encrypted with the first line", sizes[i]);
	}
}

/* As text, for the tables: "NULL" for none. */
static char *
secret_show(GBytes *bytes)
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
		g_autofree char *got = secret_show(bytes);
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
		g_autofree char *got = secret_show(bytes);
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
