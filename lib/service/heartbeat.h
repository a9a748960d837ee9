/* SPDX-License-Identifier: MIT */
/* Keeps the time at which posthouse-spool last worked on this machine, in a file of the spool
   directory. */
#ifndef SERVICE_HEARTBEAT_H
#define SERVICE_HEARTBEAT_H

#include <glib.h>

struct config_settings;

/* Notes that it works now. A time that cannot be written is left out. */
void service_heartbeat_note(const struct config_settings *settings);

/* When it last worked, epoch ms by the clock of the file system; 0: never. */
gint64 service_heartbeat_last(const struct config_settings *settings);

#endif
