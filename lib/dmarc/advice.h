/* SPDX-License-Identifier: MIT */
/* For this room: the next step of a domain on its way to the policy reject. Uses no clock. */
#ifndef DMARC_ADVICE_H
#define DMARC_ADVICE_H

#include <glib.h>
#include <stdbool.h>

#include "dmarc/figures.h"
#include "domain/dmarc.h"

/* The days that are looked at. */
#define DMARC_ADVICE_DAYS 30

struct dmarc_advice {
	const char *next;   /* "none", "quarantine", "reject"; NULL: the end is reached */
	bool ready;	    /* for the next step */
	GPtrArray *reasons; /* char *: why it is not */
	char *record;	    /* to publish; NULL: it is there */
};

/* The facts that decide. */
struct dmarc_advice_facts {
	const struct domain_dmarc_policy *policy;
	bool is_own;	     /* its record is at the domain itself */
	const char *address; /* for reports, of ours */
	struct store_dmarc_reach reach;
	gint64 kinds[DMARC_KIND_FAILING + 1]; /* messages by kind */
};

/* Advises. Clear the result. */
void dmarc_advice_make(const struct dmarc_advice_facts *facts, struct dmarc_advice *advice_r);
void dmarc_advice_clear(struct dmarc_advice *advice);

/* Whether the rua of a record (NULL: none) has an address. */
bool dmarc_advice_leads_to(const char *record, const char *address);

#endif
