/* SPDX-License-Identifier: MIT */
/* Named points at which a test build can end the process, as a crash would. In every other build
 * they are nothing. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#ifdef ENABLE_FAULTS

/* POSTHOUSE_FAULT=NAME:N kills the process the Nth time that it comes to NAME; POSTHOUSE_FAULT=*:N
   the Nth time that it comes to any. */
void base_fault(const char *name);
#define FAULT(name) base_fault(name)

/* POSTHOUSE_FAULT=NAME=WHAT kills the process each time that it comes to NAME with this very WHAT;
   NAME>WHAT lets it take memory without end, NAME~WHAT time. */
void base_fault_at(const char *name, const char *what);
#define FAULT_AT(name, what) base_fault_at(name, what)

#else

#define FAULT(name)                                                                                \
	do {                                                                                       \
	} while (0)
#define FAULT_AT(name, what)                                                                       \
	do {                                                                                       \
	} while (0)

#endif

#endif
