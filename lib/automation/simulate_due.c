/* SPDX-License-Identifier: MIT */
/* Finds the dates and ticks of a simulated design. */
#include "automation/simulate_due.h"

#include <string.h>

#include "automation/calendar.h"
#include "automation/design.h"
#include "automation/rules.h"
#include "automation/simulate.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "json/writer.h"

static void
simulate_due_add(const char *name, gint64 time, struct json_writer *properties, GArray *events,
    GPtrArray *documents)
{
	g_autofree char *text = json_writer_take(properties, NULL);
	struct json *document = json_parse(text, strlen(text), NULL);
	const struct automation_simulation_event event = {name, time, document};

	g_ptr_array_add(documents, document);
	g_array_append_val(events, event);
}

static void
simulate_due_dates(const struct automation_simulation_input *input,
    const struct automation_date *date, gint64 from, GArray *events, GPtrArray *documents)
{
	const struct automation_rules_scope scope = {.contact = input->properties};
	const struct json *value = automation_rules_value(date->property, &scope);
	g_autoptr(GArray) moments = automation_date_moments(
	    date, value, input->time_zone, from, input->until, LIMIT_SIMULATION_EVENTS);

	for (guint i = 0; i < moments->len; i++) {
		const struct automation_moment *moment =
		    &g_array_index(moments, struct automation_moment, i);
		AUTO(json_writer) writer = json_writer_new();

		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "property", date->property);
		json_writer_value(writer, "value", value);
		json_writer_string(writer, "date", moment->day);
		json_writer_end_object(writer);
		simulate_due_add("date.reached", moment->time, writer, events, documents);
	}
}

static void
simulate_due_ticks(const struct automation_simulation_input *input,
    const struct automation_schedule *schedule, gint64 from, GArray *events, GPtrArray *documents)
{
	g_autoptr(GArray) ticks =
	    automation_schedule_ticks(schedule, from, input->until, LIMIT_SIMULATION_EVENTS);

	for (guint i = 0; i < ticks->len; i++) {
		gint64 tick = g_array_index(ticks, gint64, i);
		AUTO(json_writer) writer = json_writer_new();

		json_writer_begin_object(writer, NULL);
		json_writer_integer(writer, "scheduled_at", tick);
		json_writer_end_object(writer);
		simulate_due_add("schedule.due", tick, writer, events, documents);
	}
}

void
automation_simulate_due(const struct automation_simulation_input *input, gint64 from,
    GArray *events, GPtrArray *documents)
{
	const struct automation_node_trigger *trigger = automation_design_trigger(input->design);

	if (trigger && trigger->date)
		simulate_due_dates(input, trigger->date, from, events, documents);
	if (trigger && trigger->schedule)
		simulate_due_ticks(input, trigger->schedule, from, events, documents);
}
