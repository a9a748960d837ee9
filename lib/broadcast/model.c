/* SPDX-License-Identifier: MIT */
/* Makes the emails whose copies the parts of a broadcast are. */
#include "broadcast/model.h"

#include "base/error.h"
#include "broadcast/source.h"
#include "core/content.h"
#include "core/core.h"
#include "core/draft.h"
#include "core/submission.h"
#include "core/tracking.h"
#include "store/email.h"

/* Gives a draft the sources in place of its contents, so that both are filled for each person. */
static bool
set_source(struct core *core, struct core_draft *draft, const struct broadcast_source *source,
    GError **error)
{
	struct store_email *email = draft->email;
	g_autofree char *url = core_tracking_unsubscribe_url(core, &email->id, 0);

	broadcast_source_put(source, email);
	email->type = EMAIL_BROADCAST;
	return core_content_check(email, url, error);
}

struct core_draft *
broadcast_model_draft(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, const char **to, GError **error)
{
	const struct broadcast_variant variant = broadcast_variant(content, number);
	const struct core_submission submission = {.from = content->from,
	    .to = to,
	    .reply_to = content->reply_to,
	    .subject = variant.subject,
	    .html = variant.html,
	    .text = variant.text,
	    .template_id = variant.template_id,
	    .tags = content->tags,
	    .topic_id = content->topic_id,
	    .marketing = true};
	AUTO(broadcast_source)
	source = broadcast_source_read(core, workspace, content, number, error);

	if (!source || !broadcast_source_is_whole(source, error))
		return NULL;
	if (!broadcast_source_unsubscribes(source)) {
		base_invalid(error, BROADCAST_UNSUBSCRIBES);
		return NULL;
	}
	AUTO(core_draft) draft = core_draft_new(core, workspace, &submission, error);
	if (!draft)
		return NULL;
	return set_source(core, draft, source, error) ? g_steal_pointer(&draft) : NULL;
}

struct store_email *
broadcast_model_new(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, GError **error)
{
	static const char *to[] = {"delivered@test.posthouse.invalid", NULL};
	AUTO(core_draft)
	draft = broadcast_model_draft(core, workspace, content, number, to, error);

	if (!draft)
		return NULL;
	g_free(draft->email->to);
	draft->email->to = g_strdup("");
	g_ptr_array_set_size(draft->email->recipients, 0);
	return g_steal_pointer(&draft->email);
}
