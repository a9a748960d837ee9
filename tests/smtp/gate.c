/* SPDX-License-Identifier: MIT */
#include "smtp/gate.h"

#include <criterion/criterion.h>
#include <poll.h>

static bool
is_awake(const struct smtp_gate *gate)
{
	struct pollfd fd = {.fd = gate->wake, .events = POLLIN};

	return poll(&fd, 1, 0) > 0;
}

Test(gate, shuts_at_once_where_no_dot_is_out)
{
	struct smtp_gate gate;

	smtp_gate_init(&gate);
	cr_expect(smtp_gate_pass(&gate));
	smtp_gate_passed(&gate);
	cr_expect_not(smtp_gate_is_shut(&gate));
	cr_expect_not(is_awake(&gate));
	cr_expect(smtp_gate_shut(&gate, false));
	cr_expect(smtp_gate_is_shut(&gate));
	cr_expect(is_awake(&gate));
	cr_expect_not(smtp_gate_pass(&gate), "a dot after that");
	cr_expect(smtp_gate_shut(&gate, false), "again");
	smtp_gate_clear(&gate);
}

Test(gate, shuts_behind_a_dot)
{
	struct smtp_gate gate;

	smtp_gate_init(&gate);
	cr_expect(smtp_gate_pass(&gate));
	cr_expect_not(smtp_gate_shut(&gate, false));
	cr_expect_not(is_awake(&gate), "the dot's reply is awaited");
	smtp_gate_passed(&gate);
	cr_expect(smtp_gate_is_shut(&gate));
	cr_expect_not(smtp_gate_pass(&gate), "another dot");
	smtp_gate_clear(&gate);
}
