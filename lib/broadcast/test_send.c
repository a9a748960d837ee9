/* SPDX-License-Identifier: MIT */
/* Makes an email of a broadcast that goes to testers, and sends it. */
#include "broadcast/test_send.h"

#include "base/error.h"
#include "base/limits/broadcast.h"
#include "broadcast/attachments.h"
#include "broadcast/content.h"
#include "broadcast/model.h"
#include "delivery/part.h"
#include "email/draft.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/email/email.h"
#include "store/person/people.h"
#include "store/person/property.h"
#include "submit/submit.h"

#define MARK "[Test] "

/* Marks the filled email as a test. */
static void
test_send_mark(struct store_email *email)
{
	char *subject = g_strconcat(MARK, email->subject, NULL);

	g_free(email->subject);
	email->subject = subject;
	email->tracking |= TRACK_TEST;
	g_clear_pointer(&email->counted_tags, g_bytes_unref);
	email->counted_tags =
	    g_bytes_new_static(STORE_FIGURE_UNCOUNTED, sizeof(STORE_FIGURE_UNCOUNTED));
}

/* The person with this email. INVALID when there is none. */
static struct store_person *
test_send_find_person(
    struct service *service, const struct base_id *workspace, const char *email, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autofree char *address = person_contact_address(email, NULL);
	struct store_person *person =
	    address ? store_people_get(service->db, workspace, address, &failure) : NULL;

	if (!person && (!failure || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)))
		base_invalid(error, "Person not found");
	else if (!person)
		g_propagate_error(error, g_steal_pointer(&failure));
	return person;
}

/* Fills the values of the person with this email into the test; NULL: nobody's. */
static bool
test_send_fill(struct service *service, struct store_email *test, const char *email, GError **error)
{
	const struct base_id *workspace = &test->workspace_id;
	AUTO(store_person) person =
	    email ? test_send_find_person(service, workspace, email, error) : NULL;
	g_autoptr(GPtrArray) properties =
	    person || !email ? store_property_list(service->db, workspace, error) : NULL;

	return properties && delivery_part_fill(properties, person, test, error);
}

static bool
send_content(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, const struct broadcast_test_send *trial,
    GError **error)
{
	guint count = broadcast_variant_count(content);

	if (!content->from)
		return base_invalid(error, "from is required");
	if (trial->variant < 0 || trial->variant >= count)
		return base_invalid(error, "variant must be between 0 and %u", count - 1);
	AUTO(email_draft)
	draft = broadcast_model_draft(
	    service, workspace, content, (guint)trial->variant, trial->to, error);
	if (!draft)
		return false;
	if (draft->email->recipients->len > LIMIT_BROADCAST_TESTERS)
		return base_invalid(
		    error, "to must have at most %d addresses", LIMIT_BROADCAST_TESTERS);
	g_autoptr(GPtrArray) attachments =
	    broadcast_attachments_read(service, workspace, content, error);
	if (!attachments || !test_send_fill(service, draft->email, trial->person, error))
		return false;
	broadcast_attachments_add(attachments, draft->email);
	test_send_mark(draft->email);
	return submit_send_draft(service, g_steal_pointer(&draft), error);
}

bool
broadcast_test_send_send(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct broadcast_test_send *trial, GError **error)
{
	struct broadcast_content content = {0};
	AUTO(store_broadcast) broadcast = store_broadcast_get(service->db, workspace, id, error);

	if (!broadcast)
		return false;
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	bool done = document && send_content(service, workspace, &content, trial, error);
	broadcast_clear(&content);
	return done;
}
