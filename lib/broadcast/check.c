/* SPDX-License-Identifier: MIT */
/* Checks sender, subject, contents and recipients of a broadcast, and the variables of people. */
#include "broadcast/check.h"

#include "base/error.h"
#include "base/id.h"
#include "broadcast/audience_count.h"
#include "broadcast/check_content.h"
#include "broadcast/content.h"
#include "broadcast/draft_check.h"
#include "broadcast/model.h"
#include "broadcast/report.h"
#include "broadcast/source.h"
#include "email/draft.h"
#include "email/submission.h"
#include "segment/turn.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/person/people.h"
#include "store/person/property.h"

/* Adds a fault of the broadcast. False for any other error, which is passed on. */
static bool
add_fault(struct broadcast_report *report, const char *code, GError *failure, GError **error)
{
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) &&
	    !g_error_matches(failure, PH_ERROR, PH_ERROR_TOO_LARGE) &&
	    !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND) &&
	    !g_error_matches(failure, PH_ERROR, PH_ERROR_FORBIDDEN)) {
		g_propagate_error(error, failure);
		return false;
	}
	broadcast_report_add(report, LEVEL_OF_ERROR, code, failure->message, 1);
	g_error_free(failure);
	return true;
}

/* Checks that an email with these addresses could be sent. */
static bool
broadcast_check_check_sender(struct broadcast_check_content *checking, GError **error)
{
	const struct broadcast_content *content = checking->content;
	struct broadcast_report *report = checking->report;
	static const char *to[] = {BROADCAST_CHECK_TO, NULL};
	const struct email_submission submission = {.from = content->from,
	    .to = to,
	    .reply_to = content->reply_to,
	    .subject = "-",
	    .text = "-"};
	GError *failure = NULL;

	if (!content->from) {
		broadcast_report_add(report, LEVEL_OF_ERROR, "sender", "from is required", 1);
		return true;
	}
	AUTO(email_draft)
	draft = email_draft_new(checking->service, checking->workspace, &submission, &failure);
	checking->can_compose = draft;
	return draft || add_fault(report, "sender", failure, error);
}

/* Checks a variant before it is filled. *source_r is NULL when it has no contents; the caller frees
   it. */
static bool
check_source(const struct broadcast_check_content *checking, guint number,
    struct broadcast_source **source_r, GError **error)
{
	struct broadcast_report *report = checking->report;
	GError *failure = NULL;
	AUTO(broadcast_source)
	source = broadcast_source_read(
	    checking->service, checking->workspace, checking->content, number, &failure);

	*source_r = NULL;
	if (!source)
		return add_fault(report, "content", failure, error);
	if (!source->subject || !*source->subject)
		broadcast_report_add(report, LEVEL_OF_ERROR, "subject", "subject is required", 1);
	if (!source->html && !source->text) {
		broadcast_report_add(report, LEVEL_OF_ERROR, "content",
		    "html or text is required when template_id is absent", 1);
		return true;
	}
	if (!broadcast_source_unsubscribes(source))
		broadcast_report_add(
		    report, LEVEL_OF_ERROR, "unsubscribe_link", BROADCAST_UNSUBSCRIBES, 1);
	*source_r = g_steal_pointer(&source);
	return true;
}

static bool
count_people(const struct broadcast_check_content *checking, GArray *sample, GError **error)
{
	const struct broadcast_wish *wish = checking->wish;
	AUTO(segment_turn)
	turn =
	    wish->in_turn ? segment_turn_take(checking->service, checking->workspace, error) : NULL;
	const struct broadcast_audience_count count = {
	    checking->content, turn ? segment_turn_deadline(turn) : 0, (guint)wish->sample, sample};

	return (turn || !wish->in_turn) &&
	       broadcast_audience_count_count(checking->service, checking->workspace, &count,
		   &checking->report->recipients, error);
}

/* Counts who would get it, and reads the first of them: array of struct store_person. */
static bool
check_find_people(const struct broadcast_check_content *checking, GPtrArray *people, GError **error)
{
	const struct broadcast_content *content = checking->content;
	struct broadcast_report *report = checking->report;
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	GError *failure = NULL;

	if (!broadcast_check_lists(checking->service, checking->workspace, content, &failure) &&
	    !add_fault(report, "recipients", failure, error))
		return false;
	if (!count_people(checking, ids, error))
		return false;
	for (guint i = 0; i < ids->len; i += STORE_PEOPLE_MOST) {
		g_autoptr(GPtrArray) some = store_people_of(checking->service->db,
		    checking->workspace, &g_array_index(ids, struct base_id, i),
		    MIN(ids->len - i, STORE_PEOPLE_MOST), error);

		if (!some)
			return false;
		g_ptr_array_extend_and_steal(people, g_steal_pointer(&some));
	}
	if (report->recipients == 0)
		broadcast_report_add(report, LEVEL_OF_ERROR, "recipients",
		    content->audiences || content->segments ? "nobody would get it"
							    : "audiences or segments are required",
		    0);
	if (report->recipients < 0)
		broadcast_report_add(report, LEVEL_OF_WARNING, "recipients",
		    "counting who would get it takes too long", 1);
	return true;
}

#define ENOUGH 100 /* people of a variant, below which chance decides more than the variant */

/* Warns of a test whose variants go to too few people. */
static void
check_test(const struct broadcast_content *content, struct broadcast_report *report)
{
	guint variants = broadcast_variant_count(content);
	guint64 each = report->recipients * (guint64)content->test_share / 100 / MAX(variants, 1);

	if (variants < 2 || content->test_share >= 100 || report->recipients == 0 || each >= ENOUGH)
		return;
	g_autofree char *text =
	    g_strdup_printf("test_share is too small to decide: about %" G_GUINT64_FORMAT
			    " people get each variant, and it takes %d",
		MAX(each, 1), ENOUGH);
	broadcast_report_add(report, LEVEL_OF_WARNING, "test_share", text, (gint64)variants);
}

/* Makes the variants as sending does, so that faults are found which are not looked for above. */
static bool
check_models(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, struct broadcast_report *report, GError **error)
{
	static const char *to[] = {BROADCAST_CHECK_TO, NULL};

	for (guint i = 0; i < broadcast_variant_count(content); i++) {
		GError *failure = NULL;
		AUTO(email_draft)
		draft = broadcast_model_draft(service, workspace, content, i, to, &failure);

		if (draft)
			continue;
		if (!add_fault(report,
			g_str_has_prefix(failure->message, "subject") ? "subject" : "content",
			failure, error))
			return false;
	}
	return true;
}

/* Finds all errors, then the warnings about what could be filled. */
static bool
check_check(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, const struct broadcast_wish *wish,
    struct broadcast_report *report, GError **error)
{
	g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(broadcast_source_destroy);
	g_autoptr(GPtrArray) people = g_ptr_array_new_with_free_func(broadcast_check_free_person);
	struct broadcast_check_content checking = {.service = service,
	    .workspace = workspace,
	    .content = content,
	    .wish = wish,
	    .report = report};

	if (!broadcast_check_check_sender(&checking, error))
		return false;
	for (guint i = 0; i < broadcast_variant_count(content); i++) {
		struct broadcast_source *source;

		if (!check_source(&checking, i, &source, error))
			return false;
		if (source)
			g_ptr_array_add(sources, source);
	}
	if (report->ok && !check_models(service, workspace, content, report, error))
		return false;
	if (!check_find_people(&checking, people, error))
		return false;
	check_test(content, report);
	g_autoptr(GPtrArray) properties = store_property_list(service->db, workspace, error);
	checking.sources = sources;
	checking.people = people;
	checking.properties = properties;
	return properties && broadcast_check_contents(&checking, error);
}

bool
broadcast_check(struct service *service, const struct base_id *workspace, const struct base_id *id,
    const struct broadcast_wish *wish, struct broadcast_report *report_r, GError **error)
{
	AUTO(store_broadcast) broadcast = store_broadcast_get(service->db, workspace, id, error);
	struct broadcast_content content = {0};

	broadcast_report_begin(report_r);
	if (!broadcast)
		return false;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	bool done = document && check_check(service, workspace, &content, wish, report_r, error);
	broadcast_clear(&content);
	return done;
}
