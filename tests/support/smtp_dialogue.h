/* SPDX-License-Identifier: MIT */
/* What the scripted SMTP server and a client say to each other. */
#ifndef TESTS_SUPPORT_SMTP_DIALOGUE_H
#define TESTS_SUPPORT_SMTP_DIALOGUE_H

#include <glib.h>

/* Serves a client, a struct smtp_peer that was made with g_new0, to its end, and frees it. Gives
   NULL: it is for g_thread_new. */
gpointer smtp_dialogue_serve(gpointer peer);

/* Frees a struct smtp_mail, or NULL. */
void smtp_mail_free(gpointer mail);

#endif
