/* SPDX-License-Identifier: MIT */
/* What a bounce says of the address that it came from. */
#ifndef CORE_BOUNCE_H
#define CORE_BOUNCE_H

#include <glib.h>
#include <stdbool.h>

#include "store/event.h"
#include "store/report.h"

struct core;

/* So many transient bounces in so long, and the address gets no more mail. */
#define BOUNCE_TRANSIENT_MAX 5
#define BOUNCE_TRANSIENT_MS ((gint64)30 * 24 * 60 * 60 * 1000)

/* Reports that prove too little count where so many agree on an address: of different emails, on
   different days (UTC), within so long. */
#define HEARSAY_AGREE 3
#define HEARSAY_MS ((gint64)90 * 24 * 60 * 60 * 1000)

/* Transient where the mailbox may take mail another day: a temporary failure (4.x.x) that lasted
   too long, or a mailbox that is full. enhanced is NULL or "" where there was none; code is then
   that of an SMTP reply, 0 = none. */
enum store_bounce_type core_bounce_type(int code, const char *enhanced);

/* Inside a transaction, before the bounce itself is recorded: puts the address on the suppression
   list when there is no such mailbox (gone, by core/suppress.h), or when this is one transient
   bounce too many. *suppressed_r: whether it did. */
bool core_bounce_suppress(const struct core *core, const struct base_id *workspace,
    const char *address, enum store_bounce_type type, bool gone, bool *suppressed_r,
    GError **error);

/* Inside a transaction: notes a report that proves too little, of the recipient with this number,
   and puts the address on the suppression list when HEARSAY_AGREE of them agree on it. What they
   say to HEARSAY_FULL is noted for store_report_count_transient alone, which passes over it.
   *suppressed_r: whether the address was put on the list. */
bool core_bounce_doubt(const struct core *core, const struct store_reported *email, guint number,
    enum store_hearsay verdict, bool *suppressed_r, GError **error);

#endif
