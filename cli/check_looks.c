/* SPDX-License-Identifier: MIT */
/* Checks that people are looked at as often as workflows that hear of segments and dates need. Says
   nothing where none does. */
#include "base/clock.h"
#include "cli/doctor.h"
#include "config/settings.h"
#include "store/automation/look.h"

#define LATE 3 /* times look_every */

void
cli_check_looks(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;
	gint64 oldest;
	bool is_heard;

	if (!doctor->db || !doctor->settings)
		return;
	gint64 every =
	    config_settings_number(doctor->settings, SETTING_AUTOMATION_LOOK_EVERY) * 1000;
	if (!store_look_oldest(doctor->db, &oldest, &is_heard, &error)) {
		cli_check_failed(doctor, "looks", error);
		return;
	}
	if (!is_heard)
		return;
	gint64 age = base_clock_now() - oldest;
	if (age > LATE * every)
		cli_check_bad(doctor, "looks", STATE_WARN,
		    "Look into the log of posthouse-spool; if looks take long, let look_every in "
		    "section [automation] be more.",
		    "the last look at people began %" G_GINT64_FORMAT " s ago", age / 1000);
	else
		cli_check_ok(doctor, "looks",
		    "the last look at people began %" G_GINT64_FORMAT " s ago", age / 1000);
}
