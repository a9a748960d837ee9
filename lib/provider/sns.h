/* SPDX-License-Identifier: MIT */
/* The messages of Amazon SNS, in which Amazon SES reports. */
#ifndef PROVIDER_SNS_H
#define PROVIDER_SNS_H

#include <glib.h>
#include <stdbool.h>

#include "provider/event.h"
#include "provider/request.h"

enum provider_sns_type {
	PROVIDER_SNS_OTHER,
	PROVIDER_SNS_NOTIFICATION,
	PROVIDER_SNS_SUBSCRIBE,	  /* it wants SubscribeURL to be fetched */
	PROVIDER_SNS_UNSUBSCRIBE, /* a subscription has ended */
};

enum provider_sns_type provider_sns_type(const struct json *json);

/* The URL of the certificate, of the confirmation, and the name of the topic; NULL: there is none.
 */
const char *provider_sns_certificate(const struct json *json);
const char *provider_sns_confirmation(const struct json *json);
const char *provider_sns_topic(const struct json *json);

/* Whether a URL may be fetched: https at sns.REGION.amazonaws.com (.cn) without a port, or at one
   of hosts, a NULL-terminated list of HOST:PORT; then *ours_r is true, and http and any address
   are good as well. of_certificate: its path ends in .pem. */
bool provider_sns_is_trusted(
    const char *url, const char *const *hosts, bool of_certificate, bool *ours_r);

/* Whether a text is a certificate in PEM that is valid now (epoch ms). */
bool provider_sns_is_certificate(const char *pem, gint64 now);

/* For this room: as of provider/provider.h. */
enum provider_verdict provider_sns_verify(
    const struct provider_request *request, const char *certificate);
/* True unless the document has not the form of SES; see provider/forms.h. */
bool provider_ses_read(struct provider_batch *batch, const struct json *json);

#endif
