/* SPDX-License-Identifier: MIT */
/* Takes messages from the caller and tells it of them. */
#include "smtp/queue.h"

#include <openssl/err.h>

#include "smtp/transfer.h"

static void
step_out(void)
{
	smtp_wire_leave();
}

static void
step_in(const struct smtp_queue *queue)
{
	smtp_wire_enter(queue->wire);
	ERR_clear_error();
}

struct smtp_message *
smtp_queue_take(struct smtp_queue *queue, GBytes **content_r)
{
	struct smtp_message *message = &queue->messages[queue->next++];

	if (message->count == 0)
		return NULL;
	if (smtp_transfer_screen(message) == 0) {
		smtp_queue_tell_done(queue, message);
		return NULL;
	}
	step_out();
	g_autoptr(GBytes) content = queue->callbacks->content(message, queue->context);
	step_in(queue);
	if (!content) {
		smtp_message_clear(message);
		return NULL;
	}
	if (!smtp_transfer_accepts(message, content)) {
		smtp_queue_tell_done(queue, message);
		return NULL;
	}
	*content_r = g_steal_pointer(&content);
	return message;
}

bool
smtp_queue_is_empty(const struct smtp_queue *queue)
{
	return queue->next >= queue->count;
}

bool
smtp_queue_has_many(const struct smtp_queue *queue)
{
	for (guint i = 0; i < queue->count; i++)
		if (queue->messages[i].count > 1)
			return true;
	return false;
}

bool
smtp_queue_ask_dot(const struct smtp_queue *queue, struct smtp_message *message)
{
	step_out();
	bool dot = queue->callbacks->before_dot(message, queue->context);
	step_in(queue);
	return dot;
}

void
smtp_queue_tell_done(const struct smtp_queue *queue, struct smtp_message *message)
{
	step_out();
	queue->callbacks->done(message, queue->context);
	step_in(queue);
}
