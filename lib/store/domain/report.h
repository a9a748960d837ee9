/* SPDX-License-Identifier: MIT */
/* Reports that receivers sent about a domain, of DMARC and of TLS. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_DOMAIN_REPORT_H
#define STORE_DOMAIN_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"

struct db;
struct store_page;

/* Stored as number. */
enum store_domain_report_kind {
	STORE_REPORT_DMARC = 1,
	STORE_REPORT_TLS = 2,
};
#define STORE_REPORT_DMARC_SQL "1"

/* How messages fared. Stored as number. */
enum store_dmarc_fate {
	DMARC_FATE_OURS = 1, /* passed by a key of ours, or by our return path */
	DMARC_FATE_OTHER,    /* passed otherwise */
	DMARC_FATE_BEARS,    /* failed, but bears a selector of ours */
	DMARC_FATE_FAILS,
};

/* Messages of a source that fared alike. */
struct store_dmarc_source {
	const char *source; /* an IP address, or "unknown" */
	enum store_dmarc_fate fate;
	gint64 messages, passed, dkim_aligned, spf_aligned, quarantined, rejected;
};

struct store_domain_report {
	struct base_id id; /* of the time at which it came */
	struct base_id workspace_id, domain_id;
	enum store_domain_report_kind kind;
	guint8 digest[SHA256_SIZE]; /* of what makes it known again */
	char *reporter;		    /* at most STORE_REPORTER_LENGTH characters */
	gint64 day;		    /* of begin, since 1970, in UTC */
	gint64 begin, end;	    /* epoch ms; not read */
	bool verified;		    /* the reporter has vouched for it */
	guint enforced;		    /* the policy: 0 none, 1 quarantine, 2 reject */
	char *summary;		    /* JSON: the row of a list */
	GArray *sources; /* struct store_dmarc_source, each source and fate once; not read; NULL:
			    none */
};
#define STORE_REPORTER_LENGTH 255

void store_domain_report_free(struct store_domain_report *report);
DEFINE_AUTO(store_domain_report, store_domain_report_free)

/* The workspace of a domain of any workspace, by its id. NOT_FOUND. */
bool store_domain_report_owner(
    struct db *db, const struct base_id *domain, struct base_id *workspace_r, GError **error);

/* Stores a report and its sources, in one transaction. CONFLICT: it is known. */
bool store_domain_report_add(
    struct db *db, const struct store_domain_report *report, GError **error);

/* A page of the reports of a kind about a domain. */
struct store_domain_report_page {
	const struct base_id *domain;
	enum store_domain_report_kind kind;
	const struct base_id *before; /* only older ones; NULL: from the newest on */
	guint limit;
};

/* Reads it, newest first. The caller owns the array. */
GPtrArray *store_domain_report_list(struct db *db, const struct base_id *workspace,
    const struct store_domain_report_page *page, GError **error);

enum store_dmarc_group { DMARC_BY_SOURCE, DMARC_BY_DAY, DMARC_BY_REPORTER };

/* The figures that are asked for. */
struct store_dmarc_query {
	enum store_dmarc_group group;
	gint64 from, to;      /* days since 1970: from ≤ day < to */
	const bool *verified; /* NULL: all */
};

/* The sums of a key, a fate and a reporter. */
struct store_dmarc_sum {
	char *key; /* the source or the reporter; "" by day */
	gint64 day;
	enum store_dmarc_fate fate; /* by source; else DMARC_FATE_FAILS */
	char *reporter;
	gint64 messages, passed, dkim_aligned, spf_aligned, quarantined, rejected;
	gint64 first, last; /* epoch ms: the first begin and the last end of the reports */
};

void store_dmarc_sum_free(struct store_dmarc_sum *sum);
DEFINE_AUTO(store_dmarc_sum, store_dmarc_sum_free)

/* The sums about a domain in any order. The caller owns the array. */
GPtrArray *store_dmarc_sums(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, const struct store_dmarc_query *query, GError **error);

/* Sums over the verified reports of DMARC since a day. */
struct store_dmarc_reach {
	gint64 days, reporters; /* about which, and of how many reporters, there are reports */
	gint64 enforced_days;	/* of reports that found quarantine or reject */
};
bool store_dmarc_reach(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    gint64 since, struct store_dmarc_reach *reach_r, GError **error);

/* Removes a batch of the reports that came before a time, epoch ms. *count_r: how many. */
bool store_domain_report_sweep(struct db *db, gint64 before, guint *count_r, GError **error);

#endif
