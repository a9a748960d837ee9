/* SPDX-License-Identifier: MIT */
#include "link/token.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"

#define OLD "an old secret of more than 32 bytes."
#define NEW "a new secret of more than 32 bytes.."

static struct base_secret *
token_secret_of(const char *lines)
{
	struct base_secret *secret = base_secret_parse(lines, NULL);

	cr_assert(secret);
	return secret;
}

static const struct link_token sample = {
    TOKEN_CLICK, {{1, 2, 3, 250, 251, 252, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, 149, 7};

static bool
token_same(const struct link_token *a, const struct link_token *b)
{
	return a->kind == b->kind && base_id_equal(&a->email, &b->email) &&
	       a->recipient == b->recipient && a->links == b->links;
}

Test(token, is_read_for_what_it_was_written_for_alone)
{
	AUTO(base_secret) secret = token_secret_of(NEW);
	const struct {
		const char *name;
		enum link_token_kind kind;
		const char *destination;
		bool want;
	} cases[] = {
	    {"the same", TOKEN_CLICK, "https://x.org/a", true},
	    {"another kind", TOKEN_UNSUBSCRIBE, "https://x.org/a", false},
	    {"the other kind", TOKEN_OPEN, "https://x.org/a", false},
	    {"another destination", TOKEN_CLICK, "https://x.org/b", false},
	    {"a longer destination", TOKEN_CLICK, "https://x.org/ab", false},
	    {"a shorter destination", TOKEN_CLICK, "https://x.org/", false},
	    {"an empty destination", TOKEN_CLICK, "", false},
	    {"no destination", TOKEN_CLICK, NULL, false},
	};
	char text[TOKEN_TEXT_SIZE];

	link_token_write(secret, &sample, "https://x.org/a", text);
	cr_expect_eq(strlen(text), TOKEN_TEXT_SIZE - 1, "got %s", text);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct link_token got = {0};
		bool read =
		    link_token_read(secret, cases[i].kind, text, cases[i].destination, &got);

		cr_expect_eq(read, cases[i].want, "%s: got %d", cases[i].name, read);
		cr_expect(token_same(&got, read ? &sample : &(struct link_token){0}), "%s",
		    cases[i].name);
	}
}

Test(token, holds_what_fits)
{
	AUTO(base_secret) secret = token_secret_of(NEW);
	const struct {
		guint recipient, links, want_links;
	} cases[] = {{0, 0, 0}, {149, 1, 1}, {1, 255, 255}, {1, 256, 255}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct link_token token = {
		    TOKEN_OPEN, sample.email, cases[i].recipient, cases[i].links};
		struct link_token got = {0};
		char text[TOKEN_TEXT_SIZE];

		link_token_write(secret, &token, NULL, text);
		cr_assert(link_token_read(secret, TOKEN_OPEN, text, NULL, &got));
		token.links = cases[i].want_links;
		cr_expect(token_same(&got, &token), "case %zu: got recipient %u, links %u", i,
		    got.recipient, got.links);
	}
}

/* Each bit of each character, which makes other characters of it, inside and outside the alphabet.
 */
Test(token, is_refused_with_any_bit_flipped)
{
	AUTO(base_secret) secret = token_secret_of(NEW);
	char text[TOKEN_TEXT_SIZE], hex[TOKEN_HEX_SIZE];
	struct link_token got;

	link_token_write(secret, &sample, "https://x.org/", text);
	for (gsize bit = 0; bit < 8 * strlen(text); bit++) {
		text[bit / 8] ^= (char)(1 << bit % 8);
		cr_expect_not(
		    link_token_read(secret, TOKEN_CLICK, text, "https://x.org/", &got), "%s", text);
		text[bit / 8] ^= (char)(1 << bit % 8);
	}
	cr_assert(link_token_read(secret, TOKEN_CLICK, text, "https://x.org/", &got));
	link_token_write_hex(secret, &sample, hex);
	for (gsize bit = 0; bit < 8 * strlen(hex); bit++) {
		char was = hex[bit / 8];

		hex[bit / 8] ^= (char)(1 << bit % 8);
		bool only_case = g_ascii_tolower(was) == g_ascii_tolower(hex[bit / 8]);
		bool read = link_token_read_hex(secret, TOKEN_CLICK, hex, &got);
		cr_expect_eq(read, only_case, "%s", hex);
		hex[bit / 8] = was;
	}
}

Test(token, is_refused_when_it_is_none)
{
	AUTO(base_secret) secret = token_secret_of(NEW);
	static const char *const texts[] = {"", "a",
	    "====================================", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	    "000000000000000000000000000000000000000000000000000000",
	    "zz0000000000000000000000000000000000000000000000000000"};
	struct link_token got;

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		cr_expect_not(
		    link_token_read(secret, TOKEN_OPEN, texts[i], NULL, &got), "%s", texts[i]);
		cr_expect_not(
		    link_token_read_hex(secret, TOKEN_OPEN, texts[i], &got), "%s", texts[i]);
	}
}

Test(token, outlives_a_change_of_the_secret_and_no_more)
{
	AUTO(base_secret) before = token_secret_of(OLD);
	AUTO(base_secret) changed = token_secret_of(NEW "\n" OLD);
	AUTO(base_secret) after = token_secret_of(NEW);
	char text[TOKEN_TEXT_SIZE], hex[TOKEN_HEX_SIZE];
	struct link_token got;

	link_token_write(before, &sample, NULL, text);
	link_token_write_hex(before, &sample, hex);
	cr_expect(link_token_read(changed, TOKEN_CLICK, text, NULL, &got));
	cr_expect(
	    link_token_read_hex(changed, TOKEN_CLICK, hex, &got) && token_same(&got, &sample));
	cr_expect_not(link_token_read(after, TOKEN_CLICK, text, NULL, &got));
	cr_expect_not(link_token_read_hex(after, TOKEN_CLICK, hex, &got));
}
