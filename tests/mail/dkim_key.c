/* SPDX-License-Identifier: MIT */
#include "mail/dkim_key.h"

#include <criterion/criterion.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/domain.h"

/* A key of a kind that we do not generate: RSA of so many bits, or on the curve P-256. */
static GBytes *
other_key(int rsa_bits)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(rsa_bits ? EVP_PKEY_RSA : EVP_PKEY_EC, NULL);
	EVP_PKEY *key = NULL;
	PKCS8_PRIV_KEY_INFO *info;
	unsigned char *der = NULL;
	GBytes *bytes;
	int size;

	EVP_PKEY_keygen_init(context);
	if (rsa_bits)
		EVP_PKEY_CTX_set_rsa_keygen_bits(context, rsa_bits);
	else
		EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1);
	EVP_PKEY_keygen(context, &key);
	info = EVP_PKEY2PKCS8(key);
	size = i2d_PKCS8_PRIV_KEY_INFO(info, &der);
	bytes = g_bytes_new(der, (gsize)size);
	OPENSSL_free(der);
	PKCS8_PRIV_KEY_INFO_free(info);
	EVP_PKEY_free(key);
	EVP_PKEY_CTX_free(context);
	return bytes;
}

/* The public key of the private one in RFC 8463 appendix A.2. */
Test(dkim_key, publishes_ed25519_as_the_rfc_does)
{
	g_autofree guchar *der = NULL;
	gsize size;
	/* RFC 8410 section 7: the prefix of the 32 bytes. */
	der = g_base64_decode(
	    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g", &size);
	g_autoptr(GBytes) bytes = g_bytes_new(der, size);
	AUTO(mail_dkim_key) key =
	    mail_dkim_key_parse(bytes, "football.example.com", "brisbane", NULL);
	g_autofree char *public = mail_dkim_public_base64(key);

	cr_expect_str_eq(public, "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=", "got %s", public);
	cr_expect_str_eq(mail_dkim_key_domain(key), "football.example.com");
	cr_expect_str_eq(mail_dkim_key_selector(key), "brisbane");
	cr_expect_str_eq(mail_dkim_key_algorithm(key), "ed25519-sha256");
}

Test(dkim_key, makes_keys_that_it_reads)
{
	static const struct {
		enum mail_dkim_algorithm algorithm;
		const char *want_algorithm;
		const char *want_begin;
		gsize want_public;
	} cases[] = {
	    {MAIL_DKIM_RSA2048, "rsa-sha256", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A", 294},
	    {MAIL_DKIM_ED25519, "ed25519-sha256", "", 32},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) der = mail_dkim_generate(cases[i].algorithm, NULL);
		g_autoptr(GBytes) other = mail_dkim_generate(cases[i].algorithm, NULL);
		AUTO(mail_dkim_key) key = mail_dkim_key_parse(der, "example.com", "s1", NULL);
		g_autofree char *public = mail_dkim_public_base64(key);
		gsize size;
		g_autofree guchar *bytes = g_base64_decode(public, &size);

		cr_expect_not(g_bytes_equal(der, other), "the same key twice");
		cr_expect_str_eq(mail_dkim_key_algorithm(key), cases[i].want_algorithm);
		cr_expect(g_str_has_prefix(public, cases[i].want_begin), "got %s", public);
		cr_expect_eq(size, cases[i].want_public, "%s: got %zu bytes, want %zu",
		    cases[i].want_algorithm, size, cases[i].want_public);
	}
}

static void
expect_parse(const char *name, GBytes *der, const char *domain, const char *selector, bool want)
{
	g_autoptr(GError) error = NULL;
	AUTO(mail_dkim_key) key = mail_dkim_key_parse(der, domain, selector, &error);

	cr_expect_eq(key != NULL, want, "%s: got %s", name, error ? error->message : "a key");
	cr_expect_eq(error == NULL, key != NULL, "%s: an error exactly when there is no key", name);
	if (error)
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s", name);
}

Test(dkim_key, refuses_what_is_no_key_for_dkim)
{
	g_autoptr(GBytes) good = mail_dkim_generate(MAIL_DKIM_ED25519, NULL);
	gsize size = g_bytes_get_size(good);
	g_autoptr(GBytes) cut = g_bytes_new_from_bytes(good, 0, size - 1);
	g_autoptr(GByteArray) longer = g_byte_array_new();
	g_autoptr(GBytes) empty = g_bytes_new(NULL, 0);
	g_autoptr(GBytes) small = other_key(1023);
	g_autoptr(GBytes) enough = other_key(1024);
	g_autoptr(GBytes) curve = other_key(0);

	g_byte_array_append(longer, g_bytes_get_data(good, NULL), (guint)size);
	g_byte_array_append(longer, (const guint8 *)"", 1);
	g_autoptr(GBytes) trailing = g_bytes_new(longer->data, longer->len);
	expect_parse("good", good, "example.com", "s1", true);
	expect_parse("cut", cut, "example.com", "s1", false);
	expect_parse("trailing byte", trailing, "example.com", "s1", false);
	expect_parse("empty", empty, "example.com", "s1", false);
	expect_parse("RSA 1024", enough, "example.com", "s1", true);
	expect_parse("RSA 1023", small, "example.com", "s1", false);
	expect_parse("P-256", curve, "example.com", "s1", false);
}

Test(dkim_key, takes_names_that_cannot_break_out_of_the_signature)
{
	static const struct {
		const char *domain;
		const char *selector;
		bool want;
	} cases[] = {
	    {"example.com", "s1", true},
	    {"xn--bcher-kva.example", "s-1.b_c", true},
	    {"", "s1", false},
	    {"example.com", "", false},
	    {"example.com; i=x", "s1", false},
	    {"example.com", "s1\r\nBcc: x", false},
	    {"b\303\274cher.example", "s1", false},
	};
	g_autoptr(GBytes) der = mail_dkim_generate(MAIL_DKIM_ED25519, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_parse(
		    cases[i].domain, der, cases[i].domain, cases[i].selector, cases[i].want);
	for (gsize over = 0; over <= 1; over++) {
		g_autofree char *domain = g_strnfill(LIMIT_DOMAIN_LENGTH + over, 'x');
		expect_parse("long domain", der, domain, "s1", !over);
	}
}
