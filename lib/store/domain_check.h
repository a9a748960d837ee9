/* SPDX-License-Identifier: MIT */
#ifndef STORE_DOMAIN_CHECK_H
#define STORE_DOMAIN_CHECK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;
struct db_rows;

/* Why a required record does not do. Stored as number. */
enum store_domain_error {
	DOMAIN_ERROR_NONE = 0,
	DOMAIN_DNS_SERVER_ERROR = 1,
	DOMAIN_HOST_NOT_FOUND = 2,
	DOMAIN_TYPE_NOT_FOUND = 3,
	DOMAIN_INVALID_VALUE = 4,
};

/* The word of the API for it; NULL for none. */
const char *store_domain_error_name(enum store_domain_error error);

/* What DNS said of a domain. Times are epoch ms, 0 = never. */
struct store_domain_check {
	gint64 series;	   /* when the schedule of its checks began */
	gint64 next_check; /* 0 = none is planned */
	gint64 last_checked, last_success;
	gint64 failing_since; /* since when what had been right is not any more */
	enum store_domain_error error;
	char *findings;		       /* JSON, see core/zone.h; NULL = none yet */
	char *soa_primary, *soa_admin; /* NULL: not known */
	gint64 soa_serial;
};

void store_domain_check_clear(struct store_domain_check *check);

/* Inside a transaction: what a new domain begins with. next_check 0: no check is planned. */
bool store_domain_check_insert(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 series, gint64 next_check, GError **error);

/* The columns of a statement that joins domain_check c, and what they say. */
#define DOMAIN_CHECK_COLUMNS                                                                       \
	"c.series, c.next_check, c.last_checked, c.last_success, c.failing_since, c.error,"        \
	" c.findings, c.soa_primary, c.soa_admin, c.soa_serial"
#define DOMAIN_CHECK_COLUMN_COUNT 10
void store_domain_check_read(
    const struct db_rows *rows, guint column, struct store_domain_check *check_r);

#endif
