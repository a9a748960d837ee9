/* SPDX-License-Identifier: MIT */
/* A copy of a message, made ready for the relay. */
#include "core/message.h"

#include "base/apart.h"
#include "base/error.h"
#include "base/fault.h"
#include "base/limits.h"
#include "core/compose.h"
#include "core/core.h"
#include "core/return_path.h"
#include "core/suppress.h"
#include "store/email.h"

static void
set_recipients(struct core_message *parcel)
{
	struct store_outbox_entry *copy = &parcel->copy;
	struct smtp_message *message = &parcel->message;

	message->recipients = g_new0(struct smtp_recipient, MAX(copy->count, 1));
	for (guint i = 0; i < copy->count; i++) {
		guint number = copy->recipients[i];
		const char *address = store_email_address(parcel->email, number);

		/* Whoever was erased gets nothing, and nothing is told of it. */
		if (!address)
			continue;
		copy->recipients[message->count] = (guint16)number;
		message->recipients[message->count++].address = address;
	}
	copy->count = message->count;
}

/* What comes back of a message to one recipient can only be of that one. */
static void
set_sender(const struct core *core, struct core_message *parcel)
{
	const struct store_outbox_entry *copy = &parcel->copy;
	guint recipient = copy->count == 1 ? copy->recipients[0] : RETURN_PATH_SHARED;
	const struct core_return_path own = {parcel->email->id, recipient};

	g_free(parcel->return_path);
	parcel->return_path = core_return_path(core, parcel->email, recipient);
	core_return_path_envid(core, &own, parcel->envid);
	parcel->message.sender = parcel->return_path;
	parcel->message.envid = parcel->envid;
}

struct core_message *
core_message_new(
    struct core *core, const struct store_outbox_entry *copy, struct store_email *email)
{
	struct core_message *parcel = g_new0(struct core_message, 1);

	parcel->copy = *copy;
	parcel->message.context = parcel;
	parcel->email = email;
	if (!email) {
		g_set_error(&parcel->fault, PH_ERROR, PH_ERROR_NOT_FOUND, "The email is gone");
		return parcel;
	}
	set_recipients(parcel);
	if (!parcel->email->domain) {
		g_set_error(&parcel->fault, PH_ERROR, PH_ERROR_NOT_FOUND,
		    "The sending domain is not registered any more");
		return parcel;
	}
	set_sender(core, parcel);
	return parcel;
}

void
core_message_free(struct core_message *parcel)
{
	for (guint i = 0; i < parcel->message.count; i++)
		g_free(parcel->message.recipients[i].text);
	g_free(parcel->message.recipients);
	g_free(parcel->return_path);
	g_clear_pointer(&parcel->email, store_email_free);
	g_clear_pointer(&parcel->content, g_bytes_unref);
	g_clear_error(&parcel->fault);
	g_free(parcel->suppressed);
	g_free(parcel);
}

/* The email of a copy whose batch has read it for another copy, or not at all. */
static struct store_email *
read_alone(struct core *core, const struct store_outbox_entry *copy, GError **error)
{
	return store_email_get(core->db, &copy->workspace_id, &copy->email_id, 0, error);
}

static void
add(struct core *core, const struct store_outbox_entry *copy, struct store_email *email,
    GError *fault, GPtrArray *parcels)
{
	struct core_message *parcel = core_message_new(core, copy, email);

	if (fault) {
		g_clear_error(&parcel->fault);
		parcel->fault = fault;
	}
	g_ptr_array_add(parcels, parcel);
}

void
core_message_read(
    struct core *core, const struct store_outbox_entry *copies, guint count, GPtrArray *parcels)
{
	struct base_id workspaces[STORE_EMAIL_BATCH], ids[STORE_EMAIL_BATCH];
	struct store_email *emails[STORE_EMAIL_BATCH];

	for (guint done = 0; done < count;) {
		guint batch = MIN(count - done, STORE_EMAIL_BATCH);
		g_autoptr(GError) fault = NULL;

		for (guint i = 0; i < batch; i++) {
			workspaces[i] = copies[done + i].workspace_id;
			ids[i] = copies[done + i].email_id;
		}
		bool read = store_email_get_batch(core->db, workspaces, ids, batch, emails, &fault);
		for (guint i = 0; i < batch; i++) {
			GError *own_fault = read ? NULL : g_error_copy(fault);

			if (read && !emails[i])
				emails[i] = read_alone(core, &copies[done + i], &own_fault);
			add(core, &copies[done + i], read ? emails[i] : NULL, own_fault, parcels);
		}
		done += batch;
	}
}

/* Takes those out of a parcel that are marked, in the order of its recipients. */
static void
take_out(const struct core *core, struct core_message *parcel, const bool *marked)
{
	struct store_outbox_entry *copy = &parcel->copy;
	guint count = copy->count;

	parcel->suppressed = g_new(guint16, count);
	copy->count = 0;
	for (guint i = 0; i < count; i++) {
		if (marked[i]) {
			parcel->suppressed[parcel->suppressed_count++] = copy->recipients[i];
			continue;
		}
		copy->recipients[copy->count] = copy->recipients[i];
		parcel->message.recipients[copy->count++].address =
		    parcel->message.recipients[i].address;
	}
	parcel->message.count = copy->count;
	if (parcel->return_path && copy->count < count)
		set_sender(core, parcel);
}

/* The parcels of one workspace that stand side by side, and are mailings or are not. */
struct run {
	struct core_message **parcels;
	guint count;
};

static struct run
run_from(GPtrArray *parcels, guint place)
{
	struct run run = {(struct core_message **)parcels->pdata + place, 0};
	const struct store_email *first = run.parcels[0]->email;

	for (; place + run.count < parcels->len; run.count++) {
		const struct store_email *email = run.parcels[run.count]->email;

		if (run.count > 0 &&
		    (!first || !email ||
			store_email_is_mailing(email) != store_email_is_mailing(first) ||
			!base_id_equal(&email->workspace_id, &first->workspace_id)))
			break;
	}
	return run;
}

static void
suppress_run(struct core *core, const struct run *run)
{
	const struct store_email *email = run->parcels[0]->email;
	g_autoptr(GPtrArray) addresses = g_ptr_array_new();
	g_autoptr(GError) fault = NULL;

	if (!email)
		return;
	for (guint p = 0; p < run->count; p++)
		for (guint i = 0; i < run->parcels[p]->message.count; i++)
			g_ptr_array_add(
			    addresses, (char *)run->parcels[p]->message.recipients[i].address);
	g_autofree bool *suppressed = g_new0(bool, addresses->len);
	bool known =
	    core_suppress_match(core, &email->workspace_id, (const char *const *)addresses->pdata,
		addresses->len, store_email_is_mailing(email), suppressed, &fault);
	const bool *marked = suppressed;
	for (guint p = 0; p < run->count; p++) {
		struct core_message *parcel = run->parcels[p];
		guint count = parcel->message.count;

		if (known)
			take_out(core, parcel, marked);
		else if (!parcel->fault)
			parcel->fault = g_error_copy(fault);
		marked += count;
	}
}

void
core_message_suppress(struct core *core, GPtrArray *parcels)
{
	for (guint place = 0; place < parcels->len;) {
		struct run run = run_from(parcels, place);

		suppress_run(core, &run);
		place += run.count;
	}
}

GBytes *
core_message_compose(struct core *core, const struct core_message *parcel, GError **error)
{
	FAULT_AT("compose", parcel->email->subject);
	if (!store_email_read_contents(core->db, parcel->email, error))
		return NULL;
	bool own = parcel->email->tracking && parcel->copy.count == 1;
	guint recipient = own ? parcel->copy.recipients[0] : COMPOSE_SHARED;
	GBytes *content = core_compose(core, parcel->email, recipient, error);
	store_email_forget_contents(parcel->email);
	return content;
}

/* What is composed apart. */
struct apart_copy {
	const struct core *core; /* the parent's */
	const struct store_outbox_entry *copy;
	void (*tick)(void *context);
	void *context;
};

/* In the child, which has no connection yet. */
static GBytes *
compose_alone(void *context, GError **error)
{
	const struct apart_copy *alone = context;
	struct core *core = core_open(alone->core->settings);
	g_autoptr(GPtrArray) parcels = g_ptr_array_new();

	if (!core_ensure(core, error))
		return NULL;
	core_message_read(core, alone->copy, 1, parcels);
	struct core_message *parcel = parcels->pdata[0];
	if (!parcel->fault)
		return core_message_compose(core, parcel, error);
	g_propagate_error(error, g_steal_pointer(&parcel->fault));
	return NULL;
}

static void
tick_on(void *context)
{
	const struct apart_copy *alone = context;

	alone->tick(alone->context);
}

GBytes *
core_message_compose_apart(struct core *core, const struct core_message *parcel,
    void (*tick)(void *context), void *context, GError **error)
{
	struct apart_copy alone = {core, &parcel->copy, tick, context};
	const struct base_apart apart = {
	    .what = "The message could not be composed",
	    .work = compose_alone,
	    .tick = tick_on,
	    .context = &alone,
	    APART_LIMITS,
	};

	return base_apart(&apart, error);
}
