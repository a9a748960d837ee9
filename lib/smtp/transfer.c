/* SPDX-License-Identifier: MIT */
/* Gives a message to libesmtp, and decides its outcomes from the replies. */
#include "smtp/transfer.h"

#include <string.h>

#include "smtp/envelope.h"
#include "smtp/message.h"
#include "text/mailbox.h"

#define ENVID_BYTES 100

guint
smtp_transfer_screen(struct smtp_message *message)
{
	bool sender = message->sender[0] == '\0' || text_mailbox_sendable(message->sender);
	guint left = 0;

	for (guint i = 0; i < message->count; i++) {
		struct smtp_recipient *recipient = &message->recipients[i];
		if (!sender)
			smtp_message_set_reason(recipient, SMTP_PERMANENT, SMTP_STAGE_MAIL, "5.1.7",
			    "The sender's address cannot be sent to a mail server.");
		else if (!text_mailbox_sendable(recipient->address))
			smtp_message_set_reason(recipient, SMTP_PERMANENT, SMTP_STAGE_RCPT, "5.1.3",
			    "The address cannot be sent to a mail server.");
		else
			left++;
	}
	return left;
}

bool
smtp_transfer_accepts(struct smtp_message *message, GBytes *content)
{
	const char *fault = smtp_envelope_fault(content, message->is_raw);

	if (!fault)
		return true;
	g_autofree char *text = g_strdup_printf("The message cannot be sent: %s.", fault);
	for (guint i = 0; i < message->count; i++)
		if (message->recipients[i].outcome == SMTP_NOT_TRIED)
			smtp_message_set_reason(&message->recipients[i], SMTP_PERMANENT,
			    SMTP_STAGE_DATA, "5.6.0", text);
	return false;
}

static void
ask_for_reports(struct smtp_transfer *transfer)
{
	const struct smtp_message *message = transfer->message;

	smtp_dsn_set_ret(transfer->esmtp, Ret_HDRS);
	if (message->envid && strlen(message->envid) <= ENVID_BYTES &&
	    smtp_envelope_fits_xtext(message->envid))
		smtp_dsn_set_envid(transfer->esmtp, message->envid);
	for (guint i = 0; i < message->count; i++) {
		if (!transfer->recipients[i])
			continue;
		smtp_dsn_set_notify(
		    transfer->recipients[i], Notify_SUCCESS | Notify_FAILURE | Notify_DELAY);
		if (smtp_envelope_fits_xtext(message->recipients[i].address))
			smtp_dsn_set_orcpt(
			    transfer->recipients[i], "rfc822", message->recipients[i].address);
	}
}

static bool
is_8bit(GBytes *content)
{
	gsize size;
	const char *bytes = g_bytes_get_data(content, &size);

	for (gsize i = 0; i < size; i++)
		if (bytes[i] & 0x80)
			return true;
	return false;
}

static void
set_size(struct smtp_transfer *transfer)
{
	if (transfer->content)
		smtp_size_set_estimate(transfer->esmtp, g_bytes_get_size(transfer->content));
}

struct smtp_transfer *
smtp_transfer_new(smtp_session_t session, struct smtp_message *message, GBytes *content,
    const struct smtp_relay *relay)
{
	struct smtp_transfer *transfer = g_new0(struct smtp_transfer, 1);
	GBytes *seven_bit = g_steal_pointer(&message->seven_bit);

	transfer->message = message;
	if (message->is_raw && is_8bit(content)) {
		transfer->eight_bit = g_bytes_ref(content);
		transfer->content = seven_bit;
	} else {
		transfer->content = g_bytes_ref(content);
		g_clear_pointer(&seven_bit, g_bytes_unref);
	}
	transfer->esmtp = smtp_add_message(session);
	transfer->recipients = g_new0(smtp_recipient_t, message->count);
	smtp_message_set_application_data_release(transfer->esmtp, transfer, NULL);
	smtp_set_reverse_path(transfer->esmtp, message->sender);
	set_size(transfer);
	for (guint i = 0; i < message->count; i++) {
		if (message->recipients[i].outcome != SMTP_NOT_TRIED ||
		    message->recipients[i].is_held)
			continue;
		transfer->recipients[i] =
		    smtp_add_recipient(transfer->esmtp, message->recipients[i].address);
		transfer->shown++;
	}
	if (relay->dsn)
		ask_for_reports(transfer);
	return transfer;
}

void
smtp_transfer_free(struct smtp_transfer *transfer)
{
	smtp_transfer_drop(transfer);
	g_free(transfer->recipients);
	g_free(transfer);
}

void
smtp_transfer_drop(struct smtp_transfer *transfer)
{
	g_clear_pointer(&transfer->content, g_bytes_unref);
	g_clear_pointer(&transfer->eight_bit, g_bytes_unref);
}

void
smtp_transfer_declare(struct smtp_transfer *transfer)
{
	if (!transfer->eight_bit)
		return;
	g_clear_pointer(&transfer->content, g_bytes_unref);
	transfer->content = g_steal_pointer(&transfer->eight_bit);
	set_size(transfer);
	smtp_8bitmime_set_body(transfer->esmtp, E8bitmime_8BITMIME);
}

bool
smtp_transfer_is_whole(const struct smtp_transfer *transfer)
{
	return transfer->passed + strlen("\r\n") == g_bytes_get_size(transfer->content);
}

static void
set_from(struct smtp_recipient *recipient, enum smtp_outcome outcome, enum smtp_stage stage,
    const smtp_status_t *status)
{
	smtp_message_set_reply(recipient, outcome, stage, status->code, status->text);
}

/* Judges a recipient that RCPT accepted, by the reply to DATA or to the final dot. */
static void
judge_data(struct smtp_transfer *transfer, smtp_recipient_t esmtp, struct smtp_recipient *recipient,
    bool is_ours)
{
	const smtp_status_t *status = smtp_message_transfer_status(transfer->esmtp);
	int class = status->code / 100;
	bool is_refusal = transfer->replied && (class == 4 || class == 5);

	if (is_refusal)
		set_from(recipient, smtp_message_outcome(status->code), SMTP_STAGE_DATA, status);
	else if (transfer->hold == TRANSFER_CHANGED)
		smtp_message_set_reason(recipient, SMTP_PERMANENT, SMTP_STAGE_DATA, "5.6.0",
		    "The message cannot be sent: a header field is missing, forbidden or doubled.");
	else if (transfer->hold == TRANSFER_8BIT)
		smtp_message_set_reason(recipient, SMTP_PERMANENT, SMTP_STAGE_DATA, "5.6.3",
		    "The message cannot be sent: it is 8 bit and signed or of a type that must not "
		    "be changed, and the relay takes only 7 bit.");
	else if (transfer->dot && transfer->replied && class == 2 &&
		 smtp_recipient_check_complete(esmtp))
		set_from(recipient, SMTP_SENT, SMTP_STAGE_DATA, status);
	else if (transfer->dot)
		smtp_message_set_reason(recipient, SMTP_UNCERTAIN, SMTP_STAGE_DATA, "",
		    "The connection ended after the message was sent and before the answer.");
	else if (!is_ours)
		smtp_message_set_reason(recipient, SMTP_TEMPORARY, SMTP_STAGE_DATA, "",
		    "The connection ended before the message was sent.");
}

/* Judges a recipient given to the relay, the position-th of them. */
static void
judge_recipient(struct smtp_transfer *transfer, guint position, smtp_recipient_t esmtp,
    struct smtp_recipient *recipient, bool is_ours)
{
	const smtp_status_t *mail = smtp_reverse_path_status(transfer->esmtp);
	const smtp_status_t *rcpt = smtp_recipient_status(esmtp);

	if (transfer->mail_answered && mail->code / 100 != 2) {
		if (!is_ours)
			set_from(
			    recipient, smtp_message_outcome(mail->code), SMTP_STAGE_MAIL, mail);
	} else if (position < transfer->answered && rcpt->code / 100 != 2) {
		set_from(recipient, smtp_message_outcome(rcpt->code), SMTP_STAGE_RCPT, rcpt);
	} else if (position < transfer->answered) {
		judge_data(transfer, esmtp, recipient, is_ours);
	} else if (!is_ours) {
		smtp_message_set_reason(recipient, SMTP_TEMPORARY,
		    transfer->mail_answered ? SMTP_STAGE_RCPT : SMTP_STAGE_MAIL, "",
		    "The connection ended before the answer.");
	}
}

bool
smtp_transfer_judge(struct smtp_transfer *transfer, bool is_ours)
{
	struct smtp_message *message = transfer->message;
	bool is_tried = false;

	for (guint i = 0, position = 0; i < message->count; i++) {
		struct smtp_recipient *recipient = &message->recipients[i];
		if (transfer->recipients[i])
			judge_recipient(
			    transfer, position++, transfer->recipients[i], recipient, is_ours);
		is_tried = is_tried || recipient->outcome != SMTP_NOT_TRIED;
	}
	return is_tried;
}
