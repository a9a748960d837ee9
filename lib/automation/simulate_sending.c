/* SPDX-License-Identifier: MIT */
/* Simulates when a mailing leaves, by the hours of its design. */
#include "automation/simulate_sending.h"

#include <stdbool.h>

#include "automation/design.h"
#include "automation/node.h"
#include "automation/simulation.h"
#include "automation/simulator.h"
#include "json/value.h"
#include "sending/rules.h"

static bool
simulate_is_mailing(const struct automation_node_email *email)
{
	return !email->is_transactional || email->topic_id;
}

void
automation_simulate_tell_leaving(struct automation_simulator *simulator,
    const struct automation_simulated_mailing *mailing, bool waited)
{
	g_autofree char *why = waited ? sending_hours_text(mailing->time) : NULL;
	const struct automation_simulation_line line = {
	    .time = mailing->time,
	    .execution = mailing->execution,
	    .node = (char *)mailing->node,
	    .action = (char *)"leaves",
	    .why = why,
	};

	automation_simulation_add(simulator->result, simulator->input->lines, &line);
}

bool
automation_simulate_is_left(
    const struct automation_simulator *simulator, const struct automation_design_node *node)
{
	const struct json *subscribed = json_member_get(simulator->fields, "subscribed");

	return subscribed && !json_boolean(subscribed) && simulate_is_mailing(&node->email);
}

void
automation_simulate_send(struct automation_simulator *simulator, const struct automation_run *run)
{
	const struct automation_node_trigger *trigger =
	    automation_design_trigger(simulator->input->design);
	const struct automation_node_email *email = &run->node->email;

	if (!trigger || trigger->hours.count == 0 || !simulate_is_mailing(email))
		return;
	const struct automation_simulated_mailing mailing = {
	    sending_hours_opening(&trigger->hours, simulator->input->time_zone, run->time),
	    run->number, run->node->id};
	guint at = simulator->leaving->len;
	if (mailing.time <= run->time) {
		automation_simulate_tell_leaving(simulator, &mailing, false);
		return;
	}
	while (at > 0 &&
	       g_array_index(simulator->leaving, struct automation_simulated_mailing, at - 1).time >
		   mailing.time)
		at--;
	g_array_insert_val(simulator->leaving, at, mailing);
}
