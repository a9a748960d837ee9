/* SPDX-License-Identifier: MIT */
/* The caller's side of a session: its messages in order, and its callbacks. What the caller does in
   these is not the session's: connect and poll are given back meanwhile, and no error of it is left
   in OpenSSL's queue, where the next one of libesmtp's calls would find it. */
#ifndef SMTP_QUEUE_H
#define SMTP_QUEUE_H

#include <glib.h>
#include <stdbool.h>

#include "smtp/callbacks.h"
#include "smtp/connect.h"
#include "smtp/message.h"

struct smtp_queue {
	const struct smtp_callbacks *callbacks;
	void *context;
	struct smtp_wire *wire;
	struct smtp_message *messages;
	guint count, next;
};

/* The next message, if it can be sent, and its content, which the caller owns; NULL if it cannot,
   and then it is done with. */
struct smtp_message *smtp_queue_take(struct smtp_queue *queue, GBytes **content_r);

bool smtp_queue_is_empty(const struct smtp_queue *queue);

/* One of its messages, sent ones included, has more than one recipient. */
bool smtp_queue_has_many(const struct smtp_queue *queue);

bool smtp_queue_ask_dot(const struct smtp_queue *queue, struct smtp_message *message);
void smtp_queue_tell_done(const struct smtp_queue *queue, struct smtp_message *message);

#endif
