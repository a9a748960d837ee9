/* SPDX-License-Identifier: MIT */
/* Lets a thread interrupt a session, but not while the reply to a final dot is awaited. */
#include "smtp/gate.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

void
smtp_gate_init(struct smtp_gate *gate)
{
	g_mutex_init(&gate->lock);
	gate->shut = gate->late = gate->dot = false;
	gate->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void
smtp_gate_clear(struct smtp_gate *gate)
{
	if (gate->wake >= 0)
		close(gate->wake);
	g_mutex_clear(&gate->lock);
}

bool
smtp_gate_shut(struct smtp_gate *gate, bool late)
{
	g_mutex_lock(&gate->lock);
	bool dot = gate->dot;
	gate->shut = true;
	gate->late = late;
	if (!dot && eventfd_write(gate->wake, 1) < 0)
		g_debug("smtp: cannot wake the session: %s", g_strerror(errno));
	g_mutex_unlock(&gate->lock);
	return !dot;
}

bool
smtp_gate_is_shut(struct smtp_gate *gate)
{
	g_mutex_lock(&gate->lock);
	bool shut = gate->shut;
	g_mutex_unlock(&gate->lock);
	return shut;
}

bool
smtp_gate_is_late(struct smtp_gate *gate)
{
	g_mutex_lock(&gate->lock);
	bool late = gate->late;
	g_mutex_unlock(&gate->lock);
	return late;
}

bool
smtp_gate_pass(struct smtp_gate *gate)
{
	g_mutex_lock(&gate->lock);
	gate->dot = !gate->shut;
	bool dot = gate->dot;
	g_mutex_unlock(&gate->lock);
	return dot;
}

void
smtp_gate_passed(struct smtp_gate *gate)
{
	g_mutex_lock(&gate->lock);
	gate->dot = false;
	g_mutex_unlock(&gate->lock);
}
