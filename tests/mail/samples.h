/* SPDX-License-Identifier: MIT */
/* Messages for readers other than ours. */
#ifndef TESTS_MAIL_SAMPLES_H
#define TESTS_MAIL_SAMPLES_H

#include "mail/message.h"

/* A handful of messages as the service would send them. */
struct sample {
	const char *name;
	const char *from_name;
	const char *subject;
	const char *text; /* CRLF line breaks here, so that what comes out is the same */
	const char *html;
	struct mail_attachment attachments[4];
	guint attachment_count;
};

extern const struct sample samples[];
extern const gsize sample_count;

GBytes *sample_compose(const struct sample *sample);

#endif
