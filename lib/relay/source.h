/* SPDX-License-Identifier: MIT */
/* The addresses from which a relay is connected, in turn by message, and their warm-up: how many
   recipients each may reach on the k-th day (UTC) on which it sends. The counts stand in a small
   file for each address in the spool directory, which the processes of a machine share. */
#ifndef RELAY_SOURCE_H
#define RELAY_SOURCE_H

#include <glib.h>
#include <stdbool.h>

struct config_relay;
struct config_settings;

#define RELAY_SOURCE_TEXT_SIZE 160

/* The address of a message. */
struct relay_source {
	int index;     /* in the relay's sources; -1: the relay has none */
	guint granted; /* recipients that it may reach */
	gint64 day;    /* since 1970, on which they are counted; -1: they are not */
	gint64 until;  /* epoch ms, when the others may leave; 0: all may now */
	char text[RELAY_SOURCE_TEXT_SIZE]; /* why the others wait */
};

/* Takes the address of a message to so many recipients: the one whose turn it is; one that is full
   today is passed over. granted is 0 when all are full; until and text are then those of the one
   whose turn it was. */
void relay_source_take(const struct config_settings *settings, const struct config_relay *relay,
    guint recipients, struct relay_source *source_r);

/* Gives back recipients that were not tried. */
void relay_source_return(const struct config_settings *settings, const struct config_relay *relay,
    const struct relay_source *source, guint recipients);

#endif
