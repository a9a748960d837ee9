/* SPDX-License-Identifier: MIT */
/* Opens the door and speaks with it. */
#ifndef TESTS_SMTPD_DOOR_H
#define TESTS_SMTPD_DOOR_H

#include <glib.h>

#include "base/scope.h"
#include "tests/support/house.h"
#include "tests/support/program.h"

/* An installation with posthouse-smtpd at a port of loopback, a workspace with the domain
   example.org, and the keys FULL, SEND and READ. Errors of these functions end the test. */
struct door {
	struct test_house *house;
	struct test_program *program;
	guint port;
	guint32 address; /* at which it is connected, in network order; 0: loopback */
};

#define FULL "ph_full"
#define SEND "ph_send"
#define READ "ph_read"

/* more: settings, NULL for none. */
struct door *door_open(const char *more);
void door_close(struct door *door);
DEFINE_AUTO(door, door_close)

/* A connection to it. */
int door_connect(const struct door *door);
void door_send(int fd, const char *text);
/* Reads until the text ends so, or the other side is done. The caller frees it. */
char *door_read(int fd, const char *until);

/* Its answers to bytes that are sent at once, behind the greeting. The caller frees it. */
char *door_talk(const struct door *door, const char *text, gsize size);

/* Sends a message with FULL: the recipients, with blanks between, and the text, whose lines end in
   CRLF. The reply to it, without its line end; the caller frees it. */
char *door_submit(
    const struct door *door, const char *sender, const char *recipients, const char *message);

/* The base64 of NUL, "user", NUL and the key. The caller frees it. */
char *door_plain(const char *key);

/* A port of loopback that nobody has, each time another one. */
guint door_port(void);

#endif
