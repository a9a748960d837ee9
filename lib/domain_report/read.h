/* SPDX-License-Identifier: MIT */
/* For this room: the readers of the two kinds. */
#ifndef DOMAIN_REPORT_READ_H
#define DOMAIN_REPORT_READ_H

#include "domain_report/report.h"

/* Read a file that is not packed any more. INVALID with WHY alone. */
struct domain_report *domain_report_read_xml(const char *data, gsize size, GError **error);
struct domain_report *domain_report_read_json(const char *data, gsize size, GError **error);

#endif
