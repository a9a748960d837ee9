/* SPDX-License-Identifier: MIT */
#ifndef CORE_ENVELOPE_H
#define CORE_ENVELOPE_H

#include <glib.h>
#include <stdbool.h>

struct store_email;
struct mail_address;
struct core_submission;

/* Takes the addresses of a submission over into an email: sender, lists, and each envelope
   recipient once. *from_r is the sender, which the caller frees. INVALID, naming the field. */
bool core_envelope_read(const struct core_submission *submission, struct store_email *email,
    struct mail_address **from_r, GError **error);

/* The addresses of a stored list, without their names, as an array of char *; empty for NULL and
   "". FAILED when it is damaged. The caller owns it. */
GPtrArray *core_envelope_addresses(const char *list, GError **error);

/* How the address that somebody looks for is stored as a recipient; NULL when it is no address. The
   caller owns it. */
char *core_envelope_recipient(const char *text);

#endif
