/* SPDX-License-Identifier: MIT */
/* File locks between the processes of a machine. */
#include "process/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"

#define LOOK_MS 20

bool
process_lock_byte(int fd, int command, short type, off_t byte)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int result;

	do
		result = fcntl(fd, command, &range);
	while (result != 0 && errno == EINTR);
	return result == 0;
}

bool
process_lock_wait(int fd, off_t byte, gint64 ms)
{
	gint64 deadline = base_clock_boot() + ms;

	while (!process_lock_byte(fd, F_OFD_SETLK, F_WRLCK, byte)) {
		if (base_clock_boot() >= deadline)
			return false;
		g_usleep(LOOK_MS * 1000);
	}
	return true;
}
