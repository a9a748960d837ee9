/* SPDX-License-Identifier: MIT */
/* Reads DMARC records, and finds policies and organizational domains, as receivers do (RFC 9989).
   Asks DNS nothing itself. */
#ifndef DOMAIN_DMARC_H
#define DOMAIN_DMARC_H

#include <glib.h>
#include <stdbool.h>

struct dns_question;

/* The most queries of a walk up the tree of names (RFC 9989 section 4.10). */
#define DMARC_TREE 8

/* Whether a text is a DMARC record: its first tag is v=DMARC1. Blanks around "=" and ";" are
   allowed. */
bool domain_dmarc_is_record(const char *text);

/* Whether a receiver takes a policy from a DMARC record: p, sp and np are valid, or it has an
   address for reports, which makes it p=none (RFC 9989 section 4.7). */
bool domain_dmarc_has_policy(const char *text);

/* Whether a tag of a record has this value, in any case. */
bool domain_dmarc_says(const char *text, const char *tag, const char *value);

/* The questions of the walk from a domain up: at the domain itself, then at its parents, at most
   DMARC_TREE. Those between it and its parent of seven labels are left out. The caller owns the
   array of struct dns_question. */
GPtrArray *domain_dmarc_tree(const char *domain);

/* Once the questions of its tree have their outcomes: the organizational domain of domain, which
   points into it; domain itself when no record is found. A question without an answer counts as no
   record. */
const char *domain_dmarc_organization(const char *domain, const GPtrArray *tree);

/* The policy that a domain without a record of its own has: the record of its organizational
   domain, or that of the public suffix above. NULL: none, or it is no policy. It lives as long as
   the tree. */
const char *domain_dmarc_inherited(const char *domain, const GPtrArray *tree);

#endif
