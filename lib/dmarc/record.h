/* SPDX-License-Identifier: MIT */
/* Records the reports about a domain that come to its address d+TOKEN@send.DOMAIN.

   The address is public: it stands in DNS, and receivers of all kinds write to it. So anybody can
   send a report to it. A report is recorded where it is about the domain of the token, once, and is
   verified where DMARC passed for the mail that brought it (received/authentication.h): then the
   domain of its writer has vouched for it. */
#ifndef DMARC_RECORD_H
#define DMARC_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct received_session;
struct service;

enum dmarc_record_outcome {
	DMARC_RECORD_NONE,     /* no report */
	DMARC_RECORD_STRANGE,  /* about another domain, or the domain is gone */
	DMARC_RECORD_REPEATED, /* recorded before */
	DMARC_RECORD_DMARC,    /* recorded */
	DMARC_RECORD_TLS,
};

struct dmarc_record_result {
	enum dmarc_record_outcome outcome;
	struct base_id id; /* of the report, from DMARC_RECORD_DMARC on */
	char *why;	   /* of DMARC_RECORD_NONE: "This is no report: WHY"; else NULL. The caller
			      frees it */
};

/* The word for an outcome, as posthouse report and receive say it: "no report", "not ours",
   "repeated", "dmarc report", "tls report". */
const char *dmarc_record_name(enum dmarc_record_outcome outcome);

/* Whether an address has the token of a domain. */
bool dmarc_record_is_for(const struct service *service, const char *address);

/* Reads the report in a mail and records it, in one transaction. The process is to be able to start
   another and to ask DNS. address: dmarc_record_is_for. Errors of db/transaction.h; the same mail
   may be given again. */
bool dmarc_record(struct service *service, const struct received_session *session,
    const char *address, const void *data, gsize size, struct dmarc_record_result *result_r,
    GError **error);

#endif
