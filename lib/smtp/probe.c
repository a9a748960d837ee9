/* SPDX-License-Identifier: MIT */
/* Notes what a relay shows to a probe, and ends its session. */
#include "smtp/probe.h"

#include "smtp/line.h"

#define QUIT_S 2

void
smtp_probe_note(struct smtp_probe *probe, const struct smtp_line *line)
{
	g_autofree char *dsn = smtp_dialogue_offer(line->dialogue, "DSN");

	probe->dsn = dsn != NULL;
	probe->certificate_end = line->dialogue->certificate_end;
}

void
smtp_probe_end(const struct smtp_line *line)
{
	line->dialogue->step = DIALOGUE_RESET;
	if (smtp_line_send(line, "RSET") && smtp_line_receive(line) > 0) {
		line->wire->limit_us = QUIT_S * G_USEC_PER_SEC;
		if (smtp_line_send(line, "QUIT"))
			smtp_line_receive(line);
	}
	line->dialogue->over = true;
	smtp_wire_shut(line->wire);
}

void
smtp_probe_clear(struct smtp_probe *probe)
{
	g_clear_pointer(&probe->refused, g_free);
}
