/* SPDX-License-Identifier: MIT */
/* File locks between the processes of a machine. */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool
base_lock_byte(int fd, int command, short type, off_t byte)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int result;

	do
		result = fcntl(fd, command, &range);
	while (result != 0 && errno == EINTR);
	return result == 0;
}
