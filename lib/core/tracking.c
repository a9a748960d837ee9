/* SPDX-License-Identifier: MIT */
/* Makes the URLs and addresses that identify a recipient, and puts pixel and links into html. */
#include "core/tracking.h"

#include <stdbool.h>
#include <string.h>

#include "base/secret.h"
#include "base/settings.h"
#include "core/relay.h"
#include "core/core.h"
#include "core/token.h"
#include "core/utm.h"
#include "core/variables.h"
#include "mail/links.h"
#include "mail/template.h"
#include "store/email.h"

const char *
core_tracking_base(const struct base_settings *settings)
{
	const char *url = base_settings_text(settings, SETTING_SERVICE_URL);

	return strcmp(url, base_settings_describe(SETTING_SERVICE_URL)->fallback) == 0 ? NULL : url;
}

/* Makes the URL for a token of the kind TOKEN_OPEN, or TOKEN_CLICK with its destination. The caller
   owns it. */
static char *
url_of(const struct core *core, const struct core_token *token, const char *destination)
{
	static const char *const places[] = {[TOKEN_OPEN] = "o",
	    [TOKEN_CLICK] = "c",
	    [TOKEN_UNSUBSCRIBE] = "u",
	    [TOKEN_CONFIRM] = "s"};
	const char *base = core_tracking_base(core->settings);
	char text[TOKEN_TEXT_SIZE];

	if (!base)
		return NULL;
	core_token_write(base_settings_secret(core->settings), token, destination, text);
	g_autofree char *link =
	    destination ? base_secret_base64url(destination, strlen(destination)) : NULL;
	return g_strconcat(
	    base, "/t/", places[token->kind], "/", text, link ? "?d=" : NULL, link, NULL);
}

char *
core_tracking_confirm_url(const struct core *core, const struct base_id *confirmation)
{
	const struct core_token token = {TOKEN_CONFIRM, *confirmation, 0, 0};

	return url_of(core, &token, NULL);
}

char *
core_tracking_unsubscribe_url(const struct core *core, const struct base_id *email, guint number)
{
	const struct core_token token = {TOKEN_UNSUBSCRIBE, *email, number, 0};

	return url_of(core, &token, NULL);
}

static bool
has_tags(const struct store_email *email, enum store_email_part_role role)
{
	const struct store_body *body = store_email_body(email, role);
	gsize size = 0;
	const char *text = body && body->data ? g_bytes_get_data(body->data, &size) : NULL;

	return text && mail_template_has_tags(text, size);
}

char *
core_tracking_shown_url(const struct core *core, const struct store_email *email)
{
	if (!email->variables || !(has_tags(email, PART_HTML) || has_tags(email, PART_TEXT)))
		return NULL;
	return email->recipients->len == 1 ? core_tracking_unsubscribe_url(core, &email->id, 0)
					   : g_strdup("{{unsubscribe_url}}");
}

char *
core_tracking_unsubscribe_address(
    const struct core *core, const struct store_email *email, guint number)
{
	const struct core_token token = {TOKEN_UNSUBSCRIBE, email->id, number, 0};
	char text[TOKEN_HEX_SIZE];

	if (!email->domain || core_relay_returns(core->settings, email->relays).has_own)
		return NULL;
	core_token_write_hex(base_settings_secret(core->settings), &token, text);
	return g_strdup_printf("u+%s@send.%s", text, email->domain);
}

struct rewriting {
	const struct core *core;
	struct core_token token; /* of the pixel */
	const char *own;	 /* the beginning of our own URLs; NULL: there are none */
	const char *page;	 /* the sender's own unsubscribe page; NULL: not known */
	const char *utm;	 /* NULL: links get no parameters */
};

static bool
is_tracked(const struct rewriting *rewriting, const struct mail_link *link)
{
	return !(rewriting->own && g_str_has_prefix(link->destination, rewriting->own)) &&
	       g_strcmp0(link->destination, rewriting->page) != 0;
}

static const struct mail_link *
link_at(const struct mail_links *links, guint i)
{
	return &g_array_index(links->links, struct mail_link, i);
}

static guint
count_different(const struct rewriting *rewriting, const struct mail_links *links)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < links->links->len; i++)
		if (is_tracked(rewriting, link_at(links, i)))
			g_hash_table_add(seen, link_at(links, i)->destination);
	return g_hash_table_size(seen);
}

/* The URL that replaces a link; NULL: it stays. token: of a click. The caller owns it. */
static char *
replace(
    const struct rewriting *rewriting, const struct mail_link *link, const struct core_token *token)
{
	if (!is_tracked(rewriting, link))
		return NULL;
	g_autofree char *marked =
	    rewriting->utm ? core_utm_add(link->destination, rewriting->utm) : NULL;
	if (token->links == 0)
		return g_steal_pointer(&marked);
	return url_of(rewriting->core, token, marked ? marked : link->destination);
}

/* The URLs that replace the links. The caller owns the array and the URLs. */
static GPtrArray *
urls_of(const struct rewriting *rewriting, const struct mail_links *links)
{
	GPtrArray *urls = g_ptr_array_new_with_free_func(g_free);
	struct core_token token = rewriting->token;

	token.kind = TOKEN_CLICK;
	for (guint i = 0; i < links->links->len; i++)
		g_ptr_array_add(urls, replace(rewriting, link_at(links, i), &token));
	return urls;
}

GBytes *
core_tracking_rewrite(const struct core *core, const struct store_email *email, guint recipient,
    GBytes *html, const struct mail_links *links)
{
	const char *base = core_tracking_base(core->settings);
	AUTO(core_variables) variables = core_variables_parse(email->variables, NULL);
	guint tracking = base ? email->tracking & (TRACK_OPENS | TRACK_CLICKS) : 0;
	gsize size;
	const char *source = g_bytes_get_data(html, &size);

	if (!links || (!tracking && !email->utm))
		return g_bytes_ref(html);
	g_autofree char *own = base ? g_strconcat(base, "/t/", NULL) : NULL;
	struct rewriting rewriting = {
	    .core = core,
	    .token = {TOKEN_OPEN, email->id, recipient, 0},
	    .own = own,
	    .page = variables ? core_variables_text(variables, "unsubscribe_url") : NULL,
	    .utm = email->utm,
	};
	if (tracking & TRACK_CLICKS)
		rewriting.token.links = count_different(&rewriting, links);
	g_autofree char *pixel =
	    tracking & TRACK_OPENS ? url_of(core, &rewriting.token, NULL) : NULL;
	g_autoptr(GPtrArray) urls = urls_of(&rewriting, links);
	char *rewritten =
	    mail_links_rewrite(source, size, links, (const char *const *)urls->pdata, pixel, &size);
	return g_bytes_new_take(rewritten, size);
}
