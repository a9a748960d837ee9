/* SPDX-License-Identifier: MIT */
/* From what an email says to what tells of its readers. */
#include "core/rewrite.h"

#include <stdbool.h>
#include <string.h>

#include "base/settings.h"
#include "core/core.h"
#include "core/token.h"
#include "core/tracking.h"
#include "core/variables.h"
#include "mail/links.h"
#include "store/email.h"

struct rewriting {
	const struct core *core;
	struct core_token token; /* of the pixel */
	const char *own;	 /* how our own addresses begin */
	const char *page;	 /* where the sender has people unsubscribe; NULL: not known */
};

static bool
is_told(const struct rewriting *rewriting, const struct mail_link *link)
{
	return !g_str_has_prefix(link->destination, rewriting->own) &&
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
		if (is_told(rewriting, link_at(links, i)))
			g_hash_table_add(seen, link_at(links, i)->destination);
	return g_hash_table_size(seen);
}

/* What comes in the place of each link; NULL: nothing. The caller owns the array and the URLs. */
static GPtrArray *
urls_of(const struct rewriting *rewriting, const struct mail_links *links)
{
	GPtrArray *urls = g_ptr_array_new_with_free_func(g_free);
	struct core_token token = rewriting->token;

	token.kind = TOKEN_CLICK;
	for (guint i = 0; i < links->links->len; i++) {
		const struct mail_link *link = link_at(links, i);

		g_ptr_array_add(
		    urls, token.links > 0 && is_told(rewriting, link)
			      ? core_tracking_url(rewriting->core, &token, link->destination)
			      : NULL);
	}
	return urls;
}

GBytes *
core_rewrite(const struct core *core, const struct store_email *email, guint recipient,
    GBytes *html, const struct mail_links *links)
{
	const char *base = core_tracking_base(core->settings);
	AUTO(core_variables) variables = core_variables_parse(email->variables, NULL);
	gsize size;
	const char *source = g_bytes_get_data(html, &size);

	if (!base || !links || !(email->tracking & (TRACK_OPENS | TRACK_CLICKS)))
		return g_bytes_ref(html);
	g_autofree char *own = g_strconcat(base, "/t/", NULL);
	struct rewriting rewriting = {
	    .core = core,
	    .token = {TOKEN_OPEN, email->id, recipient, 0},
	    .own = own,
	    .page = variables ? core_variables_lookup("unsubscribe_url", variables) : NULL,
	};
	if (email->tracking & TRACK_CLICKS)
		rewriting.token.links = count_different(&rewriting, links);
	g_autofree char *pixel =
	    email->tracking & TRACK_OPENS ? core_tracking_url(core, &rewriting.token, NULL) : NULL;
	g_autoptr(GPtrArray) urls = urls_of(&rewriting, links);
	char *rewritten =
	    mail_links_rewrite(source, size, links, (const char *const *)urls->pdata, pixel, &size);
	return g_bytes_new_take(rewritten, size);
}
