/* SPDX-License-Identifier: MIT */
/* Header fields by which a message steers the provider that runs a relay: they add recipients, turn
   tracking on, or choose a configuration of the account. The account is the installation's, so no
   tenant may set them (allow_provider_headers in posthouse.conf(5), which has the list too). */
#ifndef MAIL_STEERING_H
#define MAIL_STEERING_H

#include <glib.h>
#include <stdbool.h>

/* Whether a field of this name steers a provider. Ignores case. */
bool mail_steering_has(const char *name, gsize size);

/* A message without the fields of the same names as those in own, which are complete lines; unless
   allowed, also without those that steer a provider. The caller owns the result, which is the
   message itself where nothing is to be left out. */
GBytes *mail_steering_remove(GBytes *message, const char *own, bool allowed);

#endif
