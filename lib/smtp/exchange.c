/* SPDX-License-Identifier: MIT */
/* Goes through one connection with libesmtp, event by event. */
#include "smtp/exchange.h"

#include <errno.h>

#include "smtp/failure.h"
#include "smtp/transfer.h"

#define QUIT_TIMEOUT_S 2

static struct smtp_transfer *
current(const struct smtp_exchange *exchange)
{
	return exchange->at < exchange->transfers->len
		   ? g_ptr_array_index(exchange->transfers, exchange->at)
		   : NULL;
}

/* All is passed on but the final dot: may that go? */
static void
end_data(struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	if (!smtp_transfer_is_whole(transfer)) {
		transfer->hold = TRANSFER_CHANGED;
		exchange->reopen = true;
	} else if (smtp_wire_gone(exchange->wire)) {
		/* It can answer no dot any more, but it may have said why. */
		transfer->hold = TRANSFER_GONE;
		smtp_wire_mute(exchange->wire);
		return;
	} else if (!smtp_gate_pass(exchange->gate)) {
		transfer->hold = TRANSFER_STOPPED;
	} else {
		transfer->dot = smtp_queue_ask_dot(exchange->queue, transfer->message);
		exchange->wire->limit_us = exchange->relay->dot_timeout_s * G_USEC_PER_SEC;
		if (transfer->dot)
			return;
		transfer->hold = TRANSFER_STOPPED;
		exchange->ended = true;
		smtp_gate_passed(exchange->gate);
	}
	smtp_wire_shut(exchange->wire);
}

/* libesmtp's way to read a message: a rewind without size_r, then the bytes, then none, perhaps
   more than once. An errno that is left, by whomever, is an error to it. */
static const char *
on_read(void **unused, int *size_r, void *arg)
{
	struct smtp_exchange *exchange = arg;
	struct smtp_transfer *transfer = current(exchange);
	const char *bytes = NULL;
	gsize size = 0;

	if (!size_r) {
		errno = 0;
		return NULL;
	}
	if (transfer->given == 0) {
		bytes = g_bytes_get_data(transfer->content, &size);
		transfer->given = size;
	} else if (!transfer->ended) {
		transfer->ended = true;
		end_data(exchange, transfer);
	}
	*size_r = (int)size;
	errno = 0;
	return bytes;
}

/* libesmtp looks for the next message when one is done with, so each is added just before: a
   message whose content is not to be had then costs the session nothing. */
static bool
add_next(struct smtp_exchange *exchange)
{
	struct smtp_message *message = NULL;
	g_autoptr(GBytes) content = NULL;

	while (!message && !exchange->ended && !smtp_queue_is_empty(exchange->queue) &&
	       !smtp_gate_is_shut(exchange->gate))
		message = smtp_queue_take(exchange->queue, &content);
	if (!message)
		return false;
	struct smtp_transfer *transfer =
	    smtp_transfer_new(exchange->esmtp, message, content, exchange->relay);
	smtp_set_messagecb(transfer->esmtp, on_read, exchange);
	g_ptr_array_add(exchange->transfers, transfer);
	return true;
}

/* What is still open in this message is nothing that it should pay for. A relay that took messages
   and then answers MAIL by 421 or not at all has had its fill of this session. */
static bool
is_ours(struct smtp_exchange *exchange, const struct smtp_transfer *transfer)
{
	const smtp_status_t *mail = smtp_reverse_path_status(transfer->esmtp);

	if (!transfer->mail_answered)
		return exchange->had || exchange->dialogue->step != DIALOGUE_MAIL ||
		       smtp_gate_is_shut(exchange->gate);
	if (mail->code / 100 != 2)
		return exchange->unwanted || (exchange->had && mail->code == 421);
	return transfer->hold == TRANSFER_STOPPED || smtp_gate_is_shut(exchange->gate);
}

/* The current message is over. */
static void
conclude(struct smtp_exchange *exchange)
{
	struct smtp_transfer *transfer = current(exchange);
	bool is_tried = smtp_transfer_judge(transfer, is_ours(exchange, transfer));

	g_clear_pointer(&transfer->content, g_bytes_unref);
	smtp_gate_passed(exchange->gate);
	exchange->wire->limit_us = exchange->relay->timeout_s * G_USEC_PER_SEC;
	exchange->at++;
	if (is_tried)
		smtp_queue_tell_done(exchange->queue, transfer->message);
}

/* After the last message there is only QUIT, whose reply matters to nobody. */
static void
add_next_or_quit(struct smtp_exchange *exchange)
{
	if (!add_next(exchange))
		exchange->wire->limit_us =
		    MIN(exchange->relay->timeout_s, QUIT_TIMEOUT_S) * G_USEC_PER_SEC;
}

static void
mail_answered(struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	int code = smtp_reverse_path_status(transfer->esmtp)->code;

	transfer->mail_answered = true;
	exchange->unwanted = !exchange->had && (code == 530 || code == 535 || code == 538);
	exchange->ended = exchange->ended || exchange->unwanted || code == 421;
	if (code / 100 != 2) {
		conclude(exchange);
		exchange->had = exchange->had || !exchange->unwanted;
		add_next_or_quit(exchange);
	}
	exchange->had = exchange->had || !exchange->unwanted;
}

static void
rcpt_answered(
    struct smtp_exchange *exchange, struct smtp_transfer *transfer, smtp_recipient_t recipient)
{
	int code = smtp_recipient_status(recipient)->code;

	transfer->answered++;
	transfer->accepted += code / 100 == 2;
	exchange->ended = exchange->ended || code == 421;
	/* DATA follows all the same and is refused, and then libesmtp looks for the next message
	   before it tells. */
	if (transfer->answered == transfer->shown && transfer->accepted == 0)
		transfer->followed = add_next(exchange);
}

static void
data_answered(struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	int code = smtp_message_transfer_status(transfer->esmtp)->code;
	bool dot = transfer->dot, followed = transfer->followed;

	transfer->replied = true;
	exchange->ended = exchange->ended || code == 421 || transfer->hold == TRANSFER_GONE ||
			  (code / 100 != 2 && code / 100 != 4 && code / 100 != 5);
	conclude(exchange);
	if (dot)
		add_next_or_quit(exchange);
	else if (!followed)
		exchange->reopen = true;
}

/* libesmtp asks whether to put up with a certificate; where that matters the handshake has
   checked it, name included. */
static void
certificate_doubted(const struct smtp_exchange *exchange, int event, va_list args)
{
	if (event == SMTP_EV_INVALID_PEER_CERTIFICATE)
		(void)va_arg(args, long);
	*va_arg(args, int *) =
	    event == SMTP_EV_WRONG_PEER_CERTIFICATE || !smtp_relay_must_prove(exchange->relay);
}

static void
on_event(smtp_session_t esmtp, int event, void *arg, ...)
{
	struct smtp_exchange *exchange = arg;
	struct smtp_transfer *transfer = current(exchange);
	va_list args;

	smtp_wire_progress(exchange->wire);
	va_start(args, arg);
	switch (event) {
	case SMTP_EV_CONNECT:
		smtp_dialogue_reset(exchange->dialogue);
		exchange->dialogue->step = DIALOGUE_GREETING;
		break;
	case SMTP_EV_STARTTLS_OK:
		exchange->dialogue->secured = true;
		break;
	case SMTP_EV_INVALID_PEER_CERTIFICATE:
	case SMTP_EV_WRONG_PEER_CERTIFICATE:
	case SMTP_EV_NO_PEER_CERTIFICATE:
		certificate_doubted(exchange, event, args);
		break;
	case SMTP_EV_MAILSTATUS:
		mail_answered(exchange, transfer);
		break;
	case SMTP_EV_RCPTSTATUS:
		(void)va_arg(args, const char *);
		rcpt_answered(exchange, transfer, va_arg(args, smtp_recipient_t));
		break;
	case SMTP_EV_MESSAGEDATA:
		(void)va_arg(args, smtp_message_t);
		transfer->passed += (gsize)va_arg(args, int);
		break;
	case SMTP_EV_MESSAGESENT:
		data_answered(exchange, transfer);
		break;
	case SMTP_EV_DISCONNECT:
		exchange->wire->fd = -1;
		break;
	}
	va_end(args);
}

/* Sees all that is said but the messages themselves. bytes are libesmtp's buffer. */
static void
on_bytes(const char *bytes, int size, int writing, void *arg)
{
	struct smtp_exchange *exchange = arg;

	if (size <= 0)
		return;
	if (writing == SMTP_CB_WRITING) {
		if (!smtp_dialogue_sends(exchange->dialogue, bytes, (gsize)size))
			smtp_wire_shut(exchange->wire);
		return;
	}
	smtp_dialogue_receives(exchange->dialogue, (char *)bytes, (gsize)size);
	if (bytes[size - 1] == '\n' && !exchange->dialogue->continued)
		smtp_wire_progress(exchange->wire);
	else
		smtp_wire_check(exchange->wire);
}

static void
fail(struct smtp_exchange *exchange, GError **error)
{
	struct smtp_transfer *first = g_ptr_array_index(exchange->transfers, 0);
	const smtp_status_t *mail = smtp_reverse_path_status(first->esmtp);

	if (exchange->unwanted)
		smtp_failure_unwanted(exchange->relay, mail->code, mail->text, error);
	else
		smtp_failure_set(
		    exchange->relay, exchange->dialogue, exchange->wire, smtp_errno(), error);
}

void
smtp_exchange_init(struct smtp_exchange *exchange)
{
	exchange->transfers = g_ptr_array_new_with_free_func((GDestroyNotify)smtp_transfer_free);
}

void
smtp_exchange_clear(struct smtp_exchange *exchange)
{
	g_ptr_array_unref(exchange->transfers);
}

bool
smtp_exchange_run(struct smtp_exchange *exchange, SSL_CTX *tls, GError **error)
{
	auth_context_t auth = auth_create_context();
	bool had = true;

	exchange->esmtp = smtp_esmtp_new(exchange->relay, exchange->dialogue, tls, auth);
	smtp_set_eventcb(exchange->esmtp, on_event, exchange);
	smtp_set_monitorcb(exchange->esmtp, on_bytes, exchange, 0);
	exchange->wire->limit_us = exchange->relay->timeout_s * G_USEC_PER_SEC;
	exchange->reopen = false;
	exchange->dialogue->hides_pipelining = smtp_queue_has_many(exchange->queue);
	if (add_next(exchange)) {
		/* What it returns says nothing about what was sent. */
		smtp_start_session(exchange->esmtp);
		while (current(exchange))
			conclude(exchange);
		had = exchange->dialogue->step == DIALOGUE_MAIL && !exchange->unwanted;
		if (!had)
			fail(exchange, error);
	}
	g_ptr_array_set_size(exchange->transfers, 0);
	exchange->at = 0;
	smtp_destroy_session(exchange->esmtp);
	auth_destroy_context(auth);
	return had;
}
