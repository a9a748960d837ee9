/* SPDX-License-Identifier: MIT */
#include "link/return_path.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "tests/lib/posting.h"

#define FIXED "return_path = bounces@relay.example.net\n"

static struct fixture *fixture;
static struct base_id email;

static void
return_path_begin(void)
{
	fixture = fixture_open(NULL, NULL);
	email = posting_submit(fixture, "a@x.org");
}

static void
return_path_end(void)
{
	fixture_close(fixture);
}

TestSuite(return_path, .init = return_path_begin, .fini = return_path_end);

/* The token's digits in a return path that names its recipient, and in one that does not. */
static const struct {
	guint recipient;
	gsize digits;
} kinds[] = {{0, 54}, {149, 54}, {RETURN_PATH_SHARED, 48}};

static char *
return_path_make(guint recipient)
{
	AUTO(store_email) stored = fixture_email(fixture, &email);

	return link_return_path(fixture->service, stored, recipient);
}

static bool
return_path_reads(const char *text, guint recipient)
{
	struct link_return_path got = {.recipient = 1234};
	bool read = link_return_path_read(fixture->service, text, &got);

	cr_expect_eq(got.recipient, read ? recipient : 1234, "%s: got %u", text, got.recipient);
	cr_expect(!read || base_id_equal(&got.email, &email), "%s", text);
	return read;
}

static bool
reads_envid(const char *text, guint recipient)
{
	struct link_return_path got = {.recipient = 1234};
	bool read = link_return_path_read_envid(fixture->service, text, &got);

	cr_expect_eq(got.recipient, read ? recipient : 1234, "%s: got %u", text, got.recipient);
	return read;
}

Test(return_path, is_read_back)
{
	static const char *const forms[] = {
	    "%s", "<%s>", "\"Bounces\" <%s>", "x@y.org, %s", "for %s; Fri", "(%s)"};

	for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_autofree char *path = return_path_make(kinds[k].recipient);
		g_autofree char *again = return_path_make(kinds[k].recipient);

		cr_expect_str_eq(path, again);
		cr_expect(
		    g_str_has_prefix(path, "b+") && g_str_has_suffix(path, "@send.example.com"),
		    "%s", path);
		cr_expect_eq((gsize)(strchr(path, '@') - path), 2 + kinds[k].digits, "%s", path);
		for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
			g_autoptr(GString) text = g_string_new(forms[i]);

			g_string_replace(text, "%s", path, 0);
			cr_expect(
			    return_path_reads(text->str, kinds[k].recipient), "%s", text->str);
		}
	}
}

Test(return_path, is_read_from_its_local_part_in_any_case)
{
	for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_autofree char *path = return_path_make(kinds[k].recipient);

		*strchr(path, '@') = '\0';
		g_autofree char *upper = g_ascii_strup(path, -1);
		cr_expect(return_path_reads(path, kinds[k].recipient), "%s", path);
		cr_expect(return_path_reads(upper, kinds[k].recipient), "%s", upper);
	}
}

Test(return_path, is_nothing_else)
{
	for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
		const struct link_return_path copy = {email, kinds[k].recipient};
		int length = (int)kinds[k].digits + 2;
		g_autofree char *path = return_path_make(kinds[k].recipient);
		g_autofree char *longer = g_strdup_printf("%.*s0@send.example.com", length, path);
		g_autofree char *shorter =
		    g_strdup_printf("%.*s@send.example.com", length - 1, path);
		g_autofree char *behind = g_strconcat("x", path, NULL);
		g_autofree char *other = g_strconcat("u", path + 1, NULL);
		char envid[RETURN_PATH_ENVID_SIZE];
		link_return_path_envid(fixture->service, &copy, envid);
		g_autofree char *of_envid = g_strdup_printf("b+%s@send.example.com", envid);
		const char *const texts[] = {"", "b+", "+", "b+@send.example.com", path + 1,
		    path + 2, longer, shorter, behind, other, of_envid, "joe+b@x.org"};

		for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
			cr_expect_not(return_path_reads(texts[i], 0), "%s", texts[i]);
	}
}

/* Each bit of the token: id, recipient and tag. */
Test(return_path, with_any_bit_flipped_is_refused)
{
	static const char digits[] = "0123456789abcdef";

	for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_autofree char *path = return_path_make(kinds[k].recipient);

		for (gsize i = 2; i < 2 + kinds[k].digits; i++)
			for (int bit = 0; bit < 4; bit++) {
				g_autofree char *forged = g_strdup(path);

				forged[i] = digits[g_ascii_xdigit_value(forged[i]) ^ (1 << bit)];
				cr_expect_not(return_path_reads(forged, 0), "%s was taken for %s",
				    forged, path);
			}
	}
}

/* Each bit of each character, but for those that make a capital letter of a small one. */
Test(return_path, with_any_other_character_is_refused)
{
	for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
		g_autofree char *path = return_path_make(kinds[k].recipient);

		for (gsize i = 0; i < 2 + kinds[k].digits; i++)
			for (int bit = 0; bit < 8; bit++) {
				g_autofree char *forged = g_strdup(path);

				forged[i] = (char)(forged[i] ^ (1 << bit));
				if (g_ascii_tolower(forged[i]) == path[i])
					continue;
				cr_expect_not(return_path_reads(forged, 0), "%s was taken for %s",
				    forged, path);
			}
	}
}

Test(return_path, of_another_secret_is_refused)
{
	g_autofree char *path = return_path_make(RETURN_PATH_SHARED);

	struct base_secret *secret =
	    base_secret_parse("another secret, of the length that it needs", NULL);
	cr_assert(secret);
	guint8 tag[8], ours[8];
	base_secret_sign(secret, "return-path", &email, sizeof(email), tag, sizeof(tag));
	base_secret_sign(config_settings_secret(fixture->settings), "return-path", &email,
	    sizeof(email), ours, sizeof(ours));
	cr_expect_neq(memcmp(tag, ours, sizeof(tag)), 0);
	for (gsize i = 0; i < sizeof(tag); i++)
		g_snprintf(path + 2 + 32 + 2 * i, 3, "%02x", tag[i]);
	path[50] = '@';
	cr_expect_not(return_path_reads(path, 0), "%s", path);
	/* Tokens of earlier versions, without recipient, can still be read. */
	for (gsize i = 0; i < sizeof(ours); i++)
		g_snprintf(path + 2 + 32 + 2 * i, 3, "%02x", ours[i]);
	path[50] = '@';
	cr_expect(return_path_reads(path, RETURN_PATH_SHARED), "%s", path);
	base_secret_free(secret);
}

Test(envid, is_read_back_and_refused_with_any_bit_flipped, .init = return_path_begin,
    .fini = return_path_end)
{
	static const char digits[] = "0123456789abcdef";

	for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
		const struct link_return_path copy = {email, kinds[k].recipient};
		char envid[RETURN_PATH_ENVID_SIZE];

		link_return_path_envid(fixture->service, &copy, envid);
		cr_expect_eq(strlen(envid), kinds[k].digits, "%s", envid);
		cr_expect(reads_envid(envid, kinds[k].recipient), "%s", envid);
		for (gsize i = 0; i < strlen(envid); i++)
			for (int bit = 0; bit < 4; bit++) {
				char forged[RETURN_PATH_ENVID_SIZE];

				g_strlcpy(forged, envid, sizeof(forged));
				forged[i] = digits[g_ascii_xdigit_value(forged[i]) ^ (1 << bit)];
				cr_expect_not(
				    reads_envid(forged, 0), "%s was taken for %s", forged, envid);
			}
		g_autofree char *path = return_path_make(kinds[k].recipient);
		*strchr(path, '@') = '\0';
		cr_expect_not(reads_envid(path + 2, 0), "%s", path);
	}
	cr_expect_not(reads_envid("", 0));
}

Test(return_path, is_one_for_all_where_that_is_set)
{
	fixture_renew(fixture, NULL, FIXED);
	g_autofree char *path = return_path_make(0);

	cr_expect_str_eq(path, "bounces@relay.example.net");
}
