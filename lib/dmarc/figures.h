/* SPDX-License-Identifier: MIT */
/* Figures of DMARC: who sent in a domain's name, and how it fared. */
#ifndef DMARC_FIGURES_H
#define DMARC_FIGURES_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/domain/report.h"

struct base_id;
struct db;
struct json_writer;

/* The kinds of rows by source. */
enum dmarc_kind {
	DMARC_KIND_NONE,    /* by day, by reporter, and of the row "other" */
	DMARC_KIND_OURS,    /* passed by a key of ours, or by our return path */
	DMARC_KIND_OTHER,   /* passed otherwise */
	DMARC_KIND_BROKEN,  /* failed, but is ours by its selector or its source */
	DMARC_KIND_FAILING, /* strangers */
};

/* The word for a kind; NULL for DMARC_KIND_NONE. */
const char *dmarc_figures_kind(enum dmarc_kind kind);

struct dmarc_figure {
	char *key; /* an address, a day as 2026-11-20, a reporter, or "other" */
	enum dmarc_kind kind;
	gint64 messages, passed, dkim_aligned, spf_aligned, quarantined, rejected;
	GHashTable *names;  /* the reporters, each once */
	gint64 first, last; /* epoch ms: the first begin and the last end of the reports */
};

void dmarc_figure_free(struct dmarc_figure *figure);
DEFINE_AUTO(dmarc_figure, dmarc_figure_free)

/* The figures that somebody asks for, in words; NULL: not given. */
struct dmarc_wish {
	const char *group_by; /* source, day, reporter; default source */
	const char *from, *to;
	const char *verified; /* true, false */
};

/* Reads a wish; days as of email/figures.h. INVALID, with the name of the parameter. *verified_r is
   where the query's verified points, if it is given. */
bool dmarc_figures_read(const struct dmarc_wish *wish, struct store_dmarc_query *query_r,
    bool *verified_r, GError **error);

/* The figures of a domain: by messages, most first, at most LIMIT_DMARC_ROWS, and the rest as a row
   "other"; by day, all in the order of days. The caller owns the array of struct dmarc_figure. */
GPtrArray *dmarc_figures_list(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, const struct store_dmarc_query *query, GError **error);

/* The messages of each kind from a day on, of verified reports. sums_r has room for
   DMARC_KIND_FAILING + 1. */
bool dmarc_figures_kinds(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 from, gint64 *sums_r, GError **error);

/* Writes a figure as GET /v1/domains/{id}/dmarc shows it. */
void dmarc_figures_write(struct json_writer *writer, const struct dmarc_figure *figure);

#endif
