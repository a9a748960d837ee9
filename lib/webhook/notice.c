/* SPDX-License-Identifier: MIT */
/* Tells the users of a workspace that a webhook was switched off. */
#include "webhook/notice.h"

#include "store/webhook/claim.h"
#include "submit/user_notice.h"

/* The host of a URL, as its owner wrote it. */
static char *
notice_host_of(const char *url)
{
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_PARSE_RELAXED, NULL);

	return g_strdup(uri && g_uri_get_host(uri) ? g_uri_get_host(uri) : url);
}

bool
webhook_notice(struct service *service, const struct store_webhook_state *webhook,
    GError **trouble_r, GError **error)
{
	g_autofree char *host = notice_host_of(webhook->url);
	g_autofree char *full = g_strdup_printf("Webhook disabled: %s", host);
	g_autofree char *subject = g_utf8_substring(full, 0, MIN(g_utf8_strlen(full, -1), 100));
	char id[ID_TEXT_SIZE];
	g_autofree char *html = g_strdup_printf(
	    "<p>For 5 days each request of the webhook %s to %s has failed, so no more are "
	    "made.</p>\n"
	    "<p>Enable the webhook again when it works: the events that wait are sent then.</p>\n",
	    base_id_format(&webhook->id, id), host);

	return submit_user_notice(service, &webhook->workspace_id, subject, html, trouble_r, error);
}
