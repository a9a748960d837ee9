/* SPDX-License-Identifier: MIT */
/* For this room: what a transaction becomes, submitted or received, and how it is told. */
#ifndef SMTPD_TRANSACTION_H
#define SMTPD_TRANSACTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct intake_message;
struct service;
struct service_rates;
struct smtpd_login;
struct smtpd_receipt;
struct smtpd_wire;

/* A transaction for the log and the metrics. */
struct smtpd_outcome {
	const char *kind;		/* submitted, report, received */
	struct base_id email, received; /* zero: none */
};

/* Stores a message of a client that has logged in, and writes the reply. */
void smtpd_submit(struct service *service, struct service_rates *rates, struct smtpd_login *login,
    const struct intake_message *message, GString *reply, struct smtpd_outcome *outcome_r);

/* The recipients of a transaction of a client that has not logged in. service and hostname, ours,
   outlive it. The caller frees it. */
struct smtpd_receipt *smtpd_receipt_new(struct service *service, const char *hostname);
void smtpd_receipt_free(struct smtpd_receipt *receipt);
void smtpd_receipt_forget(struct smtpd_receipt *receipt);

/* Looks at a recipient in its normal form, keeps it if it leads here, and writes the reply. */
void smtpd_receipt_add(struct smtpd_receipt *receipt, const char *address, GString *reply);

/* Records and stores a message for all of them, and writes the reply. */
void smtpd_receipt_take(struct smtpd_receipt *receipt, const struct smtpd_wire *wire,
    const struct intake_message *message, GString *reply, struct smtpd_outcome *outcome_r);

#endif
