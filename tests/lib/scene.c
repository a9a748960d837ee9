/* SPDX-License-Identifier: MIT */
/* Gives tests a domain whose DNS they write. */
#include "tests/lib/scene.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "domain/dns_check.h"
#include "domain/domain.h"
#include "domain/zone.h"

static const char *const zones[] = {"example.org", "elsewhere.test", "test", NULL};

void
scene_read(struct scene *scene)
{
	g_autoptr(GError) error = NULL;

	g_clear_pointer(&scene->records, g_ptr_array_unref);
	g_clear_pointer(&scene->domain, store_domain_free);
	scene->domain = store_domain_get(
	    scene->fixture->db, &scene->fixture->key.workspace_id, &scene->id, &error);
	cr_assert(scene->domain, "%s", error ? error->message : "");
	scene->records = domain_zone_records(scene->domain, scene->fixture->settings);
}

struct scene *
scene_open(const char *name, bool trusted)
{
	struct scene *scene = g_new0(struct scene, 1);
	g_autoptr(GError) error = NULL;

	if (!test_nsd_there())
		cr_skip_test("NSD is not installed");
	base_clock_set(SOME_TIME);
	scene->nsd = test_nsd_start(zones);
	g_autofree char *more =
	    g_strdup_printf("[service]\nmail_from_mx = mx.host.example\n"
			    "spf = include:relay.example\n[dns]\nservers = %s\n",
		test_nsd_address(scene->nsd));
	scene->fixture = fixture_open(NULL, more);
	AUTO(store_domain) domain = domain_register(scene->fixture->service,
	    &scene->fixture->key.workspace_id, NULL, name, trusted, &error);
	cr_assert(domain, "%s", error ? error->message : "");
	scene->id = domain->id;
	scene->name = name;
	scene->zone = "example.org";
	scene_read(scene);
	return scene;
}

void
scene_close(struct scene *scene)
{
	g_ptr_array_unref(scene->records);
	store_domain_free(scene->domain);
	fixture_close(scene->fixture);
	test_nsd_stop(scene->nsd);
	g_free(scene);
}

/* Whether a line has a text, or with "^" in front begins with it. */
static bool
scene_line_has(const char *line, const char *text)
{
	return *text == '^' ? g_str_has_prefix(line, text + 1) : strstr(line, text) != NULL;
}

/* All that the domain needs, as we print it, but for records with this text in their line. */
static char *
lines_without(const struct scene *scene, const char *without)
{
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < scene->records->len; i++) {
		g_autofree char *line = domain_zone_line(scene->records->pdata[i]);

		if (!without || !scene_line_has(line, without))
			g_string_append_printf(lines, "%s\n", line);
	}
	return g_string_free(lines, FALSE);
}

void
scene_publish(struct scene *scene, const char *without, const char *more)
{
	g_autofree char *lines = lines_without(scene, without);
	g_autofree char *text = g_strconcat(lines, more, NULL);

	test_nsd_set(scene->nsd, scene->zone, text);
}

void
scene_check(struct scene *scene)
{
	g_autoptr(GError) error = NULL;

	cr_assert(domain_dns_check_domain(scene->fixture->service,
		      &scene->fixture->key.workspace_id, &scene->id, &error),
	    "%s", error ? error->message : "");
	scene_read(scene);
}

static const char *
scene_word(const char *text)
{
	return text ? text : "-";
}

char *
scene_summary(const struct scene *scene)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "%s %s", store_domain_status_name(scene->domain->status),
	    scene_word(store_domain_error_name(scene->domain->check.error)));
	for (guint i = 0; i < scene->records->len; i++) {
		const struct domain_zone_record *record = scene->records->pdata[i];
		g_string_append_printf(
		    text, " %s", scene_word(domain_zone_state_name(record->state)));
	}
	return g_string_free(text, FALSE);
}

void
scene_expect(const struct scene *scene, const char *name, const char *want)
{
	g_autofree char *got = scene_summary(scene);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

guint
scene_check_due(struct scene *scene, gint64 at)
{
	guint count = 0, sum = 0;

	base_clock_set(at);
	do {
		g_autoptr(GError) error = NULL, trouble = NULL;
		cr_assert(domain_dns_check_due(
			      scene->fixture->service, &scene->turn, &count, &trouble, &error),
		    "%s", error ? error->message : "");
		if (trouble)
			scene->troubles++;
		sum += count;
	} while (count > 0);
	scene_read(scene);
	return sum;
}
