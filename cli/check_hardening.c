/* SPDX-License-Identifier: MIT */
/* Checks that the programs keep their secrets in memory, how they were built, and whether seccomp
   works. */
#include "cli/doctor.h"
#include "config/settings.h"
#include "config/startup.h"
#include "process/seccomp.h"

static void
check_build(struct cli_doctor *doctor)
{
	if (!config_startup_is_concealed())
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

static void
check_seccomp(struct cli_doctor *doctor)
{
	if (!config_settings_switch(doctor->settings, SETTING_SERVICE_SECCOMP))
		cli_check_ok(doctor, "seccomp", "off; [service] seccomp = yes turns it on%s",
		    process_seccomp_is_known() ? "" : ", but this machine cannot");
	else if (process_seccomp_is_known())
		cli_check_ok(doctor, "seccomp",
		    "dangerous emails are composed, and reports read, with few system calls");
	else
		cli_check_bad(doctor, "seccomp", STATE_FAIL,
		    "Set seccomp = no in [service], or use another kernel.",
		    "this kernel has no filters of system calls, or the calls of this machine are "
		    "not known: dangerous emails and reports wait");
}

void
cli_check_hardening(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	check_build(doctor);
	check_seccomp(doctor);
}
