/* SPDX-License-Identifier: MIT */
/* Makes the URLs and addresses that identify a recipient, and puts pixel and links into html. */
#include "link/tracking.h"

#include <stdbool.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/secret.h"
#include "config/settings.h"
#include "content/variables.h"
#include "html/links.h"
#include "link/return_path.h"
#include "link/token.h"
#include "link/utm.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/email/email.h"
#include "template/template.h"

const char *
link_tracking_base(const struct config_settings *settings)
{
	const char *url = config_settings_text(settings, SETTING_SERVICE_URL);

	return strcmp(url, config_settings_describe(SETTING_SERVICE_URL)->fallback) == 0 ? NULL
											 : url;
}

bool
link_tracking_is_local(const struct config_settings *settings)
{
	g_autoptr(GUri) uri = g_uri_parse(
	    config_settings_text(settings, SETTING_SERVICE_URL), G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;

	return host && (config_relay_is_local(host) || strcmp(host, "::1") == 0);
}

char *
link_tracking_base_at(const struct config_settings *settings, const char *host)
{
	const char *base = link_tracking_base(settings);
	g_autoptr(GUri) uri = base && host ? g_uri_parse(base, G_URI_FLAGS_ENCODED, NULL) : NULL;

	if (!uri)
		return g_strdup(base);
	return g_uri_join(G_URI_FLAGS_ENCODED, g_uri_get_scheme(uri), NULL, host,
	    g_uri_get_port(uri), g_uri_get_path(uri), NULL, NULL);
}

/* Makes the URL for a token of the kind TOKEN_OPEN, or TOKEN_CLICK with its destination, at a host;
   NULL: that of [service] url. The caller owns it. */
static char *
tracking_url_of(const struct service *service, const char *host, const struct link_token *token,
    const char *destination)
{
	static const char *const places[] = {[TOKEN_OPEN] = "o",
	    [TOKEN_CLICK] = "c",
	    [TOKEN_UNSUBSCRIBE] = "u",
	    [TOKEN_CONFIRM] = "s"};
	g_autofree char *base = link_tracking_base_at(service->settings, host);
	char text[TOKEN_TEXT_SIZE];

	if (!base)
		return NULL;
	link_token_write(config_settings_secret(service->settings), token, destination, text);
	g_autofree char *link =
	    destination ? base_secret_base64url(destination, strlen(destination)) : NULL;
	return g_strconcat(
	    base, "/t/", places[token->kind], "/", text, link ? "?d=" : NULL, link, NULL);
}

char *
link_tracking_confirm_url(
    const struct service *service, const char *host, const struct base_id *confirmation)
{
	const struct link_token token = {TOKEN_CONFIRM, *confirmation, 0, 0};

	return tracking_url_of(service, host, &token, NULL);
}

char *
link_tracking_unsubscribe_url(
    const struct service *service, const struct store_email *email, guint number)
{
	const struct link_token token = {TOKEN_UNSUBSCRIBE, email->id, number, 0};

	return tracking_url_of(service, email->tracking_host, &token, NULL);
}

static bool
has_tags(const struct store_email *email, enum store_email_part_role role)
{
	const struct store_body *body = store_email_body(email, role);
	gsize size = 0;
	const char *text = body && body->data ? g_bytes_get_data(body->data, &size) : NULL;

	return text && template_has_tags(text, size);
}

char *
link_tracking_shown_url(const struct service *service, const struct store_email *email)
{
	if (!email->variables || !(has_tags(email, PART_HTML) || has_tags(email, PART_TEXT)))
		return NULL;
	return email->recipients->len == 1 ? link_tracking_unsubscribe_url(service, email, 0)
					   : g_strdup("{{unsubscribe_url}}");
}

char *
link_tracking_unsubscribe_address(
    const struct service *service, const struct store_email *email, guint number)
{
	const struct link_token token = {TOKEN_UNSUBSCRIBE, email->id, number, 0};
	char text[TOKEN_HEX_SIZE];

	if (!email->domain || relay_returns(service->settings, email->relays).has_own)
		return NULL;
	link_token_write_hex(config_settings_secret(service->settings), &token, text);
	g_autofree char *host = link_return_path_host(email->return_path, email->domain);
	return g_strdup_printf("u+%s@%s", text, host);
}

struct rewriting {
	const struct service *service;
	struct link_token token; /* of the pixel */
	const char *host;	 /* in our URLs; NULL: that of [service] url */
	const char *own;	 /* the beginning of our own URLs; NULL: there are none */
	const char *plain;	 /* the same at the host of [service] url */
	const char *page;	 /* the sender's own unsubscribe page; NULL: not known */
	const char *utm;	 /* NULL: links get no parameters */
};

static bool
is_tracked(const struct rewriting *rewriting, const struct html_link *link)
{
	return !(rewriting->own && (g_str_has_prefix(link->destination, rewriting->own) ||
				       g_str_has_prefix(link->destination, rewriting->plain))) &&
	       g_strcmp0(link->destination, rewriting->page) != 0;
}

static const struct html_link *
tracking_link_at(const struct html_links *links, guint i)
{
	return &g_array_index(links->links, struct html_link, i);
}

/* The destinations of the links that are not ours, with their parameters; NULL in place of the
   others. The caller owns the array and the texts. */
static GPtrArray *
destinations_of(const struct rewriting *rewriting, const struct html_links *links)
{
	GPtrArray *destinations = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < links->links->len; i++) {
		const struct html_link *link = tracking_link_at(links, i);

		g_ptr_array_add(destinations, !is_tracked(rewriting, link) ? NULL
					      : rewriting->utm
						  ? link_utm_add(link->destination, rewriting->utm)
						  : g_strdup(link->destination));
	}
	return destinations;
}

/* Whether the URL of a click on a destination is no longer than what readers take. A link whose URL
   is longer leads there directly. */
static bool
tracking_fits(const struct rewriting *rewriting, const char *destination)
{
	gsize encoded = (4 * strlen(destination) + 2) / 3;

	return strlen(rewriting->own) + strlen("c/") + TOKEN_TEXT_SIZE - 1 + strlen("?d=") +
		   encoded <=
	       LIMIT_LINK_BYTES;
}

/* The number of different links that are tracked. */
static guint
count_different(const struct rewriting *rewriting, const GPtrArray *destinations)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < destinations->len; i++)
		if (destinations->pdata[i] && tracking_fits(rewriting, destinations->pdata[i]))
			g_hash_table_add(seen, destinations->pdata[i]);
	return g_hash_table_size(seen);
}

/* Puts the URLs that replace the links in place of their destinations. NULL: the link stays. */
static void
make_urls(const struct rewriting *rewriting, GPtrArray *destinations)
{
	struct link_token token = rewriting->token;

	token.kind = TOKEN_CLICK;
	for (guint i = 0; i < destinations->len; i++) {
		g_autofree char *destination = destinations->pdata[i];

		if (!destination)
			continue;
		destinations->pdata[i] =
		    token.links > 0 && tracking_fits(rewriting, destination)
			? tracking_url_of(rewriting->service, rewriting->host, &token, destination)
		    : rewriting->utm ? g_steal_pointer(&destination)
				     : NULL;
	}
}

GBytes *
link_tracking_rewrite(const struct service *service, const struct store_email *email,
    guint recipient, GBytes *html, const struct html_links *links)
{
	const char *base = link_tracking_base(service->settings);
	AUTO(content_variables) variables = content_variables_parse(email->variables, NULL);
	guint tracking = base ? email->tracking & (TRACK_OPENS | TRACK_CLICKS) : 0;
	gsize size;
	const char *source = g_bytes_get_data(html, &size);

	if (!links || (!tracking && !email->utm))
		return g_bytes_ref(html);
	g_autofree char *at = link_tracking_base_at(service->settings, email->tracking_host);
	g_autofree char *own = at ? g_strconcat(at, "/t/", NULL) : NULL;
	g_autofree char *plain = base ? g_strconcat(base, "/t/", NULL) : NULL;
	struct rewriting rewriting = {
	    .service = service,
	    .token = {TOKEN_OPEN, email->id, recipient, 0},
	    .host = email->tracking_host,
	    .own = own,
	    .plain = plain,
	    .page = variables ? content_variables_text(variables, "unsubscribe_url") : NULL,
	    .utm = email->utm,
	};
	g_autoptr(GPtrArray) urls = destinations_of(&rewriting, links);
	if (tracking & TRACK_CLICKS)
		rewriting.token.links = count_different(&rewriting, urls);
	g_autofree char *pixel = tracking & TRACK_OPENS ? tracking_url_of(service, rewriting.host,
							      &rewriting.token, NULL)
							: NULL;
	make_urls(&rewriting, urls);
	char *rewritten =
	    html_links_rewrite(source, size, links, (const char *const *)urls->pdata, pixel, &size);
	return g_bytes_new_take(rewritten, size);
}
