/* SPDX-License-Identifier: MIT */
#ifndef CORE_SPF_H
#define CORE_SPF_H

#include <stdbool.h>

/* Whether text is an SPF record at all (RFC 7208 section 4.5). */
bool core_spf_is_record(const char *text);

/* Whether an SPF record of the name allows whatever the record ours does: each of our mechanisms
   stands in it too, in front of its "all", or for an address a network around it. */
bool core_spf_allows(const char *text, const char *ours, const char *name);

#endif
