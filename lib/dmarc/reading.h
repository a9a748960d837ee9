/* SPDX-License-Identifier: MIT */
/* Reads reports about a domain in a child process, which cannot take this one along. */
#ifndef DMARC_READING_H
#define DMARC_READING_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* The domain of ours that a report came for, which tells our messages from others. */
struct dmarc_reading_domain {
	const char *name;
	const char *return_path;      /* the host of its return paths */
	const char *const *selectors; /* of its keys; NULL-terminated */
};

/* Reads a file or a mail as domain_report_read does, and returns an object with the members of
   domain_report_write. INVALID "This is no report: WHY", also where the limits of the child are
   exceeded; TEMPORARY when no child could be started. The caller owns it. */
char *dmarc_reading_show(const void *data, gsize size, GError **error);

/* The same for a domain, in short: kind ("dmarc" or "tls"), reporter, email, report_id, begin, end,
   domain, policy, errors, messages, and rows, arrays of source, fate (store/domain/report.h),
   messages, passed, dkim_aligned, spf_aligned, quarantined and rejected, each source and fate once;
   of TLS policy_type, successful, failed and failures of the policies about the domain, in place of
   policy, messages and rows. domain is that of the report which is the domain itself or below it,
   if there is one. The caller frees it. */
struct json *dmarc_reading_sum(
    const void *data, gsize size, const struct dmarc_reading_domain *domain, GError **error);

/* Whether a name is a domain, or below it, in lower case. */
bool dmarc_reading_is_within(const char *name, const char *domain);

#endif
