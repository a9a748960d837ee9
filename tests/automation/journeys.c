/* SPDX-License-Identifier: MIT */
/* Simulates the designs of doc/workflows.md, which stand in tests/automation/journeys: NAME.json is
   a design, and NAME.simulated.json has the contact, the events and the times of a simulation, the
   lines that it says ("want", in this order, among others), and nodes that it never reaches
   ("never"). */
#include <criterion/criterion.h>
#include <string.h>

#include "automation/design.h"
#include "automation/simulate.h"
#include "automation/simulate_due.h"
#include "base/clock.h"
#include "json/strict.h"
#include "tests/automation/sample.h"

static const char *const journeys[] = {"welcome", "trial-end", "birthday", "abandoned-cart",
    "onboarding", "digest", "re-engagement", "win-back", "renewal", "double-opt-in"};

static char *
journeys_read(const char *name)
{
	g_autofree char *path = g_build_filename(g_getenv("srcdir"), name, NULL);
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
	return text;
}

static struct json *
journeys_parse(const char *name)
{
	g_autofree char *text = journeys_read(name);
	g_autoptr(GError) error = NULL;
	struct json *json = json_parse(text, strlen(text), &error);

	cr_assert(json, "%s: %s", name, error ? error->message : "");
	return json;
}

static gint64
journeys_time(const struct json *value)
{
	gint64 time = 0;
	const char *text = json_string(value, NULL);

	cr_assert(!text || base_clock_parse(text, &time), "%s", text);
	return time;
}

/* A line: "2026-03-02T08:15 NODE BRANCH", "... event NAME", "... COMPLETED", and for the ends of an
   execution at a node "... NODE goal". */
static char *
journeys_line(const struct automation_simulation_line *line)
{
	static const char *const ends[] = {"goal", "exit", "digest", "leaves", NULL};
	char iso[CLOCK_ISO_SIZE];
	const char *end = line->node && g_strv_contains(ends, line->action) ? line->action : NULL;

	base_clock_format(line->time, iso);
	return g_strdup_printf("%.16s %s%s%s", iso, line->node ? line->node : line->action,
	    line->branch || end ? " " : "",
	    line->branch ? line->branch
	    : end	 ? end
			 : "");
}

static void
journeys_expect_lines(
    const char *name, const struct automation_simulation *simulation, const struct json *simulated)
{
	const struct json *want = json_member_get(simulated, "want"),
			  *never = json_member_get(simulated, "never");
	g_autoptr(GString) said = g_string_new(NULL);
	gsize found = 0;

	for (guint i = 0; i < simulation->lines->len; i++) {
		const struct automation_simulation_line *given = simulation->lines->pdata[i];
		g_autofree char *line = journeys_line(given);

		g_string_append_printf(said, "%s\n", line);
		found += g_strcmp0(line, json_string(json_array_at(want, found), NULL)) == 0;
		for (gsize k = 0; k < json_array_length(never); k++)
			cr_expect_str_neq(given->node ? given->node : "",
			    json_string(json_array_at(never, k), NULL), "%s", name);
	}
	cr_expect_gt(json_array_length(want), 0, "%s", name);
	cr_expect_eq(found, json_array_length(want), "%s: no \"%s\" in\n%s", name,
	    json_string(json_array_at(want, found), NULL), said->str);
	cr_expect_eq(simulation->failed, 0, "%s", name);
}

static void
journeys_simulate(
    const char *name, const struct automation_design *design, const struct json *simulated)
{
	const struct json *contact = json_member_get(simulated, "contact"),
			  *given = json_member_get(simulated, "events");
	g_autoptr(GArray) events =
	    g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));
	g_autoptr(GPtrArray) documents = g_ptr_array_new_with_free_func((GDestroyNotify)json_free);
	gint64 until = journeys_time(json_member_get(simulated, "until"));
	struct automation_simulation_input input = {
	    .design = design,
	    .time_zone = json_string(json_member_get(contact, "time_zone"), NULL),
	    .properties = json_member_get(contact, "properties"),
	    .until = until ? &until : NULL,
	    .responses = json_member_get(simulated, "responses"),
	};
	gint64 from = journeys_time(json_member_get(simulated, "from"));

	for (gsize i = 0; i < json_array_length(given); i++) {
		const struct json *one = json_array_at(given, i);
		const struct automation_simulation_event event = {
		    json_string(json_member_get(one, "event_name"), NULL),
		    journeys_time(json_member_get(one, "timestamp")),
		    json_member_get(one, "properties")};

		g_array_append_val(events, event);
	}
	if (from)
		automation_simulate_due(&input, from, events, documents);
	input.events = (const struct automation_simulation_event *)(void *)events->data;
	input.event_count = events->len;
	AUTO(automation_simulation) simulation = automation_simulate(&input);
	journeys_expect_lines(name, simulation, simulated);
}

/* The guide has the design, four blanks in front of each line. */
static void
journeys_expect_in_guide(const char *name, const char *guide, const char *design)
{
	g_auto(GStrv) lines = g_strsplit(design, "\n", -1);
	g_autoptr(GString) block = g_string_new(NULL);

	for (char **line = lines; *line; line++)
		if (**line)
			g_string_append_printf(block, "    %s\n", *line);
	cr_expect(strstr(guide, block->str), "%s is not as in doc/workflows.md", name);
}

Test(journeys, of_the_guide_do_what_it_says)
{
	g_autofree char *guide = journeys_read("doc/workflows.md");

	for (gsize i = 0; i < G_N_ELEMENTS(journeys); i++) {
		g_autofree char *path =
		    g_strdup_printf("tests/automation/journeys/%s.json", journeys[i]);
		g_autofree char *simulated_path =
		    g_strdup_printf("tests/automation/journeys/%s.simulated.json", journeys[i]);
		g_autofree char *text = journeys_read(path);
		AUTO(json) simulated = journeys_parse(simulated_path);
		g_autoptr(GError) error = NULL;
		AUTO(automation_design)
		design = automation_design_parse(text, strlen(text), &error);

		cr_assert(design, "%s: %s", journeys[i], error ? error->message : "");
		g_autofree char *faults = sample_faults(design, true);
		cr_expect_str_empty(faults, "%s: %s", journeys[i], faults);
		journeys_simulate(journeys[i], design, simulated);
		journeys_expect_in_guide(journeys[i], guide, text);
	}
}
