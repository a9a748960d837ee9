/* SPDX-License-Identifier: MIT */
/* Makes of a submission an email that is ready to be stored. */
#include "email/draft.h"

#include "base/error.h"
#include "base/limits/email.h"
#include "config/settings.h"
#include "content/template_fill.h"
#include "email/draft_cache.h"
#include "email/draft_content.h"
#include "email/figures.h"
#include "email/prefetch.h"
#include "email/raw.h"
#include "email/schedule.h"
#include "email/submission.h"
#include "email/test_address.h"
#include "json/value.h"
#include "link/tracking.h"
#include "mail/address.h"
#include "mail/raw.h"
#include "mail/steering.h"
#include "person/suppress.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/email/email.h"
#include "store/workspace/workspace.h"

/* The keys of the only recipient, to be looked up with the domain. NULL when there are several, or
   several hashes of the recipient. */
static struct person_suppress_keys *
only_recipient(struct service *service, const struct store_email *email)
{
	const char *address = store_email_address(email, 0);

	if (email->recipients->len != 1)
		return NULL;
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &address, 1);
	return person_suppress_key(keys, 0)->count == 1 ? g_steal_pointer(&keys) : NULL;
}

/* Whether the choices of recipients are looked at now. Those of a mailing that waits for the spool
   are when it leaves (delivery/message.h). */
static bool
choices_count_now(const struct email_draft *draft)
{
	return draft->is_sent_now && store_email_is_mailing(draft->email) &&
	       !draft->email->scheduled_at;
}

/* The domain, where it and the only recipient were looked up ahead; else NULL. */
static const struct store_domain *
known_domain(const struct email_submission *s, const struct store_email *email,
    const struct mail_address *from)
{
	return email->recipients->len == 1 && !store_email_is_mailing(email)
		   ? email_prefetch_domain(s->prefetch, &email->workspace_id,
			 mail_address_domain(from), store_email_address(email, 0))
		   : NULL;
}

/* Takes what the sending domain decides about the email's way and links, and whether the stream is
   paused or has a pace. */
static void
draft_take_domain(struct store_email *email, const struct store_domain *domain)
{
	enum store_stream stream = store_email_stream(email);

	email->relays = g_strdup(domain->relays[stream]);
	email->is_limited = domain->stream_limits >> stream & 1;
	email->return_path = g_strdup(domain->return_path);
	email->tracking_host = domain->tracking_used ? g_strdup(domain->tracking_host) : NULL;
	email->tls_enforced = domain->tls_enforced;
}

/* Looks up the domain, unless it is known, with the only recipient (NULL: not now). */
static bool
draft_set_domain(struct service *service, struct email_draft *draft,
    const struct email_submission *submission, const struct mail_address *from,
    const struct store_domain *known, const struct person_suppress_keys *only, GError **error)
{
	struct store_email *email = draft->email;
	const char *name = mail_address_domain(from);
	struct store_domain_recipients recipient = {
	    .keys = only ? person_suppress_key(only, 0) : NULL,
	    .count = 1,
	    .mailing = choices_count_now(draft)};
	const struct store_domain *domain = known;

	if (!known && !email_draft_cache_domain(submission->cache, service, &email->workspace_id,
			  name, only ? &recipient : NULL, &domain, error))
		return false;
	if (submission->only_domain &&
	    (!domain || !base_id_equal(&domain->id, submission->only_domain)))
		return base_fail(error, PH_ERROR_FORBIDDEN, EMAIL_DRAFT_OTHER_DOMAIN "%s", name);
	if (!domain || !store_domain_verified(domain)) {
		g_set_error(error, PH_ERROR, PH_ERROR_FORBIDDEN, "Domain %s is not %s", name,
		    domain ? "verified" : "registered");
		return false;
	}
	email->domain_id = domain->id;
	email->domain = g_strdup(domain->name);
	draft_take_domain(email, domain);
	email->ruled = store_email_is_mailing(email) ? domain->ruled : 0;
	draft->quota = domain->quota;
	draft->suppressed[0] = recipient.suppressed;
	draft->snoozed[0] = recipient.snoozed;
	if (!submission->raw && email->domain &&
	    (submission->reply_tracking ? json_boolean(submission->reply_tracking)
					: domain->reply_tracking))
		email->tracking |= TRACK_REPLIES;
	/* A text alone has no place for a pixel or a hidden link. */
	if (!email_purposes[draft->purpose].untracked && store_email_body(email, PART_HTML) &&
	    link_tracking_base(service->settings))
		email->tracking |= (domain->open_tracking ? TRACK_OPENS : 0) |
				   (domain->click_tracking ? TRACK_CLICKS : 0);
	return true;
}

/* Refuses a recipient in a domain for tests that has no such test. */
static bool
check_tests(const struct email_draft *draft, GError **error)
{
	static const char *const fields[] = {
	    [RECIPIENT_TO] = "to", [RECIPIENT_CC] = "cc", [RECIPIENT_BCC] = "bcc"};
	const GPtrArray *recipients = draft->email->recipients;

	for (guint i = 0; i < recipients->len; i++) {
		const struct store_email_recipient *recipient = recipients->pdata[i];

		if (email_test_address(recipient->address,
			email_purposes[draft->purpose].compat_tests) == TEST_ADDRESS_UNKNOWN)
			return base_invalid(error, "Invalid `%s` field. %s is no test address.",
			    fields[recipient->kind], recipient->address);
	}
	return true;
}

/* Checks the number of recipients, which the message itself may name. */
static bool
draft_check_count(const struct store_email *email, GError **error)
{
	if (email->recipients->len == 0)
		return base_invalid(error, "the message has no recipient");
	return email->recipients->len <= LIMIT_RECIPIENTS ||
	       base_invalid(error, "the message has more than %d recipients", LIMIT_RECIPIENTS);
}

/* Adds html and text, which are only shown, and the message, which is sent. */
static bool
draft_add_message(struct store_email *email, const struct email_raw_message *message,
    const struct mail_address *from, bool takes_steering, GError **error)
{
	g_autofree char *html = NULL, *text = NULL;
	g_autoptr(GBytes) given = email_raw_complete(message, email, from, error);

	if (!given)
		return false;
	g_autoptr(GBytes) whole = mail_steering_remove(given, NULL, takes_steering);
	mail_raw_bodies(message->raw, &html, &text);
	if (html)
		email_draft_add_given(email, PART_HTML, html);
	email_draft_add_given(email, PART_TEXT, text ? text : "");
	store_email_add_part(email, PART_MESSAGE, whole, NULL, NULL, NULL);
	return true;
}

/* Fills in a message that another program has composed. It has no variables, and is not tracked.
   Sets matched_r as fill does. */
static bool
fill_raw(struct service *service, struct email_draft *draft, const struct email_submission *s,
    bool *matched_r, GError **error)
{
	struct store_email *email = draft->email;
	AUTO(person_suppress_keys) only = NULL;
	AUTO(mail_address) from = NULL;

	if (!email_submission_read_addresses(s, email, &from, error) ||
	    !draft_check_count(email, error) || !email_schedule_check(s->scheduled_at, error) ||
	    !email_submission_tags(s->tags, &email->tags, error))
		return false;
	if (s->scheduled_at > email->created)
		email->scheduled_at = s->scheduled_at;
	if (!email->to)
		email->to = g_strdup("");
	email->subject = g_strdup(s->subject);
	only = only_recipient(service, email);
	*matched_r = only != NULL;
	return draft_set_domain(service, draft, s, from, NULL, only, error) &&
	       draft_add_message(email, s->raw, from,
		   relay_takes_steering(service->settings, email->relays), error);
}

static bool
remove_steering(struct store_email *email, const struct email_submission *s, GError **error)
{
	if (!s->left_out)
		return email_submission_steers_nothing(s->headers, error);
	g_clear_pointer(&email->headers, g_free);
	return email_submission_headers(s, false, &email->headers, error);
}

/* *matched_r: the suppressions of the recipients are known. */
static bool
draft_fill(struct service *service, struct email_draft *draft, const struct email_submission *s,
    bool *matched_r, GError **error)
{
	struct store_email *email = draft->email;
	AUTO(person_suppress_keys) only = NULL;
	AUTO(mail_address) from = NULL;

	if (!email_draft_check_content(s, error) ||
	    !email_submission_read_addresses(s, email, &from, error) || !check_tests(draft, error))
		return false;
	g_autoptr(GPtrArray) contents =
	    email_submission_decode_attachments(s, s->cache->in_batch, error);
	if (!contents || !email_draft_set_campaign(service, email, s, error) ||
	    !email_draft_set_content(service, email, s, error))
		return false;
	if (s->scheduled_at > email->created)
		email->scheduled_at = s->scheduled_at;
	const struct store_domain *known = known_domain(s, email, from);
	if (!known && !s->cache->in_batch && !email->has_topic &&
	    !g_hash_table_contains(s->cache->domains, mail_address_domain(from)))
		only = only_recipient(service, email);
	if (!draft_set_domain(service, draft, s, from, known, only, error))
		return false;
	/* Only the domain tells which relays its mail goes to. */
	if (email->headers && relay_any_takes_steering(service->settings) &&
	    !relay_takes_steering(service->settings, email->relays) &&
	    !remove_steering(email, s, error))
		return false;
	email_draft_derive_text(service, email, s);
	if (!email_submission_add_attachments(service, s, contents, email, error))
		return false;
	/* Fetching attachments takes a while, in which the list may change. */
	*matched_r = (known || only) && contents->len == 0;
	return true;
}

static struct store_outbox_entry *
draft_add_entry(struct email_draft *draft)
{
	struct store_outbox_entry *entry = &draft->entries[draft->count++];

	entry->id = base_id_new();
	entry->workspace_id = draft->email->workspace_id;
	entry->email_id = draft->email->id;
	entry->since = draft->due;
	return entry;
}

/* Makes an entry for each message: one for the usual recipients and one for those who are tests, or
   one for each. */
static void
set_entries(struct email_draft *draft)
{
	const struct store_email *email = draft->email;
	guint recipients = email->recipients->len;
	struct store_outbox_entry *entries[2] = {NULL, NULL};

	draft->due = email->scheduled_at ? email->scheduled_at : email->created;
	draft->entries =
	    g_new0(struct store_outbox_entry, email->tracking ? recipients : G_N_ELEMENTS(entries));
	for (guint i = 0; i < recipients; i++) {
		enum email_test_address test = email_test_address(
		    store_email_address(email, i), email_purposes[draft->purpose].compat_tests);
		bool is_test = test != TEST_ADDRESS_NONE;

		if (test == TEST_ADDRESS_SUPPRESSED)
			draft->suppressed[i] = true;
		/* The model of a broadcast, and its tests, go to nobody's subscription. */
		if (draft->purpose == EMAIL_PURPOSE_BROADCAST)
			draft->snoozed[i] = 0;
		if (draft->suppressed[i] || draft->snoozed[i])
			continue;
		if (!entries[is_test] || email->tracking)
			entries[is_test] = draft_add_entry(draft);
		entries[is_test]->is_test = is_test;
		entries[is_test]->recipients[entries[is_test]->count++] = (guint16)i;
	}
}

/* Looks up the recipients of those drafts whose choices count now, or of the others. */
static bool
draft_match(struct service *service, struct email_draft *const *drafts, guint count, bool mailing,
    GError **error)
{
	g_autoptr(GPtrArray) addresses = g_ptr_array_new(), places = g_ptr_array_new(),
			     ends = g_ptr_array_new(), topics = g_ptr_array_new();

	for (guint d = 0; d < count; d++) {
		const struct store_email *email = drafts[d]->email;

		if (choices_count_now(drafts[d]) != mailing)
			continue;
		for (guint i = 0; i < email->recipients->len; i++) {
			g_ptr_array_add(topics, email->has_topic ? (void *)&email->topic_id : NULL);
			g_ptr_array_add(addresses, (char *)store_email_address(email, i));
			g_ptr_array_add(places, &drafts[d]->suppressed[i]);
			g_ptr_array_add(ends, &drafts[d]->snoozed[i]);
		}
	}
	g_autofree bool *found = g_new0(bool, addresses->len);
	g_autofree gint64 *snoozed = g_new0(gint64, addresses->len);
	if (!person_suppress_match(service, &drafts[0]->email->workspace_id,
		&(struct person_suppress_search){(const char *const *)addresses->pdata,
		    addresses->len, mailing,
		    mailing ? (const struct base_id *const *)topics->pdata : NULL},
		found, mailing ? snoozed : NULL, error))
		return false;
	for (guint i = 0; i < places->len; i++) {
		*(bool *)places->pdata[i] = found[i];
		*(gint64 *)ends->pdata[i] = snoozed[i];
	}
	return true;
}

bool
email_draft_settle(
    struct service *service, struct email_draft *const *drafts, guint count, GError **error)
{
	if (count > 0 && (!draft_match(service, drafts, count, false, error) ||
			     !draft_match(service, drafts, count, true, error)))
		return false;
	for (guint i = 0; i < count; i++)
		set_entries(drafts[i]);
	return true;
}

/* Fills the published template of a submission into it. The caller keeps the result while it needs
   the submission. */
static struct content_template_email *
draft_take_template(struct service *service, const struct base_id *workspace,
    struct email_submission *s, GError **error)
{
	AUTO(content_template_email)
	filled = content_template_fill(service, workspace, s->published, s->variables,
	    email_purposes[s->purpose].type == EMAIL_AUTOMATION, error);

	if (!filled)
		return NULL;
	if (!s->from)
		s->from = filled->from ? filled->from : s->default_from;
	if (!s->from) {
		base_invalid(error, "from is required");
		return NULL;
	}
	if (!s->subject)
		s->subject = filled->subject;
	if (!s->reply_to && filled->reply_to[0])
		s->reply_to = (const char **)(void *)filled->reply_to;
	s->html = filled->html;
	s->text = filled->text;
	s->variables = NULL;
	return g_steal_pointer(&filled);
}

static void
draft_set_purpose(struct email_draft *draft, enum email_purpose purpose)
{
	draft->purpose = purpose;
	draft->email->type = email_purposes[purpose].type;
	draft->email->tracking = email_purposes[purpose].tracking;
}

struct email_draft *
email_draft_new(struct service *service, const struct base_id *workspace,
    const struct email_submission *submission, GError **error)
{
	AUTO(email_draft) draft = g_new0(struct email_draft, 1);
	AUTO(email_draft_cache) own = submission->cache ? NULL : email_draft_cache_new(false);
	AUTO(content_template_email) filled = NULL;
	struct email_submission cached = *submission;

	if (own)
		cached.cache = own;
	if (submission->published &&
	    !(filled = draft_take_template(service, workspace, &cached, error)))
		return NULL;
	draft->email = store_email_new();
	draft->email->workspace_id = *workspace;
	draft_set_purpose(draft, submission->purpose);
	if (!store_stream_read(submission->stream, &draft->email->stream, error))
		return NULL;
	draft->is_sent_now = draft->email->type == EMAIL_AUTOMATION ||
			     (!cached.cache->in_batch && config_settings_choice(service->settings,
							     SETTING_SERVICE_MODE) == MODE_SYNC);
	draft->email->template_id = filled ? g_strdup(filled->id) : NULL;
	bool matched;
	if (!(submission->raw ? fill_raw : draft_fill)(service, draft, &cached, &matched, error))
		return NULL;
	if (matched)
		set_entries(draft);
	else if (!cached.cache->in_batch && !email_draft_settle(service, &draft, 1, error))
		return NULL;
	return email_figures_set_tags(service, draft->email, error) ? g_steal_pointer(&draft)
								    : NULL;
}

struct email_draft *
email_draft_service(struct service *service, const struct email_submission *s,
    const struct store_domain *domain, GError **error)
{
	AUTO(email_draft) draft = g_new0(struct email_draft, 1);
	struct store_email *email = store_email_new();
	AUTO(mail_address) from = NULL;

	draft->email = email;
	email->workspace_id = store_workspace_system;
	draft_set_purpose(draft, s->purpose);
	if (!email_draft_check_content(s, error) ||
	    !email_submission_read_addresses(s, email, &from, error))
		return NULL;
	email_draft_copy_subject(email, s->subject);
	email_draft_add_given(email, PART_HTML, s->html);
	email_draft_add_given(email, PART_TEXT, s->text);
	if (domain)
		email->domain_id = domain->id;
	email->domain = g_strdup(domain ? domain->name : mail_address_domain(from));
	if (domain)
		draft_take_domain(email, domain);
	set_entries(draft);
	return g_steal_pointer(&draft);
}

void
email_draft_free(struct email_draft *draft)
{
	g_clear_pointer(&draft->email, store_email_free);
	g_free(draft->entries);
	g_free(draft);
}
