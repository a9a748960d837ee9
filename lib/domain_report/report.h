/* SPDX-License-Identifier: MIT */
/* Reports that receivers send about a domain: aggregate reports of DMARC (RFC 7489 appendix C, RFC
   9990, and the drafts before them) and reports about TLS (RFC 8460).

   A report may be forged or hostile. All of it is bounded by base/limits/domain_report.h, but
   reading takes memory and time: call it in a child process (process/isolate.h). Programs that
   write reports make many faults. What can be read all the same is read, and `errors` tells. */
#ifndef DOMAIN_REPORT_REPORT_H
#define DOMAIN_REPORT_REPORT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct json_writer;

enum domain_report_kind {
	DOMAIN_REPORT_DMARC,
	DOMAIN_REPORT_TLS,
};

/* A result of DKIM or SPF. The texts of a report are valid UTF-8, and belong to the report. */
struct domain_report_result {
	const char *domain;
	const char *name;   /* the selector; of SPF the scope. NULL: none */
	const char *result; /* in lower case */
};

/* Messages of one source. */
struct domain_report_record {
	const char *source; /* its address, as the report has it */
	gint64 count;
	const char *disposition; /* in lower case: none, quarantine, reject, or pass */
	bool dkim, spf;		 /* whether they passed aligned */
	const char *header_from;
	const char *envelope_from;	    /* NULL: not known */
	GArray *dkim_results, *spf_results; /* struct domain_report_result; NULL: none */
};

/* The policy that the reporter found; NULL: absent. */
struct domain_report_policy {
	const char *p, *sp, *np, *adkim, *aspf;
	gint64 pct; /* -1: absent */
	const char *testing;
};

/* Failed sessions of one kind. */
struct domain_report_failure {
	const char *result_type;
	gint64 count;
	const char *sending_ip, *receiving_host; /* NULL: not told */
};

/* A policy for TLS, and how sessions fared. */
struct domain_report_tls {
	const char *domain; /* in lower case */
	const char *policy_type;
	gint64 successful, failed;
	GArray *failures; /* struct domain_report_failure */
};

struct domain_report {
	enum domain_report_kind kind;
	const char *reporter, *email; /* email: NULL: none */
	const char *report_id;
	gint64 begin, end;  /* epoch ms */
	const char *domain; /* of the policy, in lower case; of TLS that of the first one */
	struct domain_report_policy policy;
	const char *generator; /* NULL: not told */
	GPtrArray *errors;     /* char * */
	GPtrArray *records;    /* struct domain_report_record; of DMARC */
	GPtrArray *policies;   /* struct domain_report_tls; of TLS */
	GStringChunk *texts;
	GHashTable *known; /* the errors, so that each is told once */
};

/* Reads a report: a file (XML, JSON, gzip, or zip with a .xml, told by its first bytes), or a mail
   with such a file as a part or as its body. INVALID "This is no report: WHY". The caller frees
   it. */
struct domain_report *domain_report_read(const void *data, gsize size, GError **error);
void domain_report_free(struct domain_report *report);
DEFINE_AUTO(domain_report, domain_report_free)

/* For the readers. An empty report. */
struct domain_report *domain_report_new(enum domain_report_kind kind);

/* A text of the report: trimmed, cut at LIMIT_DOMAIN_REPORT_TEXT. NULL for an empty one. */
const char *domain_report_text(struct domain_report *report, const char *text, gsize size);

/* The same in lower case, without a final dot: a domain, or a word. */
const char *domain_report_lower(struct domain_report *report, const char *text, gsize size);

/* Tells a fault, each once. */
void domain_report_tell(struct domain_report *report, const char *fault);

/* The sums of policies about a domain, or about names below it (NULL: any domain); where there are
   none, about a name above it, which may be its organizational domain. They are their types, each
   once, with ", " between them, and the failures in order; of more than
   LIMIT_DOMAIN_REPORT_FAILURES the most frequent ones. policy_type belongs to the report. False
   where no policy is about any of these. Free sum_r->failures. */
bool domain_report_tls_sum(
    const struct domain_report *report, const char *domain, struct domain_report_tls *sum_r);

/* Writes the first members of a report: kind, reporter, email, report_id, begin, end. */
void domain_report_write_head(struct json_writer *writer, const struct domain_report *report);

/* Writes the members of a report: kind, reporter, email, report_id, begin, end, domain, policy,
   generator, errors, records; of TLS policy_type, successful, failed, failures in place of policy,
   generator and records. */
void domain_report_write(struct json_writer *writer, const struct domain_report *report);

/* Write parts of it: {p, sp, np, adkim, aspf, pct, testing}, and [{result_type, count, sending_ip,
   receiving_host}]. */
void domain_report_write_policy(
    struct json_writer *writer, const char *key, const struct domain_report_policy *policy);
void domain_report_write_failures(
    struct json_writer *writer, const char *key, const GArray *failures);

#endif
