/* SPDX-License-Identifier: MIT */
/* Keeps the time at which posthouse-spool last worked on this machine, in a file of the spool
   directory. */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include <glib.h>

struct config_settings;

/* Notes that it works now. A time that cannot be written is left out. */
void core_run_note(const struct config_settings *settings);

/* When it last worked, epoch ms by the clock of the file system; 0: never. */
gint64 core_run_last(const struct config_settings *settings);

#endif
