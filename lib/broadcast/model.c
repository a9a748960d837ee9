/* SPDX-License-Identifier: MIT */
/* Makes the emails whose copies the parts of a broadcast are. */
#include "broadcast/model.h"

#include "base/error.h"
#include "broadcast/source.h"
#include "content/content.h"
#include "email/draft.h"
#include "email/submission.h"
#include "link/tracking.h"
#include "service/service.h"
#include "store/email/email.h"

/* Gives a draft the sources in place of its contents, so that both are filled for each person. */
static bool
set_source(struct service *service, struct email_draft *draft,
    const struct broadcast_source *source, GError **error)
{
	struct store_email *email = draft->email;
	g_autofree char *url = link_tracking_unsubscribe_url(service, email, 0);

	broadcast_source_put(source, email);
	email->type = EMAIL_BROADCAST;
	return content_check(email, url, error);
}

struct email_draft *
broadcast_model_draft(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, const char **to, GError **error)
{
	const struct broadcast_variant variant = broadcast_variant(content, number);
	const struct email_submission submission = {.purpose = EMAIL_PURPOSE_BROADCAST,
	    .from = content->from,
	    .to = to,
	    .reply_to = content->reply_to,
	    .subject = variant.subject,
	    .html = variant.html,
	    .text = variant.text,
	    .template_id = variant.template_id,
	    .tags = content->tags,
	    .topic_id = content->topic_id};
	AUTO(broadcast_source)
	source = broadcast_source_read(service, workspace, content, number, error);

	if (!source || !broadcast_source_is_whole(source, error))
		return NULL;
	if (!broadcast_source_unsubscribes(source)) {
		base_invalid(error, BROADCAST_UNSUBSCRIBES);
		return NULL;
	}
	AUTO(email_draft) draft = email_draft_new(service, workspace, &submission, error);
	if (!draft)
		return NULL;
	return set_source(service, draft, source, error) ? g_steal_pointer(&draft) : NULL;
}

struct store_email *
broadcast_model_new(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, GError **error)
{
	static const char *to[] = {"delivered@test.posthouse.invalid", NULL};
	AUTO(email_draft)
	draft = broadcast_model_draft(service, workspace, content, number, to, error);

	if (!draft)
		return NULL;
	g_free(draft->email->to);
	draft->email->to = g_strdup("");
	g_ptr_array_set_size(draft->email->recipients, 0);
	return g_steal_pointer(&draft->email);
}
