/* SPDX-License-Identifier: MIT */
/* Checks that the programs keep their secrets in memory, and how they were built. */
#include "base/startup.h"
#include "cli/doctor.h"

void
cli_check_hardening(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	if (!base_startup_is_concealed())
		cli_check_bad(doctor, "hardening", STATE_WARN,
		    "Run ulimit -c 0 before the programs start.",
		    "a program that crashes may leave a core dump with secrets in it");
	else if (!*HARDENING)
		cli_check_bad(doctor, "hardening", STATE_WARN,
		    "Configure without --disable-hardening, and build again.",
		    "the programs leave no core dumps, but were built without hardening");
	else
		cli_check_ok(doctor, "hardening", "no core dumps; the programs were built with %s",
		    HARDENING);
}
