/* SPDX-License-Identifier: MIT */
/* Purposes: the reasons for which the service makes an email, and how each differs. */
#ifndef EMAIL_PURPOSE_H
#define EMAIL_PURPOSE_H

#include <stdbool.h>

#include "store/email/email.h"

enum email_purpose {
	EMAIL_PURPOSE_REQUEST,		   /* a client has asked for it */
	EMAIL_PURPOSE_COMPAT_REQUEST,	   /* likewise, by a client of Resend's API */
	EMAIL_PURPOSE_BROADCAST,	   /* a broadcast, or a proof of one */
	EMAIL_PURPOSE_STEP,		   /* a step of a workflow, transactional */
	EMAIL_PURPOSE_STEP_MAILING,	   /* likewise, but a mailing */
	EMAIL_PURPOSE_COMPAT_STEP,	   /* the same two, of a workflow that a client of */
	EMAIL_PURPOSE_COMPAT_STEP_MAILING, /* Resend's API has made */
	EMAIL_PURPOSE_CONFIRMATION,	   /* a question whether somebody wants mailings */
	EMAIL_PURPOSE_NOTICE,		   /* to the users of a workspace */
	EMAIL_PURPOSE_SERVICE,		   /* mail of the service itself (submit/service_mail.h) */
	EMAIL_PURPOSES,
};

/* The differences between the purposes. */
struct email_purpose_policy {
	enum store_email_type type;
	bool verbatim;	   /* subject, html and text are not searched for references */
	bool compat_tests; /* addresses @resend.dev are test addresses (email/test_address.h), and
			      those with another name than these are INVALID */
	guint8 tracking;   /* enum store_email_tracking: TRACK_UNSUBSCRIBE for a mailing, with or
			      without a topic or {{unsubscribe_url}}: it has an unsubscribe link,
			      and persons who have left do not get it. TRACK_SECRET: only its
			      recipients may read it, and nothing shows its contents */
	bool untracked;	   /* without pixel and counted links, whatever the domain is set to */
};

extern const struct email_purpose_policy email_purposes[EMAIL_PURPOSES];

#endif
