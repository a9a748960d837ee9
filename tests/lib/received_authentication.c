/* SPDX-License-Identifier: MIT */
/* Tests the result of DMARC for mail that comes in, by signatures and records of DNS. */
#include "received/authentication.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/received.h"
#include "mail/dkim.h"
#include "received/door.h"
#include "tests/lib/fixture.h"
#include "tests/support/nsd.h"

#define ZONE "example"
#define SELECTOR "k1"

/* A message from an address, signed for a domain with the key. */
static GBytes *
authentication_message(GBytes *der, const char *signer, const char *from)
{
	g_autoptr(GError) error = NULL;
	AUTO(mail_dkim_key) key = mail_dkim_key_parse(der, signer, SELECTOR, &error);
	g_autofree char *plain =
	    g_strdup_printf("From: %s\r\nSubject: s\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n", from);
	g_autoptr(GBytes) bytes = g_bytes_new(plain, strlen(plain));

	cr_assert(key, "%s", error->message);
	g_autofree char *field = mail_dkim_sign(bytes, &key, 1, base_clock_now(), &error);
	cr_assert(field, "%s", error->message);
	g_autofree char *whole = g_strconcat(field, plain, NULL);
	return g_bytes_new(whole, strlen(whole));
}

/* The organizational domain is that of the walk of RFC 9989, not that of a list of suffixes. */
Test(received_authentication, walks_up_the_tree)
{
	static const struct {
		const char *name, *signer, *from, *records, *want;
	} cases[] = {
	    {"the same domain", "a.bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", "pass"},
	    {"the same in another case", "a.bank.example", "x@A.Bank.Example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", "pass"},
	    {"a parent with a record", "bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", "pass"},
	    {"a sibling below a record", "b.bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", "pass"},
	    {"strict", "b.bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none; adkim=s\"\n", NULL},
	    {"strict, the same", "a.bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none; adkim = s\"\n", "pass"},
	    {"a department of its own", "b.bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n"
		"_dmarc.a.bank TXT \"v=DMARC1; p=none; psd=n\"\n",
		NULL},
	    {"names below a public suffix", "b.bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none; psd=y\"\n", NULL},
	    {"no record", "bank.example", "x@a.bank.example", "", "none"},
	    {"no record, the same", "bank.example", "x@bank.example", "", "pass"},
	    {"two records are none", "bank.example", "x@a.bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n_dmarc.bank TXT \"v=DMARC1; p=reject\"\n",
		"none"},
	    {"a record without a policy", "other.example", "x@bank.example",
		"_dmarc.bank TXT \"v=DMARC1; sp=x\"\n", "none"},
	    {"below its parent", "a.bank.example", "x@bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", "pass"},
	    {"two fields From", "bank.example", "x@bank.example\r\nFrom: y@bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", NULL},
	    {"a stranger", "other.example", "x@bank.example",
		"_dmarc.bank TXT \"v=DMARC1; p=none\"\n", NULL},
	};
	static const char *const zones[] = {ZONE, NULL};

	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	AUTO(test_nsd) nsd = test_nsd_start(zones);
	g_autofree char *more = g_strdup_printf("[dns]\nservers = %s\n", test_nsd_address(nsd));
	AUTO(fixture) fixture = fixture_open(NULL, more);
	g_autoptr(GBytes) der = mail_dkim_generate(MAIL_DKIM_ED25519, NULL);
	AUTO(mail_dkim_key) any = mail_dkim_key_parse(der, ZONE, SELECTOR, NULL);
	g_autofree char *public = mail_dkim_public_base64(any);
	const struct received_session session = {.is_pipe = true};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct received_authentication result;
		g_autofree char *label =
		    g_strndup(cases[i].signer, strlen(cases[i].signer) - strlen("." ZONE));
		g_autofree char *records =
		    g_strdup_printf("%s._domainkey.%s TXT \"v=DKIM1; k=ed25519; p=%s\"\n%s",
			SELECTOR, label, public, cases[i].records);
		g_autoptr(GBytes) message =
		    authentication_message(der, cases[i].signer, cases[i].from);
		gsize size;
		const void *data = g_bytes_get_data(message, &size);

		test_nsd_set(nsd, ZONE, records);
		received_authentication_read(
		    fixture->service, &session, data, size, cases[i].from, &result);
		cr_expect_str_eq(result.dkim, "pass", "%s: got %s", cases[i].name, result.dkim);
		cr_expect(g_strcmp0(result.dmarc, cases[i].want) == 0, "%s: got %s, want %s",
		    cases[i].name, result.dmarc, cases[i].want);
		received_authentication_clear(&result);
	}
	/* Nobody knows whether there is a policy. */
	test_nsd_end(nsd);
	g_autoptr(GBytes) message = authentication_message(der, "bank.example", "x@bank.example");
	struct received_authentication result;
	gsize size;
	const void *data = g_bytes_get_data(message, &size);
	received_authentication_read(
	    fixture->service, &session, data, size, "x@bank.example", &result);
	cr_expect_str_eq(result.dkim, "temperror", "got %s", result.dkim);
	cr_expect_null(result.dmarc, "got %s", result.dmarc);
	received_authentication_clear(&result);
}

/* DNS is asked up the tree for the domains of two signatures, so that a message cannot have us ask
   for any number of names; several signatures of one domain count once. */
Test(received_authentication, walks_so_often)
{
	static const struct {
		const char *name, *signers[4], *want;
	} cases[] = {
	    {"the second", {"c.bank.example", "b.bank.example"}, "pass"},
	    {"the third", {"d.bank.example", "c.bank.example", "b.bank.example"}, NULL},
	    {"the third by two domains", {"c.bank.example", "c.bank.example", "b.bank.example"},
		"pass"},
	};
	static const char *const zones[] = {ZONE, NULL};

	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	G_STATIC_ASSERT(LIMIT_RECEIVED_WALKS == 2);
	AUTO(test_nsd) nsd = test_nsd_start(zones);
	g_autofree char *more = g_strdup_printf("[dns]\nservers = %s\n", test_nsd_address(nsd));
	AUTO(fixture) fixture = fixture_open(NULL, more);
	g_autoptr(GBytes) der = mail_dkim_generate(MAIL_DKIM_ED25519, NULL);
	AUTO(mail_dkim_key) any = mail_dkim_key_parse(der, ZONE, SELECTOR, NULL);
	g_autofree char *public = mail_dkim_public_base64(any);
	g_autofree char *records = g_strdup_printf(SELECTOR
	    "._domainkey.b.bank TXT \"v=DKIM1; k=ed25519; p=%s\"\n_dmarc.bank TXT \"v=DMARC1; "
	    "p=none\"\n",
	    public);
	const struct received_session session = {.is_pipe = true};

	test_nsd_set(nsd, ZONE, records);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct received_authentication result;
		g_autoptr(GString) whole = g_string_new(NULL);
		gsize size = 0;

		for (guint k = 0; cases[i].signers[k]; k++) {
			g_autoptr(GBytes) message =
			    authentication_message(der, cases[i].signers[k], "x@a.bank.example");
			const char *data = g_bytes_get_data(message, &size);

			/* The fields of all, in front of the one message. */
			const char *plain = g_strstr_len(data, (gssize)size, "From: x@");
			g_string_truncate(
			    whole, k == 0 ? 0 : whole->len - (size - (gsize)(plain - data)));
			g_string_append_len(whole, data, (gssize)size);
		}
		received_authentication_read(fixture->service, &session, whole->str, whole->len,
		    "x@a.bank.example", &result);
		cr_expect_str_eq(result.dkim, "pass", "%s: got %s", cases[i].name, result.dkim);
		cr_expect(g_strcmp0(result.dmarc, cases[i].want) == 0, "%s: got %s, want %s",
		    cases[i].name, result.dmarc, cases[i].want);
		received_authentication_clear(&result);
	}
}
