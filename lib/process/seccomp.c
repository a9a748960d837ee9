/* SPDX-License-Identifier: MIT */
/* Confines a process with a filter of its system calls: a program for the kernel's packet filter,
   which sees the number and the arguments of each call. */
#include "process/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/error.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#else
#define MACHINE 0 /* its calls are not known here */
#endif

/* Newer kinds of machines have only the successors of these calls. */
#ifndef SYS_open
#define SYS_open SYS_openat
#define SYS_access SYS_faccessat
#define SYS_poll SYS_ppoll
#define SYS_readlink SYS_readlinkat
#define SYS_rename SYS_renameat
#define SYS_stat SYS_statx
#define SYS_lstat SYS_statx
#define OPEN_FLAGS 2
#else
#define OPEN_FLAGS 1
#endif
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat
#endif
#ifndef SYS_renameat
#define SYS_renameat SYS_renameat2
#endif

/* The calls that strace shows in a process that composes, reads reports or talks to the database,
   and those that another version of the C library takes for the same purpose. */
static const int allowed[] = {
    /* files and connections that are open */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek, SYS_fcntl, SYS_close,
    SYS_fstat, SYS_poll, SYS_ppoll, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
    SYS_setsockopt, SYS_getsockopt, SYS_shutdown,
    /* what files there are */
    SYS_stat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_access, SYS_faccessat, SYS_faccessat2,
    SYS_readlink, SYS_readlinkat, SYS_getdents64,
    /* memory */
    SYS_brk, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_munmap, SYS_madvise,
    /* time and chance */
    SYS_clock_gettime, SYS_gettimeofday, SYS_clock_nanosleep, SYS_nanosleep, SYS_getrandom,
    /* the process itself */
    SYS_futex, SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_sched_getaffinity,
    SYS_sched_yield, SYS_sysinfo, SYS_uname, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    SYS_exit, SYS_exit_group};

static const int renaming[] = {SYS_rename, SYS_renameat, SYS_renameat2};

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (guint32)(offset))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (guint32)(value), 0, count)
#define ANSWER(answer) BPF_STMT(BPF_RET | BPF_K, answer)
/* The lower half of an argument, on machines that have it first. */
#define ARGUMENT(number) (offsetof(struct seccomp_data, args) + 8 * (number))

static void
seccomp_add(GArray *filter, const struct sock_filter *lines, guint count)
{
	g_array_append_vals(filter, lines, count);
}
#define ADD(filter, ...)                                                                           \
	seccomp_add(filter, (const struct sock_filter[]){__VA_ARGS__},                             \
	    G_N_ELEMENTS(((const struct sock_filter[]){__VA_ARGS__})))

static void
seccomp_allow(GArray *filter, const int *calls, gsize count)
{
	for (gsize i = 0; i < count; i++)
		ADD(filter, SKIP_UNLESS(calls[i], 1), ANSWER(ALLOW));
}

/* Allows a call that opens files, whose flags are this argument, for reading alone. */
static void
allow_reading(GArray *filter, int call, guint flags)
{
	ADD(filter, SKIP_UNLESS(call, 5), LOAD(ARGUMENT(flags)),
	    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC),
	    SKIP_UNLESS(O_RDONLY, 1), ANSWER(ALLOW), ANSWER(REFUSE));
}

static GArray *
make_filter(guint rights)
{
	GArray *filter = g_array_new(FALSE, FALSE, sizeof(struct sock_filter));

	/* Another kind of machine has other numbers: 32-bit calls of a 64-bit process, too. */
	ADD(filter, LOAD(offsetof(struct seccomp_data, arch)), SKIP_UNLESS(MACHINE, 1),
	    BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0), ANSWER(REFUSE),
	    LOAD(offsetof(struct seccomp_data, nr)));
	seccomp_allow(filter, allowed, G_N_ELEMENTS(allowed));
	if (rights & CONFINE_RENAME)
		seccomp_allow(filter, renaming, G_N_ELEMENTS(renaming));
	allow_reading(filter, SYS_open, OPEN_FLAGS);
	allow_reading(filter, SYS_openat, 2);
	ADD(filter, ANSWER(REFUSE));
	return filter;
}

bool
process_seccomp_is_known(void)
{
	/* The kernel looks at the filter, and finds none at this address. */
	return MACHINE != 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != 0 &&
	       errno == EFAULT;
}

bool
process_seccomp(guint rights, GError **error)
{
	g_autoptr(GArray) filter = make_filter(rights);
	const struct sock_fprog program = {
	    (unsigned short)filter->len, (struct sock_filter *)(void *)filter->data};

	if (MACHINE != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return true;
	return base_fail(error, PH_ERROR_TEMPORARY,
	    "The process cannot be confined: %s. posthouse.conf(5) describes seccomp",
	    MACHINE == 0 ? "the system calls of this machine are not known" : g_strerror(errno));
}
