/* SPDX-License-Identifier: MIT */
/* Finds the stream of an email. */
#include "store/email/stream.h"

#include <string.h>

#include "base/error.h"
#include "store/email/email.h"

static const char *const stream_names[] = {[STREAM_TRANSACTIONAL] = "transactional",
    [STREAM_AUTOMATION] = "automation",
    [STREAM_BROADCAST] = "broadcast"};

const char *
store_stream_name(enum store_stream stream)
{
	return stream_names[stream];
}

enum store_stream
store_stream_find(const char *name)
{
	for (guint stream = 1; stream <= STORE_STREAMS; stream++)
		if (strcmp(stream_names[stream], name) == 0)
			return (enum store_stream)stream;
	return (enum store_stream)0;
}

bool
store_stream_read(const char *name, enum store_stream *stream_r, GError **error)
{
	*stream_r = name ? store_stream_find(name) : STREAM_TRANSACTIONAL;
	return *stream_r ||
	       base_invalid(error, "stream must be transactional, broadcast or automation");
}

enum store_stream
store_email_stream(const struct store_email *email)
{
	switch (email->type) {
	case EMAIL_BROADCAST:
		return STREAM_BROADCAST;
	case EMAIL_AUTOMATION:
		return store_email_is_mailing(email) ? STREAM_AUTOMATION : STREAM_TRANSACTIONAL;
	default:
		return email->stream ? email->stream : STREAM_TRANSACTIONAL;
	}
}

enum store_email_type
store_email_stored_type(const struct store_email *email)
{
	if (email->type != EMAIL_TRANSACTIONAL)
		return email->type;
	return email->stream == STREAM_AUTOMATION  ? EMAIL_BY_AUTOMATION
	       : email->stream == STREAM_BROADCAST ? EMAIL_BY_BROADCAST
						   : EMAIL_TRANSACTIONAL;
}
