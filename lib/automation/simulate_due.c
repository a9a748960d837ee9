/* SPDX-License-Identifier: MIT */
/* Finds the dates and ticks of a simulated design. */
#include "automation/simulate_due.h"

#include <string.h>

#include "automation/design.h"
#include "automation/moment.h"
#include "automation/node.h"
#include "automation/rules.h"
#include "automation/simulate.h"
#include "base/limits/workflow.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "rule/event_name.h"
#include "text/cron.h"

#define DAY_SIZE 16 /* YYYY-MM-DD and more */

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
    const struct automation_node_date *date, gint64 from, GArray *events, GPtrArray *documents)
{
	const struct automation_rules_scope scope = {.contact = input->properties};
	const struct json *value = automation_rules_value(date->property, &scope);
	const char *text = json_string(value, NULL);

	if (!text)
		return;
	g_autoptr(GArray) moments =
	    automation_moments(date, text, input->time_zone, from, *input->until);
	for (guint i = 0; i < MIN(moments->len, LIMIT_SIMULATION_EVENTS); i++) {
		const struct automation_moment *moment =
		    &g_array_index(moments, struct automation_moment, i);
		AUTO(json_writer) writer = json_writer_new();
		char day[DAY_SIZE];
		GDate on;

		g_date_clear(&on, 1);
		g_date_set_julian(&on, (guint32)moment->day);
		g_date_strftime(day, sizeof(day), "%Y-%m-%d", &on);
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "property", date->property);
		json_writer_value(writer, "value", value);
		json_writer_string(writer, "date", day);
		json_writer_end_object(writer);
		simulate_due_add(EVENT_NAME_DATE, moment->time, writer, events, documents);
	}
}

static void
simulate_due_ticks(const struct automation_simulation_input *input,
    const struct automation_node_schedule *schedule, gint64 from, GArray *events,
    GPtrArray *documents)
{
	gint64 tick = from;

	for (guint i = 0; i < LIMIT_SIMULATION_EVENTS; i++) {
		AUTO(json_writer) writer = json_writer_new();

		tick = text_cron_next(&schedule->cron, schedule->zone, tick);
		if (tick == 0 || tick > *input->until)
			return;
		json_writer_begin_object(writer, NULL);
		json_writer_integer(writer, "scheduled_at", tick);
		json_writer_end_object(writer);
		simulate_due_add(EVENT_NAME_SCHEDULE, tick, writer, events, documents);
	}
}

void
automation_simulate_due(const struct automation_simulation_input *input, gint64 from,
    GArray *events, GPtrArray *documents)
{
	const struct automation_node_trigger *trigger = automation_design_trigger(input->design);

	if (!trigger)
		return;
	if (strcmp(trigger->event_name, EVENT_NAME_DATE) == 0)
		simulate_due_dates(input, &trigger->date, from, events, documents);
	if (strcmp(trigger->event_name, EVENT_NAME_SCHEDULE) == 0)
		simulate_due_ticks(input, &trigger->schedule, from, events, documents);
}
