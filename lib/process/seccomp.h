/* SPDX-License-Identifier: MIT */
/* A filter of the system calls of a process that reads hostile bytes. */
#ifndef PROCESS_SECCOMP_H
#define PROCESS_SECCOMP_H

#include <glib.h>
#include <stdbool.h>

/* The rights that a confined process has besides those that all have. */
enum process_seccomp_right {
	CONFINE_RENAME = 1, /* to rename files */
};

/* Whether the kernel has filters of system calls (seccomp(2)), and the calls of this kind of
   machine are known here. */
bool process_seccomp_is_known(void);

/* Takes from this process for good, and from those that it starts, all system calls that are not
   needed to read hostile bytes: they fail with EPERM. It can use the files and connections that it
   has open, open files for reading, take memory and end. It cannot open a file for writing, make a
   socket, or start a program or a process. rights: of enum process_seccomp_right. The process must
   have only one thread. TEMPORARY when the kernel refuses. */
bool process_seccomp(guint rights, GError **error);

#endif
