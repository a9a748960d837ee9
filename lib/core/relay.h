/* SPDX-License-Identifier: MIT */
#ifndef CORE_RELAY_H
#define CORE_RELAY_H

#include <glib.h>

#include "smtp/session.h"

struct base_settings;

/* The relays of [smtp] host, in their order, as an array of struct smtp_relay. Their strings belong
   to settings and to the array, which the caller frees. */
GPtrArray *core_relay_list(const struct base_settings *settings);

#endif
