/* SPDX-License-Identifier: MIT */
/* The metrics of the installation as a text. */
#ifndef UPKEEP_METRICS_TEXT_H
#define UPKEEP_METRICS_TEXT_H

#include <glib.h>

struct service;

/* Writes all metrics of the installation as OpenMetrics 1.0. NULL with errors of db/statement.h;
   the caller owns the text. */
char *upkeep_metrics_text(struct service *service, GError **error);

#endif
