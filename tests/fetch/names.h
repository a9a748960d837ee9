/* SPDX-License-Identifier: MIT */
/* Replaces the system's resolver for the whole test program. */
#ifndef FETCH_NAMES_H
#define FETCH_NAMES_H

/* From here on name resolves to the numeric addresses, separated by spaces: at the first look-up
   all of the first text, at later ones all of the second (NULL: the same). "" is a name without an
   address. Other names but localhost do not exist. The texts live as long as the process. */
void names_add(const char *name, const char *first, const char *later);

/* A look-up of this name does not end before names_release. */
void names_add_silent(const char *name);
void names_release(void);

#endif
