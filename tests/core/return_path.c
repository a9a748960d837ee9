#include "core/return_path.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "base/settings.h"
#include "tests/core/posting.h"

#define FIXED "return_path = bounces@relay.example.net\n"

static struct world *world;
static struct id email;

static void
begin(void)
{
	world = world_open(NULL, NULL);
	email = posting_submit(world, "a@x.org");
}

static void
end(void)
{
	world_close(world);
}

TestSuite(return_path, .init = begin, .fini = end);

static char *
make(void)
{
	AUTO(email) stored = world_email(world, &email);

	return core_return_path(world->core, stored);
}

Test(return_path, is_read_back)
{
	static const char *const forms[] = {
	    "%s", "<%s>", "\"Bounces\" <%s>", "x@y.org, %s", "for %s; Fri", "(%s)"};
	g_autofree char *path = make();
	g_autofree char *again = make();

	cr_expect_str_eq(path, again);
	cr_expect(g_str_has_prefix(path, "b+") && g_str_has_suffix(path, "@send.example.com"), "%s",
	    path);
	cr_expect_eq(strchr(path, '@') - path, 2 + 48, "%s", path);
	for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
		g_autoptr(GString) text = g_string_new(forms[i]);
		struct id got = {{0}};

		g_string_replace(text, "%s", path, 0);
		cr_expect(core_return_path_read(world->core, text->str, &got), "%s", text->str);
		cr_expect(base_id_equal(&got, &email), "%s", text->str);
	}
}

Test(return_path, is_read_from_its_local_part_in_any_case)
{
	g_autofree char *path = make();
	g_autofree char *upper = g_ascii_strup(path, -1);
	struct id got = {{0}};

	*strchr(path, '@') = '\0';
	cr_expect(core_return_path_read(world->core, path, &got), "%s", path);
	cr_expect(base_id_equal(&got, &email));
	cr_expect(core_return_path_read(world->core, upper, &got), "%s", upper);
}

Test(return_path, is_nothing_else)
{
	g_autofree char *path = make();
	g_autofree char *longer = g_strdup_printf("%.50s0@send.example.com", path);
	g_autofree char *shorter = g_strdup_printf("%.49s@send.example.com", path);
	g_autofree char *behind = g_strconcat("x", path, NULL);
	g_autofree char *other = g_strconcat("u", path + 1, NULL);
	char envid[RETURN_PATH_ENVID_SIZE];
	core_return_path_envid(world->core, &email, envid);
	g_autofree char *of_envid = g_strdup_printf("b+%s@send.example.com", envid);
	const char *const texts[] = {"", "b+", "+", "b+@send.example.com", path + 1, path + 2,
	    longer, shorter, behind, other, of_envid, "joe+b@x.org"};
	struct id got = {{1}};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		cr_expect_not(core_return_path_read(world->core, texts[i], &got), "%s", texts[i]);
	cr_expect_eq(got.bytes[0], 1);
}

/* Each bit of the token: id and tag. */
Test(return_path, with_any_bit_flipped_is_refused)
{
	static const char digits[] = "0123456789abcdef";
	g_autofree char *path = make();
	struct id got;

	for (gsize i = 0; i < 48; i++)
		for (int bit = 0; bit < 4; bit++) {
			g_autofree char *forged = g_strdup(path);

			forged[2 + i] = digits[g_ascii_xdigit_value(forged[2 + i]) ^ (1 << bit)];
			cr_expect_not(core_return_path_read(world->core, forged, &got),
			    "%s was taken for %s", forged, path);
		}
}

/* Each bit of each character, but for those that make a capital letter of a small one. */
Test(return_path, with_any_other_character_is_refused)
{
	g_autofree char *path = make();
	struct id got;

	for (gsize i = 0; i < 50; i++)
		for (int bit = 0; bit < 8; bit++) {
			g_autofree char *forged = g_strdup(path);

			forged[i] = (char)(forged[i] ^ (1 << bit));
			if (g_ascii_tolower(forged[i]) == path[i])
				continue;
			cr_expect_not(core_return_path_read(world->core, forged, &got),
			    "%s was taken for %s", forged, path);
		}
}

Test(return_path, of_another_secret_is_refused)
{
	g_autofree char *path = make();
	struct id got;

	struct secret *secret =
	    base_secret_parse("another secret, of the length that it needs", NULL);
	cr_assert(secret);
	guint8 tag[8], ours[8];
	base_secret_sign(secret, "return-path", &email, sizeof(email), tag, sizeof(tag));
	base_secret_sign(base_settings_secret(world->settings), "return-path", &email,
	    sizeof(email), ours, sizeof(ours));
	cr_expect_neq(memcmp(tag, ours, sizeof(tag)), 0);
	for (gsize i = 0; i < sizeof(tag); i++)
		g_snprintf(path + 2 + 32 + 2 * i, 3, "%02x", tag[i]);
	path[50] = '@';
	cr_expect_not(core_return_path_read(world->core, path, &got), "%s", path);
	base_secret_free(secret);
}

Test(envid, is_read_back_and_refused_with_any_bit_flipped, .init = begin, .fini = end)
{
	static const char digits[] = "0123456789abcdef";
	char envid[RETURN_PATH_ENVID_SIZE];
	struct id got = {{0}};

	core_return_path_envid(world->core, &email, envid);
	cr_expect(core_return_path_read_envid(world->core, envid, &got));
	cr_expect(base_id_equal(&got, &email));
	for (gsize i = 0; i < strlen(envid); i++)
		for (int bit = 0; bit < 4; bit++) {
			char forged[RETURN_PATH_ENVID_SIZE];

			memcpy(forged, envid, sizeof(forged));
			forged[i] = digits[g_ascii_xdigit_value(forged[i]) ^ (1 << bit)];
			cr_expect_not(core_return_path_read_envid(world->core, forged, &got),
			    "%s was taken for %s", forged, envid);
		}
	g_autofree char *path = make();
	path[50] = '\0';
	cr_expect_not(core_return_path_read_envid(world->core, path + 2, &got));
	cr_expect_not(core_return_path_read_envid(world->core, "", &got));
}

Test(return_path, is_one_for_all_where_that_is_set)
{
	world_renew(world, NULL, FIXED);
	g_autofree char *path = make();

	cr_expect_str_eq(path, "bounces@relay.example.net");
}
