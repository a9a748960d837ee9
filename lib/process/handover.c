/* SPDX-License-Identifier: MIT */
/* Gives and takes open files. */
#include "process/handover.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Space for one file descriptor in a message's control data. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

bool
process_handover_give(int channel, int fd, char note)
{
	struct iovec iov = {&note, 1};
	union control control = {{0}};
	struct msghdr message = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	ssize_t put;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	do
		put = sendmsg(channel, &message, MSG_NOSIGNAL);
	while (put < 0 && errno == EINTR);
	return put > 0;
}

int
process_handover_take(int channel, char *note_r)
{
	char byte;
	struct iovec iov = {&byte, 1};
	union control control;
	struct msghdr message = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes)};
	int fd = -1;
	ssize_t got;

	do
		got = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -1;
	struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(int));
	else
		errno = got > 0 ? EAGAIN : ECONNRESET;
	if (note_r && got > 0)
		*note_r = byte;
	return fd;
}
