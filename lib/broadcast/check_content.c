/* SPDX-License-Identifier: MIT */
/* Fills the contents of a broadcast for people of the sample, and looks at the result. */
#include "broadcast/check_content.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/broadcast.h"
#include "broadcast/attachments.h"
#include "broadcast/content.h"
#include "broadcast/report.h"
#include "broadcast/source.h"
#include "broadcast/unknown.h"
#include "content/content.h"
#include "content/derive.h"
#include "content/footer.h"
#include "content/variables.h"
#include "delivery/part.h"
#include "email/compose.h"
#include "email/draft.h"
#include "email/spam.h"
#include "email/submission.h"
#include "html/html.h"
#include "html/images.h"
#include "html/links.h"
#include "link/link_check.h"
#include "link/tracking.h"
#include "link/utm.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/person/people.h"
#include "template/template.h"
#include "template/value.h"

#define UNSUBSCRIBE "unsubscribe_url"

void
broadcast_check_free_person(void *person)
{
	store_person_free(person);
}

static void
check_content_warn(const struct broadcast_check_content *checking, const char *code,
    const char *message, gint64 count)
{
	broadcast_report_add(checking->report, LEVEL_OF_WARNING, code, message, count);
}

/* Warns of contents that show no link to unsubscribe, whose source has one. */
static void
warn_of_footer(const struct broadcast_check_content *checking, gint64 count)
{
	check_content_warn(checking, "unsubscribe_link",
	    "no link to unsubscribe is visible; a footer with one is added", count);
}

/* An email with the sources, as a part of the broadcast would be; without a sender when that is not
   good. The caller frees it. */
static struct store_email *
check_content_make_email(const struct broadcast_check_content *checking,
    const struct broadcast_source *source, GError **error)
{
	static const char *to[] = {BROADCAST_CHECK_TO, NULL};
	const struct email_submission submission = {.purpose = EMAIL_PURPOSE_BROADCAST,
	    .from = checking->content->from,
	    .to = to,
	    .reply_to = checking->content->reply_to,
	    .subject = "-",
	    .text = "-",
	    .tags = checking->content->tags};
	AUTO(email_draft)
	draft = checking->can_compose
		    ? email_draft_new(checking->service, checking->workspace, &submission, error)
		    : NULL;

	if (checking->can_compose && !draft)
		return NULL;
	struct store_email *email = draft ? g_steal_pointer(&draft->email) : store_email_new();
	g_clear_pointer(&email->variables, g_free);
	broadcast_source_put(source, email);
	email->type = EMAIL_BROADCAST;
	email->utm = checking->content->utm ? link_utm_read(checking->content->utm) : NULL;
	return email;
}

/* Adds the links of the html, each once, but not the one to unsubscribe. */
static void
collect_links(const struct html *html, const char *unsubscribe_url, GPtrArray *urls)
{
	AUTO(html_links) links = html_links_find(html);

	for (guint i = 0; i < links->links->len && urls->len < LIMIT_BROADCAST_LINKS; i++) {
		const char *url = g_array_index(links->links, struct html_link, i).destination;

		if (g_strcmp0(url, unsubscribe_url) != 0 &&
		    !g_ptr_array_find_with_equal_func(urls, url, g_str_equal, NULL))
			g_ptr_array_add(urls, g_strdup(url));
	}
}

/* Looks at the html as one person gets it. */
static void
look_at_html(const struct broadcast_check_content *checking, const struct store_email *email,
    const struct content *content, const char *unsubscribe_url, GPtrArray *urls)
{
	gsize size;
	const char *source = g_bytes_get_data(content->html, &size);
	g_autoptr(GBytes) sent =
	    link_tracking_rewrite(checking->service, email, 0, content->html, content->links);

	if (!source)
		return;
	AUTO(html) html = html_parse(source, size);
	guint bare = html_images_without_alt(source, size);
	if (bare > 0)
		check_content_warn(checking, "image_alt", "images have no alt text", bare);
	collect_links(html, unsubscribe_url, urls);
	checking->report->size = MAX(checking->report->size, g_bytes_get_size(sent));
}

/* Asks the spam filter about the message, which gets its attachments. */
static bool
look_at_message(
    const struct broadcast_check_content *checking, struct store_email *email, GError **error)
{
	struct email_spam spam;
	struct broadcast_report *report = checking->report;

	if (!checking->can_compose || !email_spam_is_set(checking->service->settings))
		return true;
	g_autoptr(GPtrArray) attachments = broadcast_attachments_read(
	    checking->service, checking->workspace, checking->content, error);
	if (!attachments)
		return false;
	broadcast_attachments_add(attachments, email);
	g_autoptr(GBytes) message = email_compose(checking->service, email, 0, NULL, error);
	if (!message)
		return false;
	email_spam_ask(checking->service->settings, message, &spam);
	if (spam.text)
		check_content_warn(checking, "spam", spam.text, 1);
	if (spam.is_known && (!report->has_score || spam.score > report->score))
		report->score = spam.score;
	report->has_score |= spam.is_known;
	g_free(spam.text);
	return true;
}

/* Whether a failure is about the contents, which is then reported. */
static bool
check_content_is_told(
    const struct broadcast_check_content *checking, GError *failure, GError **error)
{
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) &&
	    !g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE)) {
		g_propagate_error(error, failure);
		return false;
	}
	broadcast_report_add(checking->report, LEVEL_OF_ERROR, "content", failure->message, 1);
	g_error_free(failure);
	return true;
}

/* Looks at a variant as the first person of the sample gets it, or somebody without values. */
static bool
look_at_variant(const struct broadcast_check_content *checking,
    const struct broadcast_source *source, GPtrArray *urls, GError **error)
{
	struct service *service = checking->service;
	struct content content = {0};
	GError *failure = NULL;
	AUTO(store_email) email = check_content_make_email(checking, source, error);

	if (!email)
		return false;
	g_autofree char *url = link_tracking_unsubscribe_url(service, email, 0);
	if (!delivery_part_fill(checking->properties,
		checking->people->len > 0 ? checking->people->pdata[0] : NULL, email, &failure) ||
	    !content_read(email, url, content_derived_of(service), &content, &failure))
		return check_content_is_told(checking, failure, error);
	if (content.html)
		look_at_html(checking, email, &content, url, urls);
	if (checking->people->len == 0 && url && broadcast_source_unsubscribes(source) &&
	    content_footer_is_needed(&content, url))
		warn_of_footer(checking, 1);
	content_clear(&content);
	return look_at_message(checking, email, error);
}

static bool
ask_links(const struct broadcast_check_content *checking, const GPtrArray *urls, GError **error)
{
	g_autoptr(GPtrArray) faults =
	    link_check(checking->service, checking->workspace, urls, error);

	for (guint i = 0; faults && i < faults->len; i++) {
		const char *url = urls->pdata[i], *why = faults->pdata[i];
		g_autofree char *text =
		    why ? g_strdup_printf("%s could not be fetched: %s", url, why) : NULL;

		if (text)
			check_content_warn(checking, "links", text, 1);
	}
	return faults != NULL;
}

/* The things that people of the sample lack: in one variant, or the most in any. */
struct lacks {
	GHashTable *names; /* of variables → how many people lack them */
	guint links;	   /* how many people see no link to unsubscribe */
	gint64 until;	   /* processor time, after which contents are not filled */
};

static void
check_content_add_name(const char *name, void *names)
{
	if (*name && strcmp(name, UNSUBSCRIBE) != 0 && !g_hash_table_contains(names, name))
		g_hash_table_insert(names, g_strdup(name), NULL);
}

static void
check_content_add_names(GBytes *bytes, GHashTable *names)
{
	gsize size;
	const char *source = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	if (source)
		template_variables(source, size, check_content_add_name, names);
}

/* Notes which of the names have no value in a filled email. */
static bool
note_lacks(const struct store_email *email, GHashTable *names, GError **error)
{
	AUTO(content_variables) variables = content_variables_parse(email->variables, error);
	struct content_variables_values own = {variables, NULL};
	const struct template_values values = content_variables_values(&own);
	struct template_measures measures = {.found = NULL};
	GHashTableIter iterator;
	void *name, *count;

	if (!variables)
		return false;
	g_hash_table_iter_init(&iterator, names);
	while (g_hash_table_iter_next(&iterator, &name, &count)) {
		struct template_value value = template_value_find(&values, name, &measures);
		const char *text = template_value_text(&value);

		if (value.kind == VALUE_NONE || (value.kind == VALUE_TEXT && !(text && *text)))
			g_hash_table_iter_replace(
			    &iterator, GUINT_TO_POINTER(GPOINTER_TO_UINT(count) + 1));
	}
	template_measures_clear(&measures);
	return true;
}

/* Notes whether a person sees no link to unsubscribe in a filled email. */
static void
check_content_note_link(const struct broadcast_check_content *checking,
    const struct store_email *email, struct lacks *lacks)
{
	struct service *service = checking->service;
	g_autofree char *url = link_tracking_unsubscribe_url(service, email, 0);
	struct content content;

	if (!url || base_clock_thread_ns() > lacks->until ||
	    !content_read(email, url, content_derived_of(service), &content, NULL))
		return;
	lacks->links += content_footer_is_needed(&content, url);
	content_clear(&content);
}

/* Notes who of the sample lacks variables of a variant, and its link. A person whose contents
   cannot be filled is left out. */
static bool
look_at_people(const struct broadcast_check_content *checking,
    const struct broadcast_source *source, struct lacks *lacks, GError **error)
{
	AUTO(store_email) email = store_email_new();
	bool is_linked = broadcast_source_unsubscribes(source);

	broadcast_source_put(source, email);
	email->type = EMAIL_BROADCAST;
	for (guint i = 0; i < checking->people->len; i++) {
		AUTO(store_email) own = store_email_share(email);

		if (!delivery_part_fill(
			checking->properties, checking->people->pdata[i], own, NULL))
			continue;
		if (!note_lacks(own, lacks->names, error))
			return false;
		if (is_linked)
			check_content_note_link(checking, own, lacks);
	}
	return true;
}

/* Notes how many people of the sample lack each variable of a variant, and its link. Takes over the
   greater numbers into most. */
static bool
count_lacks(const struct broadcast_check_content *checking, const struct broadcast_source *source,
    struct lacks *most, GError **error)
{
	g_autoptr(GHashTable) own = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct lacks lacks = {own, 0, most->until};
	GHashTableIter iterator;
	void *name, *count;

	if (source->subject)
		template_variables(
		    source->subject, strlen(source->subject), check_content_add_name, own);
	check_content_add_names(source->html, own);
	check_content_add_names(source->text, own);
	if (!look_at_people(checking, source, &lacks, error))
		return false;
	most->links = MAX(most->links, lacks.links);
	g_hash_table_iter_init(&iterator, own);
	while (g_hash_table_iter_next(&iterator, &name, &count))
		if (GPOINTER_TO_UINT(count) >
		    GPOINTER_TO_UINT(g_hash_table_lookup(most->names, name)))
			g_hash_table_insert(most->names, g_strdup(name), count);
	return true;
}

static int
check_content_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Warns of each variable that nobody has, where there are no people to look at. */
static bool
warn_unknown(const struct broadcast_check_content *checking, GError **error)
{
	g_autoptr(GPtrArray) sentences =
	    broadcast_unknown_in(checking->service, checking->workspace, checking->sources, error);

	for (guint i = 0; sentences && i < sentences->len; i++)
		check_content_warn(checking, "fallback", sentences->pdata[i], 0);
	return sentences != NULL;
}

/* Warns of a link, and of each variable, that people lack. */
static bool
check_lacks(const struct broadcast_check_content *checking, GError **error)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct lacks lacks = {names, 0, base_clock_thread_ns() + LIMIT_BROADCAST_SAMPLE_NS};
	guint count;

	for (guint i = 0; i < checking->sources->len; i++)
		if (!count_lacks(checking, checking->sources->pdata[i], &lacks, error))
			return false;
	if (lacks.links > 0)
		warn_of_footer(checking, lacks.links);
	if (checking->people->len == 0)
		return warn_unknown(checking, error);
	g_autofree char **sorted = (char **)g_hash_table_get_keys_as_array(names, &count);
	base_array_sort(sorted, count, sizeof(*sorted), check_content_by_name);
	for (guint i = 0; i < count; i++) {
		g_autofree char *text = g_strdup_printf("{{%s}} has no value", sorted[i]);

		check_content_warn(checking, "fallback", text,
		    GPOINTER_TO_UINT(g_hash_table_lookup(names, sorted[i])));
	}
	return true;
}

/* Warns of contents that are too large for some who get them. */
static void
check_content_check_size(const struct broadcast_check_content *checking)
{
	gsize html = checking->report->size;
	gsize whole = html + broadcast_attachments_sent_size(checking->content);

	if (html > LIMIT_BROADCAST_SIZE_BYTES)
		check_content_warn(checking, "size",
		    "html is over 102 KB as sent; Gmail cuts off the rest", (gint64)html);
	if (whole > LIMIT_BROADCAST_MESSAGE_BYTES)
		check_content_warn(checking, "size",
		    "html and attachments are over 10,240,000 bytes as sent; many servers refuse "
		    "that",
		    (gint64)whole);
}

bool
broadcast_check_contents(const struct broadcast_check_content *checking, GError **error)
{
	g_autoptr(GPtrArray) urls = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < checking->sources->len; i++)
		if (!look_at_variant(checking, checking->sources->pdata[i], urls, error))
			return false;
	if (checking->wish->links && !ask_links(checking, urls, error))
		return false;
	check_content_check_size(checking);
	return check_lacks(checking, error);
}
