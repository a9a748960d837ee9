/* SPDX-License-Identifier: MIT */
/* Named points at which a test build can kill the process, to simulate a crash. All other builds
 * leave them out. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#ifdef ENABLE_FAULTS

/* With POSTHOUSE_FAULT=NAME:N in the environment, kills the process when it reaches the point NAME
   for the Nth time; with POSTHOUSE_FAULT=*:N, when it reaches any points for the Nth time. */
void base_fault(const char *name);
#define FAULT(name) base_fault(name)

/* With POSTHOUSE_FAULT=NAME=SUBJECT, kills the process each time it reaches NAME with this SUBJECT.
   NAME>SUBJECT makes it allocate memory without end instead, NAME~SUBJECT makes it loop without
   end. */
void base_fault_at(const char *name, const char *subject);
#define FAULT_AT(name, subject) base_fault_at(name, subject)

#else

#define FAULT(name)                                                                                \
	do {                                                                                       \
	} while (0)
#define FAULT_AT(name, subject)                                                                    \
	do {                                                                                       \
	} while (0)

#endif

#endif
