/* SPDX-License-Identifier: MIT */
/* Starts GMime when it is first needed. */
#include "mail/gmime.h"

#include <gmime/gmime.h>

void
mail_gmime_use(void)
{
	static gsize ready;

	if (g_once_init_enter(&ready)) {
		g_mime_init();
		g_once_init_leave(&ready, 1);
	}
}
