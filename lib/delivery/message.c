/* SPDX-License-Identifier: MIT */
/* Makes messages of claimed outbox entries, and composes them. */
#include "delivery/message.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault.h"
#include "email/compose.h"
#include "link/return_path.h"
#include "mail/address.h"
#include "person/suppress.h"
#include "process/isolate.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/email/email.h"
#include "store/workspace/workspace.h"

static void
set_recipients(struct delivery_message *message)
{
	struct store_outbox_entry *entry = &message->entry;
	struct smtp_message *smtp = &message->smtp;

	smtp->recipients = g_new0(struct smtp_recipient, MAX(entry->count, 1));
	for (guint i = 0; i < entry->count; i++) {
		guint number = entry->recipients[i];
		const char *address = store_email_address(message->email, number);

		/* A recipient that was erased gets nothing, and no event. */
		if (!address)
			continue;
		entry->recipients[smtp->count] = (guint16)number;
		smtp->recipients[smtp->count++].address = address;
	}
	entry->count = smtp->count;
}

/* Sets return path and envelope id. Those of a message to one recipient name that recipient. */
static void
message_set_sender(const struct service *service, struct delivery_message *message)
{
	const struct store_outbox_entry *entry = &message->entry;
	guint recipient = entry->count == 1 ? entry->recipients[0] : RETURN_PATH_SHARED;
	const struct link_return_path own = {message->email->id, recipient};

	g_free(message->return_path);
	message->return_path = link_return_path(service, message->email, recipient);
	link_return_path_envid(service, &own, message->envid);
	message->smtp.sender = message->return_path;
	message->smtp.is_raw = store_email_is_raw(message->email);
	message->smtp.envid = message->envid;
}

/* Mail of the service itself leaves, though the domain that sent it is gone. */
static void
take_domain_of_sender(struct store_email *email)
{
	AUTO(mail_address) from = mail_address_parse(email->sender, NULL);

	if (!from || !store_workspace_is_system(&email->workspace_id))
		return;
	email->domain = g_strdup(mail_address_domain(from));
	memset(&email->domain_id, 0, sizeof(email->domain_id));
}

struct delivery_message *
delivery_message_new(
    struct service *service, const struct store_outbox_entry *entry, struct store_email *email)
{
	struct delivery_message *message = g_new0(struct delivery_message, 1);

	message->entry = *entry;
	message->relay = RELAY_NONE;
	message->source.index = -1;
	message->smtp.context = message;
	message->email = email;
	if (!email) {
		g_set_error(&message->fault, PH_ERROR, PH_ERROR_NOT_FOUND, "The email is gone");
		return message;
	}
	set_recipients(message);
	if (!email->domain)
		take_domain_of_sender(email);
	if (!email->domain) {
		g_set_error(&message->fault, PH_ERROR, PH_ERROR_NOT_FOUND,
		    "The sending domain is not registered any more");
		return message;
	}
	message_set_sender(service, message);
	return message;
}

void
delivery_message_free(struct delivery_message *message)
{
	for (guint i = 0; i < message->smtp.count; i++)
		g_free(message->smtp.recipients[i].text);
	g_free(message->smtp.recipients);
	g_free(message->return_path);
	g_clear_pointer(&message->email, store_email_free);
	g_clear_pointer(&message->content, g_bytes_unref);
	g_clear_pointer(&message->seven_bit, g_bytes_unref);
	g_clear_error(&message->fault);
	g_free(message->suppressed);
	g_free(message->snoozed);
	g_free(message->held);
	g_clear_pointer(&message->back, g_array_unref);
	g_free(message);
}

/* Reads the email of an entry alone: the batch had it for another entry, or lacked it. */
static struct store_email *
read_alone(struct service *service, const struct store_outbox_entry *entry, GError **error)
{
	return store_email_get(service->db, &entry->workspace_id, &entry->email_id, 0, error);
}

static const struct delivery_part *
message_find_part(const GPtrArray *parts, const struct store_outbox_entry *entry)
{
	for (guint i = parts->len; i > 0; i--)
		if (delivery_part_has(parts->pdata[i - 1], entry))
			return parts->pdata[i - 1];
	return NULL;
}

/* The entries to read, and the parts of broadcasts that were found so far. */
struct reading {
	struct service *service;
	const struct store_outbox_entry *entries;
	guint count;
	GPtrArray *messages, *parts;
};

/* Adds the message of an entry. Takes email and fault. */
static void
message_add(const struct reading *reading, const struct store_outbox_entry *entry,
    struct store_email *email, GError *fault)
{
	struct service *service = reading->service;
	struct delivery_part_recipient recipient = {.is_set = false};

	if (email && store_email_is_part(email)) {
		struct delivery_part *part =
		    delivery_part_read(service, email, reading->entries, reading->count, &fault);

		email = NULL;
		if (part)
			g_ptr_array_add(reading->parts, part);
	}
	const struct delivery_part *part =
	    email || fault ? NULL : message_find_part(reading->parts, entry);
	if (part)
		email = delivery_part_email(part, entry, &recipient, &fault);
	struct delivery_message *message = delivery_message_new(service, entry, email);
	message->broadcast = recipient;
	if (fault) {
		g_clear_error(&message->fault);
		message->fault = fault;
	}
	g_ptr_array_add(reading->messages, message);
}

static bool
message_is_among(const struct base_id *ids, guint count, const struct base_id *id)
{
	for (guint i = 0; i < count; i++)
		if (base_id_equal(&ids[i], id))
			return true;
	return false;
}

void
delivery_message_read(struct service *service, const struct store_outbox_entry *entries,
    guint count, GPtrArray *messages)
{
	struct base_id workspaces[STORE_EMAIL_BATCH], ids[STORE_EMAIL_BATCH];
	struct store_email *emails[STORE_EMAIL_BATCH];
	g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(delivery_part_destroy);
	const struct reading reading = {service, entries, count, messages, parts};

	for (guint done = 0; done < count;) {
		guint batch = MIN(count - done, STORE_EMAIL_BATCH), wanted = 0;
		bool wants[STORE_EMAIL_BATCH];
		g_autoptr(GError) fault = NULL;

		for (guint i = 0; i < batch; i++) {
			const struct store_outbox_entry *entry = &entries[done + i];

			wants[i] = !message_is_among(ids, wanted, &entry->email_id) &&
				   !message_find_part(parts, entry);
			if (!wants[i])
				continue;
			workspaces[wanted] = entry->workspace_id;
			ids[wanted++] = entry->email_id;
		}
		bool read =
		    store_email_get_batch(service->db, workspaces, ids, wanted, emails, &fault);
		for (guint i = 0, at = 0; i < batch; i++) {
			const struct store_outbox_entry *entry = &entries[done + i];
			struct store_email *email = wants[i] && read ? emails[at++] : NULL;
			GError *own_fault = read ? NULL : g_error_copy(fault);

			if (read && !email && !message_find_part(parts, entry))
				email = read_alone(service, entry, &own_fault);
			message_add(&reading, entry, email, own_fault);
		}
		done += batch;
	}
}

void
delivery_message_take_out(
    const struct service *service, struct delivery_message *message, const bool *marked)
{
	struct store_outbox_entry *entry = &message->entry;
	guint count = entry->count;

	entry->count = 0;
	for (guint i = 0; i < count; i++) {
		if (marked[i])
			continue;
		entry->recipients[entry->count] = entry->recipients[i];
		message->smtp.recipients[entry->count++].address =
		    message->smtp.recipients[i].address;
	}
	message->smtp.count = entry->count;
	if (message->return_path && entry->count < count)
		message_set_sender(service, message);
}

/* Removes the marked recipients, and those who have snoozed, from a message; both are in the order
   of its recipients. snoozed NULL: nobody has. */
static void
message_suppress(const struct service *service, struct delivery_message *message,
    const bool *marked, const gint64 *snoozed)
{
	guint count = message->entry.count;
	g_autofree bool *leaving = g_new0(bool, count);

	message->suppressed = g_renew(guint16, message->suppressed, count);
	message->snoozed = g_renew(gint64, message->snoozed, count);
	message->suppressed_count = 0;
	for (guint i = 0; i < count; i++) {
		leaving[i] = marked[i] || (snoozed && snoozed[i]);
		if (!leaving[i])
			continue;
		message->snoozed[message->suppressed_count] = marked[i] ? 0 : snoozed[i];
		message->suppressed[message->suppressed_count++] = message->entry.recipients[i];
	}
	delivery_message_take_out(service, message, leaving);
}

void
delivery_message_hold(
    const struct service *service, struct delivery_message *message, guint recipients)
{
	struct store_outbox_entry *entry = &message->entry;

	message->held = g_renew(guint16, message->held, message->held_count + entry->count);
	for (guint i = recipients; i < entry->count; i++)
		message->held[message->held_count++] = entry->recipients[i];
	entry->count = message->smtp.count = recipients;
	message_set_sender(service, message);
}

bool
delivery_message_lacks_source(const struct delivery_message *message, guint place)
{
	return message->source.index >= 0 && place >= message->source.granted;
}

struct relay_pace_wait
delivery_message_source_wait(const struct delivery_message *message)
{
	struct relay_pace_wait wait = {.until = message->source.until, .is_long = true};

	g_strlcpy(wait.text, message->source.text, sizeof(wait.text));
	return wait;
}

/* Whether snoozes hold it back; the people of a broadcast are read with theirs. */
static bool
message_can_be_snoozed(const struct delivery_message *message)
{
	return store_email_is_mailing(message->email) && !(message->email->tracking & TRACK_TEST) &&
	       !message->broadcast.is_set;
}

/* Neighbouring messages of one workspace that are all mailings, or all not. */
struct run {
	struct delivery_message **messages;
	guint count;
};

static struct run
run_from(GPtrArray *messages, guint place)
{
	struct run run = {(struct delivery_message **)messages->pdata + place, 0};
	const struct store_email *first = run.messages[0]->email;

	for (; place + run.count < messages->len; run.count++) {
		const struct store_email *email = run.messages[run.count]->email;

		if (run.count > 0 &&
		    (!first || !email ||
			store_email_is_mailing(email) != store_email_is_mailing(first) ||
			message_can_be_snoozed(run.messages[run.count]) !=
			    message_can_be_snoozed(run.messages[0]) ||
			!base_id_equal(&email->workspace_id, &first->workspace_id)))
			break;
	}
	return run;
}

/* Marks those who do not want the broadcast. */
static void
mark_unwanted(const struct run *run, bool *marked)
{
	for (guint p = 0; p < run->count; p++) {
		const struct delivery_message *message = run->messages[p];

		for (guint i = 0; i < message->smtp.count; i++)
			marked[i] |= message->broadcast.reason != 0;
		marked += message->smtp.count;
	}
}

static void
suppress_run(struct service *service, const struct run *run)
{
	const struct store_email *email = run->messages[0]->email;
	g_autoptr(GPtrArray) addresses = g_ptr_array_new(), topics = g_ptr_array_new();
	g_autoptr(GError) fault = NULL;

	if (!email)
		return;
	for (guint p = 0; p < run->count; p++)
		for (guint i = 0; i < run->messages[p]->smtp.count; i++) {
			const struct delivery_message *message = run->messages[p];

			g_ptr_array_add(addresses, (char *)message->smtp.recipients[i].address);
			g_ptr_array_add(topics,
			    message->email->has_topic ? (void *)&message->email->topic_id : NULL);
		}
	g_autofree bool *suppressed = g_new0(bool, addresses->len);
	g_autofree gint64 *snoozed = g_new0(gint64, addresses->len);
	bool known = person_suppress_match(service, &email->workspace_id,
	    &(struct person_suppress_search){(const char *const *)addresses->pdata, addresses->len,
		store_email_is_mailing(email), (const struct base_id *const *)topics->pdata},
	    suppressed, message_can_be_snoozed(run->messages[0]) ? snoozed : NULL, &fault);
	mark_unwanted(run, suppressed);
	const bool *marked = suppressed;
	const gint64 *ends = snoozed;
	FAULT("consent-asked");
	for (guint p = 0; p < run->count; p++) {
		struct delivery_message *message = run->messages[p];
		guint count = message->smtp.count;

		if (known)
			message_suppress(service, message, marked, ends);
		else if (!message->fault)
			message->fault = g_error_copy(fault);
		marked += count;
		ends += count;
	}
}

/* Holds or drops what was claimed before, when its broadcast was paused or cancelled meanwhile. */
static void
heed_broadcast(struct service *service, struct delivery_message *message)
{
	struct delivery_part_recipient *broadcast = &message->broadcast;

	if (!broadcast->is_set || message->fault)
		return;
	if (broadcast->status == 0 || broadcast->status == BROADCAST_CANCELLED) {
		broadcast->is_dropped = true;
		message->entry.count = message->smtp.count = 0;
	} else if (broadcast->status == BROADCAST_PAUSED && message->smtp.count > 0) {
		delivery_message_hold(service, message, 0);
		broadcast->is_paused = true;
	}
}

/* Takes out the recipients of mailings whose executions have ended. They have one recipient each,
   who is still there. */
static void
message_take_out_ended(struct service *service, const GPtrArray *asked)
{
	static const char *const reasons[] = {
	    [ENDING_GOAL] = "workflow: goal", [ENDING_EXIT] = "workflow: exit"};
	g_autoptr(GPtrArray) ids = g_ptr_array_new();
	g_autofree enum store_execution_ending *endings =
	    g_new0(enum store_execution_ending, asked->len);
	g_autoptr(GError) fault = NULL;

	for (guint i = 0; i < asked->len; i++)
		g_ptr_array_add(ids, &((struct delivery_message *)asked->pdata[i])->email->id);
	bool known = store_execution_email_endings(
	    service->db, (const struct base_id *const *)ids->pdata, ids->len, endings, &fault);
	for (guint i = 0; i < asked->len; i++) {
		struct delivery_message *message = asked->pdata[i];
		g_autofree bool *marked = g_new(bool, message->entry.count);

		if (!known)
			message->fault = g_error_copy(fault);
		if (endings[i] == ENDING_NONE)
			continue;
		for (guint r = 0; r < message->entry.count; r++)
			marked[r] = true;
		message_suppress(service, message, marked, NULL);
		message->suppressed_why = reasons[endings[i]];
	}
}

static void
message_end(struct service *service, const GPtrArray *messages)
{
	g_autoptr(GPtrArray) asked = g_ptr_array_new();

	for (guint i = 0; i < messages->len; i++) {
		struct delivery_message *message = messages->pdata[i];

		if (message->email && !message->fault && message->smtp.count > 0 &&
		    message->email->tracking & TRACK_ENDS)
			g_ptr_array_add(asked, message);
	}
	if (asked->len > 0)
		message_take_out_ended(service, asked);
}

void
delivery_message_suppress(struct service *service, GPtrArray *messages)
{
	for (guint place = 0; place < messages->len;) {
		struct run run = run_from(messages, place);

		suppress_run(service, &run);
		place += run.count;
	}
	message_end(service, messages);
	for (guint i = 0; i < messages->len; i++)
		heed_broadcast(service, messages->pdata[i]);
}

GBytes *
delivery_message_compose(struct service *service, const struct delivery_message *message,
    GBytes **seven_bit_r, bool *lacked_link_r, GError **error)
{
	*seven_bit_r = NULL;
	FAULT_AT("compose", message->email->subject);
	if (!store_email_read_contents(service->db, message->email, error))
		return NULL;
	bool own = message->email->tracking && message->entry.count == 1;
	guint recipient = own ? message->entry.recipients[0] : COMPOSE_SHARED;
	guint reader = message->entry.count == 1 ? message->entry.recipients[0] : COMPOSE_SHARED;
	GBytes *content =
	    email_compose_for(service, message->email, recipient, reader, lacked_link_r, error);
	if (content && !email_compose_7bit(service, message->email, reader, seven_bit_r, error))
		g_clear_pointer(&content, g_bytes_unref);
	/* The other messages of a part have the same. */
	if (!message->broadcast.is_set)
		store_email_forget_contents(message->email);
	return content;
}

/* The entry that a child process composes. */
struct composing {
	const struct service *service; /* the parent's */
	const struct store_outbox_entry *entry;
	void (*tick)(void *context);
	void *context;
};

/* Composes in the child process, which has no connection yet. */
static GBytes *
compose_alone(void *context, GError **error)
{
	const struct composing *alone = context;
	struct service *service = service_open(alone->service->settings);
	g_autoptr(GPtrArray) messages = g_ptr_array_new();

	if (!service_ensure(service, error) || !service_confine(service, 0, error))
		return NULL;
	delivery_message_read(service, alone->entry, 1, messages);
	struct delivery_message *message = messages->pdata[0];
	if (!message->fault) {
		GBytes *seven_bit,
		    *content = delivery_message_compose(service, message, &seven_bit, NULL, error);

		if (seven_bit)
			g_bytes_unref(content);
		return seven_bit ? seven_bit : content;
	}
	g_propagate_error(error, g_steal_pointer(&message->fault));
	return NULL;
}

static void
tick_on(void *context)
{
	const struct composing *alone = context;

	alone->tick(alone->context);
}

GBytes *
delivery_message_compose_apart(struct service *service, const struct delivery_message *message,
    void (*tick)(void *context), void *context, GError **error)
{
	struct composing alone = {service, &message->entry, tick, context};
	const struct process_isolate apart = {
	    .what = "The message could not be composed",
	    .work = compose_alone,
	    .tick = tick_on,
	    .context = &alone,
	    APART_LIMITS,
	};

	return process_isolate(&apart, error);
}

char *
delivery_message_reply(const struct smtp_recipient *reply)
{
	GString *text = g_string_new(NULL);

	if (reply->code > 0)
		g_string_append_printf(text, "%d ", reply->code);
	if (reply->enhanced[0])
		g_string_append_printf(text, "%s ", reply->enhanced);
	g_string_append(text, reply->text ? reply->text : "");
	return g_strchomp(g_string_free(text, FALSE));
}
