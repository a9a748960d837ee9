/* SPDX-License-Identifier: MIT */
/* Exchanges commands and replies with a relay in place of libesmtp. */
#include "smtp/line.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define REPLY_BYTES 8000 /* a longer reply than the dialogue keeps is none */

/* The poll event to wait for after an OpenSSL call that returned result; 0: the connection is lost.
 */
static short
want_of(const struct smtp_line *line, int result)
{
	int want = SSL_get_error(line->ssl, result);

	return want == SSL_ERROR_WANT_READ ? POLLIN : want == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
}

/* Writes some bytes, and returns their number; 0: wait for *events_r; below 0: it is lost. */
static gssize
write_some(const struct smtp_line *line, const char *bytes, gsize size, short *events_r)
{
	if (line->ssl) {
		int done = SSL_write(line->ssl, bytes, (int)size);
		*events_r = done > 0 ? 0 : want_of(line, done);
		return done > 0 ? done : *events_r ? 0 : -1;
	}
	gssize done = send(line->wire->fd, bytes, size, MSG_NOSIGNAL);
	*events_r = POLLOUT;
	return done < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : done;
}

/* Reads a byte, likewise. */
static gssize
read_byte(const struct smtp_line *line, char *byte_r, short *events_r)
{
	if (line->ssl) {
		int done = SSL_read(line->ssl, byte_r, 1);
		*events_r = done > 0 ? 0 : want_of(line, done);
		return done > 0 ? done : *events_r ? 0 : -1;
	}
	gssize done = recv(line->wire->fd, byte_r, 1, 0);
	*events_r = POLLIN;
	if (done == 0)
		return -1;
	return done < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : done;
}

bool
smtp_line_send(const struct smtp_line *line, const char *text)
{
	g_autofree char *bytes = g_strconcat(text, "\r\n", NULL);
	gsize size = strlen(bytes), done = 0;

	smtp_wire_progress(line->wire);
	while (done < size) {
		short events;
		gssize some = write_some(line, bytes + done, size - done, &events);

		if (some < 0 || (some == 0 && !smtp_wire_await(line->wire, events)))
			return false;
		done += (gsize)some;
	}
	smtp_wire_progress(line->wire);
	return true;
}

int
smtp_line_receive(const struct smtp_line *line)
{
	struct smtp_dialogue *dialogue = line->dialogue;

	g_string_truncate(dialogue->reply, 0);
	smtp_wire_progress(line->wire);
	while (!smtp_dialogue_is_one_reply(dialogue)) {
		short events;
		char byte;
		gssize got = read_byte(line, &byte, &events);

		if (got < 0 || dialogue->reply->len > REPLY_BYTES ||
		    (got == 0 && !smtp_wire_await(line->wire, events)))
			return 0;
		if (got > 0)
			smtp_dialogue_receives(dialogue, &byte, 1);
	}
	smtp_wire_progress(line->wire);
	return smtp_dialogue_code(dialogue);
}
