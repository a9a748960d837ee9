/* SPDX-License-Identifier: MIT */
/* Runs one connection with libesmtp, event by event. */
#include "smtp/exchange.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>

#include "smtp/failure.h"
#include "smtp/login.h"
#include "smtp/transfer.h"

/* The caller's callbacks run between leave_session and enter_session: connect, poll and write are
   passed on meanwhile, and errors that the callbacks leave in OpenSSL's queue are removed, since
   libesmtp's next call would find them. */
static void
exchange_leave_session(void)
{
	smtp_wire_leave();
}

static void
enter_session(const struct smtp_queue *queue)
{
	smtp_wire_enter(queue->wire);
	ERR_clear_error();
}

/* Tells the caller that a message has its outcomes. */
static void
tell_done(const struct smtp_queue *queue, struct smtp_message *message)
{
	exchange_leave_session();
	queue->callbacks->done(message, queue->context);
	enter_session(queue);
}

/* Takes the next message and its content, which the caller owns. NULL when the message cannot be
   sent now; it is then finished. */
static struct smtp_message *
next_message(struct smtp_queue *queue, GBytes **content_r)
{
	struct smtp_message *message = &queue->messages[queue->next++];

	if (message->count == 0)
		return NULL;
	if (smtp_transfer_screen(message) == 0) {
		tell_done(queue, message);
		return NULL;
	}
	exchange_leave_session();
	g_autoptr(GBytes) content = queue->callbacks->content(message, queue->context);
	enter_session(queue);
	if (!content) {
		g_clear_pointer(&message->seven_bit, g_bytes_unref);
		smtp_message_clear(message);
		return NULL;
	}
	if (!smtp_transfer_accepts(message, content) ||
	    (message->seven_bit && !smtp_transfer_accepts(message, message->seven_bit))) {
		g_clear_pointer(&message->seven_bit, g_bytes_unref);
		tell_done(queue, message);
		return NULL;
	}
	*content_r = g_steal_pointer(&content);
	return message;
}

static bool
exchange_is_empty(const struct smtp_queue *queue)
{
	return queue->next >= queue->count;
}

/* Whether a message, sent or not, has several recipients. */
static bool
has_several_recipients(const struct smtp_queue *queue)
{
	for (guint i = 0; i < queue->count; i++)
		if (queue->messages[i].count > 1)
			return true;
	return false;
}

static bool
ask_for_dot(const struct smtp_queue *queue, struct smtp_message *message)
{
	exchange_leave_session();
	bool dot = queue->callbacks->before_dot(message, queue->context);
	enter_session(queue);
	return dot;
}

#define QUIT_TIMEOUT_S 2

static struct smtp_transfer *
current(const struct smtp_exchange *exchange)
{
	return exchange->at < exchange->transfers->len
		   ? g_ptr_array_index(exchange->transfers, exchange->at)
		   : NULL;
}

/* Decides whether the final dot may go out, once libesmtp has sent all before it. */
static void
end_data(struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	if (!smtp_transfer_is_whole(transfer)) {
		transfer->hold = TRANSFER_CHANGED;
		exchange->reopen = true;
	} else if (smtp_wire_gone(exchange->wire)) {
		/* The relay cannot answer the dot any more, but it may have said why. */
		transfer->hold = TRANSFER_GONE;
		smtp_wire_mute(exchange->wire);
		return;
	} else if (!smtp_gate_pass(exchange->gate)) {
		transfer->hold = TRANSFER_STOPPED;
	} else {
		transfer->dot = ask_for_dot(exchange->queue, transfer->message);
		exchange->wire->limit_us = exchange->relay->dot_timeout_s * G_USEC_PER_SEC;
		if (transfer->dot)
			return;
		transfer->hold = TRANSFER_STOPPED;
		exchange->ended = true;
		smtp_gate_passed(exchange->gate);
	}
	smtp_wire_shut(exchange->wire);
}

/* Ends the connection in place of a message that the relay does not take; its outcome follows. */
static void
refuse_8bit(struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	transfer->hold = TRANSFER_8BIT;
	exchange->reopen = true;
	smtp_wire_shut(exchange->wire);
}

/* Gives libesmtp a message: it calls once without size_r to rewind, once for the bytes, and then,
   once or more, for the end. errno must be 0, or libesmtp takes it for an error. */
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
	if (!transfer->content) {
		refuse_8bit(exchange, transfer);
	} else if (transfer->given == 0) {
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

/* Declares an 8 bit message where the relay's last reply to EHLO offers that. */
static void
declare(const struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	g_autofree char *offer = smtp_dialogue_offer(exchange->dialogue, "8BITMIME");

	if (offer)
		smtp_transfer_declare(transfer);
}

/* Adds the next message to the libesmtp session. libesmtp searches for the next message when one is
   finished, so each is added just before that. A message without content then costs the session
   nothing. */
static bool
add_next(struct smtp_exchange *exchange)
{
	struct smtp_message *message = NULL;
	g_autoptr(GBytes) content = NULL;

	while (!message && !exchange->ended && !exchange_is_empty(exchange->queue) &&
	       !smtp_gate_is_shut(exchange->gate))
		message = next_message(exchange->queue, &content);
	if (!message)
		return false;
	struct smtp_transfer *transfer =
	    smtp_transfer_new(exchange->esmtp, message, content, exchange->relay);
	smtp_set_messagecb(transfer->esmtp, on_read, exchange);
	g_ptr_array_add(exchange->transfers, transfer);
	if (message->is_raw && exchange->dialogue->step == DIALOGUE_MAIL)
		declare(exchange, transfer);
	return true;
}

/* Whether the session was interrupted, and not since the relay has left a command without an answer
   for as long as there was time. */
static bool
exchange_is_interrupted(struct smtp_exchange *exchange)
{
	return smtp_gate_is_shut(exchange->gate) &&
	       !(smtp_gate_is_late(exchange->gate) && smtp_wire_interrupted_s(exchange->wire));
}

/* Whether missing replies are not this message's fault. A relay that accepted messages and then
   answers MAIL by 421 or not at all wants to end the session. */
static bool
exchange_is_ours(struct smtp_exchange *exchange, const struct smtp_transfer *transfer)
{
	const smtp_status_t *mail = smtp_reverse_path_status(transfer->esmtp);

	if (!transfer->mail_answered)
		return exchange->had || exchange->dialogue->step != DIALOGUE_MAIL ||
		       exchange_is_interrupted(exchange);
	if (mail->code / 100 != 2)
		return exchange->unwanted || (exchange->had && mail->code == 421);
	return transfer->hold == TRANSFER_STOPPED || exchange_is_interrupted(exchange);
}

/* Sets the outcomes of the current message, and goes on to the next. */
static void
exchange_conclude(struct smtp_exchange *exchange)
{
	struct smtp_transfer *transfer = current(exchange);
	bool is_tried = smtp_transfer_judge(transfer, exchange_is_ours(exchange, transfer));

	smtp_transfer_drop(transfer);
	smtp_gate_passed(exchange->gate);
	exchange->wire->limit_us = exchange->relay->timeout_s * G_USEC_PER_SEC;
	exchange->at++;
	if (is_tried)
		tell_done(exchange->queue, transfer->message);
}

/* Adds the next message. After the last one only QUIT follows, whose reply is not needed. */
static void
add_next_or_quit(struct smtp_exchange *exchange)
{
	if (!add_next(exchange))
		exchange->wire->limit_us =
		    MIN(exchange->relay->timeout_s, QUIT_TIMEOUT_S) * G_USEC_PER_SEC;
}

static struct smtp_line
exchange_line_of(const struct smtp_exchange *exchange)
{
	return (struct smtp_line){exchange->wire, exchange->ssl, exchange->dialogue};
}

/* Ends a probe after the reply to command: with RSET where there is a transaction. */
static void
end_probe(struct smtp_exchange *exchange, const char *command, const smtp_status_t *status)
{
	struct smtp_probe *probe = exchange->probe;
	const struct smtp_line line = exchange_line_of(exchange);
	g_autoptr(GError) refusal = NULL;

	if (status->code / 100 != 2) {
		smtp_failure_refused(exchange->relay, exchange->dialogue, command, status->code,
		    status->text, &refusal);
		probe->refused = g_strdup(refusal->message);
		probe->refusal = status->code;
	}
	exchange->ended = true;
	smtp_probe_end(&line);
}

/* Notes what the session of a probe shows, and ends it when there is nothing more to ask. */
static void
probe_mail(struct smtp_exchange *exchange, const smtp_status_t *status)
{
	const struct smtp_line line = exchange_line_of(exchange);

	smtp_probe_note(exchange->probe, &line);
	exchange->had = true;
	if (status->code / 100 != 2 || !exchange->probe->recipient)
		end_probe(exchange, "MAIL", status);
}

static void
mail_answered(struct smtp_exchange *exchange, struct smtp_transfer *transfer)
{
	int code = smtp_reverse_path_status(transfer->esmtp)->code;

	transfer->mail_answered = true;
	if (exchange->probe)
		probe_mail(exchange, smtp_reverse_path_status(transfer->esmtp));
	exchange->unwanted =
	    !exchange->had && (code == 421 || code == 530 || code == 535 || code == 538);
	exchange->ended = exchange->ended || exchange->unwanted || code == 421;
	if (code / 100 != 2) {
		exchange_conclude(exchange);
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
	if (exchange->probe && !exchange->dialogue->over)
		end_probe(exchange, "RCPT", smtp_recipient_status(recipient));
	/* libesmtp sends DATA all the same, which is refused, and searches for the next message
	   before it reports that. */
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
	exchange_conclude(exchange);
	if (dot)
		add_next_or_quit(exchange);
	else if (!followed)
		exchange->reopen = true;
}

/* Answers libesmtp whether to accept a certificate. If that matters, the handshake has checked
   chain and name already. */
static void
certificate_doubted(const struct smtp_exchange *exchange, int event, va_list args)
{
	if (event == SMTP_EV_INVALID_PEER_CERTIFICATE)
		(void)va_arg(args, long);
	*va_arg(args, int *) =
	    event == SMTP_EV_WRONG_PEER_CERTIFICATE || !exchange->relay->verifies;
}

/* TLS is up. With implicit TLS the relay's own greeting comes now. */
static void
tls_begun(struct smtp_exchange *exchange, SSL *ssl)
{
	struct smtp_dialogue *dialogue = exchange->dialogue;
	X509 *own = SSL_get_certificate(ssl);

	/* libesmtp frees our certificate without having a reference to it. */
	if (own)
		X509_up_ref(own);
	exchange->ssl = ssl;
	dialogue->secured = true;
	if (exchange->probe)
		exchange->probe->secured = true;
	if (exchange->relay->tls != TLS_IMPLICIT)
		return;
	dialogue->step = DIALOGUE_GREETING;
	const struct smtp_line line = exchange_line_of(exchange);
	if (smtp_line_receive(&line) / 100 == 2)
		return;
	dialogue->over = true;
	smtp_wire_shut(exchange->wire);
}

/* Logs in, once the reply to EHLO has come that the session goes on with. */
static void
log_in(struct smtp_exchange *exchange)
{
	struct smtp_dialogue *dialogue = exchange->dialogue;
	const struct smtp_line line = exchange_line_of(exchange);

	if (dialogue->step != DIALOGUE_HELLO || dialogue->over || !dialogue->wants_auth ||
	    (dialogue->wants_tls && !dialogue->secured) || !smtp_dialogue_is_one_reply(dialogue) ||
	    smtp_dialogue_code(dialogue) / 100 != 2)
		return;
	smtp_login_run(&line, exchange->relay);
}

static void
connected(struct smtp_exchange *exchange)
{
	smtp_dialogue_reset(exchange->dialogue);
	exchange->dialogue->step = DIALOGUE_GREETING;
	exchange->wire->limit_us = smtp_relay_greeting_s(exchange->relay) * G_USEC_PER_SEC;
	exchange->ssl = NULL;
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
		connected(exchange);
		break;
	case SMTP_EV_STARTTLS_OK:
		tls_begun(exchange, va_arg(args, SSL *));
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
		smtp_wire_end(exchange->wire);
		exchange->wire->fd = -1;
		break;
	}
	va_end(args);
}

/* Declares the first message once the reply to EHLO has come that the session goes on with. */
static void
declare_first(struct smtp_exchange *exchange)
{
	const struct smtp_dialogue *dialogue = exchange->dialogue;
	struct smtp_transfer *transfer = current(exchange);

	if (!transfer || !transfer->message->is_raw || dialogue->step != DIALOGUE_HELLO ||
	    smtp_dialogue_code(dialogue) / 100 != 2)
		return;
	g_autofree char *tls = dialogue->secured || exchange->relay->tls == TLS_NONE
				   ? NULL
				   : smtp_dialogue_offer(dialogue, "STARTTLS");
	if (!tls)
		declare(exchange, transfer);
}

/* Gathers output from MAIL to QUIT. Output before MAIL is one command at a time, and after QUIT
   only the end of TLS follows, behind which libesmtp does not wait. */
static void
exchange_gather(struct smtp_exchange *exchange, const char *bytes, gsize size)
{
	static const char quit[] = "QUIT";
	bool quits = size >= strlen(quit) && memcmp(bytes, quit, strlen(quit)) == 0;

	if (exchange->dialogue->step == DIALOGUE_MAIL && !exchange->probe)
		smtp_wire_gather(exchange->wire, !quits);
}

/* Gets all commands and replies, but not the messages. bytes is libesmtp's buffer. */
static void
on_bytes(const char *bytes, int size, int writing, void *arg)
{
	struct smtp_exchange *exchange = arg;

	if (size <= 0)
		return;
	if (writing == SMTP_CB_WRITING) {
		if (exchange->dialogue->step < DIALOGUE_MAIL)
			exchange->wire->limit_us = exchange->relay->timeout_s * G_USEC_PER_SEC;
		if (!smtp_dialogue_sends(exchange->dialogue, bytes, (gsize)size))
			smtp_wire_shut(exchange->wire);
		else
			exchange_gather(exchange, bytes, (gsize)size);
		return;
	}
	smtp_dialogue_receives(exchange->dialogue, (char *)bytes, (gsize)size);
	if (bytes[size - 1] == '\n' && !exchange->dialogue->continued)
		smtp_wire_progress(exchange->wire);
	else
		smtp_wire_check(exchange->wire);
	declare_first(exchange);
	log_in(exchange);
}

static void
exchange_fail(struct smtp_exchange *exchange, GError **error)
{
	struct smtp_transfer *first = g_ptr_array_index(exchange->transfers, 0);
	const smtp_status_t *mail = smtp_reverse_path_status(first->esmtp);

	if (exchange->unwanted)
		smtp_failure_unwanted(
		    exchange->relay, exchange->dialogue, mail->code, mail->text, error);
	else
		smtp_failure_set(
		    exchange->relay, exchange->dialogue, exchange->wire, smtp_errno(), error);
}

/* Tells a probe how far the session came. */
static void
tell_probe(struct smtp_exchange *exchange)
{
	exchange->probe->step = exchange->dialogue->step;
	exchange->probe->silent =
	    exchange->dialogue->step == DIALOGUE_GREETING && exchange->wire->fault == ETIMEDOUT;
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
	bool had = true;

	exchange->esmtp = smtp_esmtp_new(exchange->relay, exchange->dialogue, tls);
	smtp_set_eventcb(exchange->esmtp, on_event, exchange);
	smtp_set_monitorcb(exchange->esmtp, on_bytes, exchange, 0);
	exchange->wire->limit_us = exchange->relay->timeout_s * G_USEC_PER_SEC;
	exchange->reopen = false;
	exchange->dialogue->hides_pipelining =
	    exchange->probe || has_several_recipients(exchange->queue);
	if (add_next(exchange)) {
		/* The result says nothing about the messages. */
		smtp_start_session(exchange->esmtp);
		while (current(exchange))
			exchange_conclude(exchange);
		had = exchange->dialogue->step >= DIALOGUE_MAIL && !exchange->unwanted;
		if (!had)
			exchange_fail(exchange, error);
		if (exchange->probe)
			tell_probe(exchange);
	}
	g_ptr_array_set_size(exchange->transfers, 0);
	exchange->at = 0;
	smtp_destroy_session(exchange->esmtp);
	return had;
}
