/* SPDX-License-Identifier: MIT */
/* Lets Criterion run under ThreadSanitizer: it maps memory at a random place from 0x200000000000
   on, in steps of 16 MB, and almost all of them are ThreadSanitizer's. make check-tsan links this
   with each program. */
#include <stdlib.h>

/* The program's own part of what ThreadSanitizer leaves free: 0x550000000000 to 0x568000000000. */
#define FIRST_STEP 0x350000
#define STEPS 0x18000

int
rand_r(unsigned int *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return (int)(FIRST_STEP + (*seed >> 8) % STEPS);
}
