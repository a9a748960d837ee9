/* SPDX-License-Identifier: MIT */
/* Messages of awkward shapes, and keys, for tests of signatures. */
#include "tests/mail/shapes.h"

#include "mail/dkim.h"

#define FROM "From: Ann <ann@example.com>\r\n"
#define PLAIN FROM "To: Bob <bob@example.org>\r\nSubject: Hello\r\n"
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define SIGNED_BEFORE                                                                              \
	"DKIM-Signature: v=1; a=rsa-sha256; d=example.net; s=x;\r\n\th=From; bh=eA==; b=eA==\r\n"

const struct shape shapes[] = {
    {"simple", PLAIN, "Hello, Bob.\r\nBye.\r\n", 0},
    {"empty-body", PLAIN, "", 0},
    {"no-body", PLAIN, NULL, 0},
    {"one-blank-line", PLAIN, "\r\n", 0},
    {"blank-lines-alone", PLAIN, "\r\n\r\n\r\n\r\n", 0},
    {"white-lines-alone", PLAIN, " \r\n\t\r\n  \t \r\n", 0},
    {"blank-lines-first", PLAIN, "\r\n\r\nHello\r\n", 0},
    {"blank-lines-between", PLAIN, "Hello\r\n\r\n\r\nBob\r\n", 0},
    {"blank-lines-last", PLAIN, "Hello\r\n\r\n\r\n\r\n", 0},
    {"white-lines-last", PLAIN, "Hello\r\n \r\n\t \r\n", 0},
    {"white-space-at-line-ends", PLAIN, "Hello \r\nBob\t\r\nand  \t \r\nall\r\n", 0},
    {"white-space-runs", PLAIN, "  Hello   Bob\t\tand \t all\r\n\tand\teach\r\n", 0},
    {"no-final-line-break", PLAIN, "Hello\r\nBob", 0},
    {"no-final-line-break-white", PLAIN, "Hello\r\nBob \t", 0},
    {"no-final-line-break-white-line", PLAIN, "Hello\r\n \t", 0},
    {"long-lines", PLAIN,
	HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED TEN TEN TEN TEN TEN
	    TEN TEN TEN TEN "01234567\r\n",
	3},
    {"dots", PLAIN, ".\r\n..\r\n.x\r\n", 0},
    {"utf-8-body", PLAIN, "Gr\303\274\303\237e \360\237\230\200\r\n\302\240\r\n", 0},
    {"folded",
	FROM "To: Bob\r\n <bob@example.org>,\r\n\tEve\r\n  \t<eve@example.org>\r\n"
	     "Subject:\r\n Hello\r\n",
	"Hello\r\n", 0},
    {"white-space-around", FROM "Subject:  \t Hello \t there\t \r\nTo:bob@example.org\r\n",
	"Hello\r\n", 0},
    {"space-before-colon", FROM "Subject : Hello\r\nTo  : bob@example.org\r\n", "Hello\r\n", 0},
    {"other-case", "from: ann@example.com\r\nSUBJECT: Hello\r\nmIME-vERSION: 1.0\r\n", "Hello\r\n",
	0},
    {"duplicates",
	"To: a@example.org\r\nSubject: One\r\nTo: b@example.org\r\n" FROM
	"Subject: Two\r\nTo: c@example.org\r\n",
	"Hello\r\n", 0},
    {"two-from", FROM "From: Eve <eve@example.com>\r\nSubject: Hello\r\n", "Hello\r\n", 0},
    {"tabs", FROM "Subject:\tHello\tthere\r\nReply-To:\tann@example.com\r\n", "a\tb\r\n", 0},
    {"utf-8-header", "From: J\303\274rgen <j@example.com>\r\nSubject: Gr\303\274\303\237e\r\n",
	"Hello\r\n", 0},
    {"empty-value", FROM "Subject:\r\nTo: \r\nReply-To: \t \r\n", "Hello\r\n", 0},
    {"all-fields",
	"Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n" PLAIN
	"Cc: c@example.org\r\nReply-To: r@example.com\r\nMessage-ID: <1@example.com>\r\n"
	"In-Reply-To: <0@example.com>\r\nReferences: <0@example.com>\r\nMIME-Version: 1.0\r\n"
	"Content-Type: text/plain\r\nContent-Transfer-Encoding: 7bit\r\n"
	"List-Unsubscribe: <https://example.com/u>\r\n"
	"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nX-Other: not signed\r\n",
	"Hello\r\n", 0},
    {"signed-before", SIGNED_BEFORE PLAIN, "Hello\r\n", 0},
    {"ten-megabytes", PLAIN, HUNDRED "  and " HUNDRED "\r\n", 50 * 1024},
};
const gsize shape_count = G_N_ELEMENTS(shapes);

GBytes *
shape_message(const struct shape *shape)
{
	GString *message = g_string_new(shape->header);

	if (shape->body)
		g_string_append(message, "\r\n");
	for (gsize i = 0; shape->body && i < MAX(shape->repeat, 1); i++)
		g_string_append(message, shape->body);
	return g_string_free_to_bytes(message);
}

static struct mail_dkim_key *
shapes_make_key(enum mail_dkim_algorithm algorithm, const char *selector)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) der = mail_dkim_generate(algorithm, &error);
	struct mail_dkim_key *key =
	    der ? mail_dkim_key_parse(der, SHAPE_DOMAIN, selector, &error) : NULL;

	if (!key)
		g_error("no key: %s", error->message);
	return key;
}

struct mail_dkim_key *const *
shape_keys(void)
{
	static struct mail_dkim_key *keys[2];

	if (!keys[0]) {
		keys[0] = shapes_make_key(MAIL_DKIM_RSA2048, SHAPE_RSA_SELECTOR);
		keys[1] = shapes_make_key(MAIL_DKIM_ED25519, SHAPE_ED25519_SELECTOR);
	}
	return keys;
}

char *
shape_records(void)
{
	g_autofree char *rsa = mail_dkim_public_base64(shape_keys()[0]);
	g_autofree char *ed25519 = mail_dkim_public_base64(shape_keys()[1]);

	return g_strdup_printf("%s._domainkey.%s v=DKIM1; k=rsa; p=%s\n"
			       "%s._domainkey.%s v=DKIM1; k=ed25519; p=%s\n",
	    SHAPE_RSA_SELECTOR, SHAPE_DOMAIN, rsa, SHAPE_ED25519_SELECTOR, SHAPE_DOMAIN, ed25519);
}

GBytes *
shape_delivered(GBytes *message)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *signatures =
	    mail_dkim_sign(message, shape_keys(), 2, 1700000000123, &error);
	GString *whole = g_string_new(signatures);
	gsize size;
	const char *text = g_bytes_get_data(message, &size);

	if (!signatures)
		g_error("not signed: %s", error->message);
	g_string_append_len(whole, text, (gssize)size);
	if (!g_str_has_suffix(whole->str, "\r\n"))
		g_string_append(whole, "\r\n");
	return g_string_free_to_bytes(whole);
}
