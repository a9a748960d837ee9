/* SPDX-License-Identifier: MIT */
/* Writes and reads designs for tests. */
#include "tests/automation/sample.h"

#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "json/strict.h"

char *
sample_text(const char *text)
{
	return g_strdelimit(g_strdup(text), "'", '"');
}

char *
sample_design_text(const char *nodes, const char *edges)
{
	g_autofree char *text = g_strdup_printf("{'nodes': [%s], 'edges': [%s]}", nodes, edges);

	return sample_text(text);
}

struct automation_design *
sample_design(const char *nodes, const char *edges)
{
	g_autofree char *text = sample_design_text(nodes, edges);
	g_autoptr(GError) error = NULL;
	struct automation_design *design = automation_design_parse(text, strlen(text), &error);

	cr_assert(design, "%s: %s", text, error ? error->message : "");
	return design;
}

struct json *
sample_json(const char *given)
{
	g_autofree char *text = sample_text(given);
	g_autoptr(GError) error = NULL;
	struct json *json = json_parse(text, strlen(text), &error);

	cr_assert(json, "%s: %s", text, error ? error->message : "");
	return json;
}

static bool
sample_find_template(const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	*subject_r = strcmp(id, "hello") == 0;
	*found_r = *subject_r || strcmp(id, "bare") == 0;
	return true;
}

static bool
sample_find_domain(const char *domain, bool *found_r, void *context, GError **error)
{
	*found_r = strcmp(domain, "example.com") == 0;
	return true;
}

/* As by settings that allow nothing of their own. */
static bool
sample_check_url(const char *url, void *context, GError **error)
{
	const struct automation_design_store store = {.rules = {NULL, NULL}};

	return automation_design_url(url, (void *)&store, error);
}

static bool
sample_find_secret(const char *name, bool *found_r, void *context, GError **error)
{
	*found_r = strcmp(name, "token") == 0 || strcmp(name, "crm") == 0;
	return true;
}

char *
sample_faults(const struct automation_design *design, bool sender)
{
	const struct automation_design_lookup world = {
	    .template_find = sample_find_template,
	    .domain_find = sample_find_domain,
	    .url_check = sample_check_url,
	    .secret_find = sample_find_secret,
	    .sender = sender ? "News <a@example.com>" : NULL,
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) faults = automation_design_faults(design, &world, &error);
	GString *text = g_string_new(NULL);

	cr_assert(faults);
	for (guint i = 0; i < faults->len; i++) {
		const struct automation_design_fault *fault = faults->pdata[i];

		g_string_append_printf(text, "%s\n", fault->message);
		cr_expect(!fault->node || strstr(fault->message, fault->node), "%s is named in %s",
		    fault->node, fault->message);
	}
	cr_expect_eq(automation_design_check(design, &world, &error), faults->len == 0);
	cr_expect(faults->len == 0 || g_str_has_prefix(text->str, error->message));
	return g_string_free(text, FALSE);
}
