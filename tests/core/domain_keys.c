/* SPDX-License-Identifier: MIT */
#include "core/domain_keys.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "store/domain_key.h"
#include "tests/core/scene.h"

/* The selectors that messages are signed with, as "s s-ed": r is the first pair's, n the next. */
static char *
signing(struct scene *scene)
{
	g_autoptr(GPtrArray) keys = store_domain_key_signing(scene->world->db, &scene->id, NULL);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < keys->len; i++) {
		const struct store_domain_key *key = keys->pdata[i];
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "", key->selector);
	}
	return g_string_free(text, FALSE);
}

static void
expect_signing(struct scene *scene, const char *selector, const char *other)
{
	g_autofree char *got = signing(scene);
	g_autofree char *want = g_strconcat(selector, other ? " " : "", other, NULL);

	cr_expect_str_eq(got, want, "got %s, want %s", got, want);
}

Test(domain_keys, signs_with_ed25519_where_dns_shows_it)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct store_domain_key *rsa = scene->domain->keys->pdata[0],
				      *ed = scene->domain->keys->pdata[1];
	g_autofree char *s = g_strdup(rsa->selector), *s_ed = g_strdup(ed->selector);

	scene_publish(scene, "-ed.", "");
	scene_check(scene);
	expect_signing(scene, s, NULL);
	scene_publish(scene, NULL, "");
	scene_check(scene);
	expect_signing(scene, s, s_ed);
	scene_publish(scene, "-ed.", "");
	scene_check(scene);
	expect_signing(scene, s, NULL);
}

static void
rotate(struct scene *scene)
{
	g_autoptr(GError) error = NULL;

	cr_assert(core_domain_keys_rotate(
		      scene->world->core, &scene->world->key.workspace_id, &scene->id, &error),
	    "%s", error ? error->message : "");
	scene_read(scene);
}

Test(domain_keys, moves_over_to_new_keys_when_dns_shows_them)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct store_domain_key *old = scene->domain->keys->pdata[0];
	g_autofree char *s = g_strdup(old->selector), *s_ed = g_strconcat(s, "-ed", NULL);

	scene_publish(scene, NULL, "");
	scene_check(scene);
	base_clock_set(SOME_TIME + 200 * HOUR);
	rotate(scene);
	cr_assert_eq(scene->domain->keys->len, 4);
	const struct store_domain_key *new = scene->domain->keys->pdata[2];
	g_autofree char *n = g_strdup(new->selector), *n_ed = g_strconcat(n, "-ed", NULL);
	cr_expect_str_neq(s, n);
	gint64 wait = scene->domain->check.next_check - base_clock_now();
	cr_expect(wait > 50000 && wait < 67000, "next check in %d ms", (int)wait);

	scene_check_due(scene, SOME_TIME + 200 * HOUR + 2 * MINUTE);
	scene_expect(
	    scene, "not shown yet", "SUCCESS - found found missing missing found found found");
	expect_signing(scene, s, s_ed);

	scene_publish(scene, n_ed, "");
	scene_check_due(scene, SOME_TIME + 201 * HOUR);
	scene_expect(scene, "RSA shown", "SUCCESS - found missing found found found found found");
	expect_signing(scene, n, NULL);

	/* The old ones may go, even at once. */
	g_autofree char *old_mark = g_strconcat(s, "", NULL);
	scene_publish(scene, old_mark, "");
	scene_check_due(scene, SOME_TIME + 202 * HOUR);
	scene_expect(
	    scene, "old ones gone", "SUCCESS - found found missing missing found found found");
	expect_signing(scene, n, n_ed);
}

Test(domain_keys, takes_new_keys_in_place_of_old_ones)
{
	AUTO(scene) scene = scene_open("example.org", false);
	const struct store_domain_key *old = scene->domain->keys->pdata[0];
	g_autofree char *s = g_strdup(old->selector);

	scene_publish(scene, NULL, "");
	scene_check(scene);
	rotate(scene);
	scene_publish(scene, s, "");
	scene_check(scene);
	scene_expect(scene, "exchanged", "SUCCESS - found found missing missing found found found");
}
