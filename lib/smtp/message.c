/* SPDX-License-Identifier: MIT */
/* Messages as their sender gives them. */
#include "smtp/message.h"

void
smtp_message_clear(struct smtp_message *message)
{
	for (guint i = 0; i < message->count; i++) {
		struct smtp_recipient *recipient = &message->recipients[i];
		recipient->outcome = SMTP_NOT_TRIED;
		recipient->stage = SMTP_STAGE_SESSION;
		recipient->code = 0;
		recipient->enhanced[0] = '\0';
		g_clear_pointer(&recipient->text, g_free);
	}
}
