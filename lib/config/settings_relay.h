/* SPDX-License-Identifier: MIT */
/* The sections [relay NAME]: the table of their keys, and a relay with its defaults filled in. */
#ifndef CONFIG_SETTINGS_RELAY_H
#define CONFIG_SETTINGS_RELAY_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings_table.h"

/* One value for each row RELAY of config/settings.def. */
enum config_relay_key {
#define RELAY(name, ...) name,
#include "config/settings.def"
	RELAY_KEY_COUNT
};

enum config_relay_auth {
	RELAY_AUTH_AUTO,
	RELAY_AUTH_PLAIN,
	RELAY_AUTH_LOGIN,
	RELAY_AUTH_CRAM_MD5,
	RELAY_AUTH_XOAUTH2,
};

/* The values of a section as they were read. */
struct config_relay_values {
	const char *text[RELAY_KEY_COUNT]; /* "": not given */
	gint64 number[RELAY_KEY_COUNT];	   /* of numbers, switches and choices that are given */
	const char *const *list[RELAY_KEY_COUNT]; /* of lists, NULL-terminated */
};

/* A relay of the settings. Its strings are never NULL, and live as long as the settings. */
struct config_relay {
	const char *name;
	const char *host; /* a name or an IPv4 address */
	guint port;
	enum config_setting_tls tls;
	bool verifies;	 /* the certificate is checked: its chain and its name */
	bool unverified; /* tls_verify = no was given */
	const char *tls_ca, *tls_name, *tls_cert, *tls_key;
	const char *user, *password;
	enum config_relay_auth auth;
	const char *token_command;
	guint connections, rate; /* 0: no limit */
	guint messages;		 /* in one session, 0: no limit */
	const char *source;	 /* IPv4 address to connect from, the first of sources; "": any */
	const char *const *sources; /* all of them, in turn by message; NULL-terminated */
	guint order, weight;
	bool is_default;
	const char *provider; /* "": none */
	bool dsn, final;
	bool provider_headers; /* header fields that steer its provider may come from clients */
	guint timeout_s, connect_timeout_s, data_timeout_s;
	const char *helo, *return_path;
};

/* The row of a key, whose section is "relay"; it lives as long as the process. */
const struct config_setting_row *config_relay_describe(enum config_relay_key key);

/* Whether a relay may be called so: 1 to 32 of a-z, 0-9, - and _. */
bool config_relay_is_name(const char *name);

/* Fills relay from values, whose strings it borrows. It holds the defaults of [smtp] before.
   INVALID with the end of a sentence that begins with the key *key_r, when values contradict each
   other. */
bool config_relay_fill(struct config_relay *relay, const struct config_relay_values *values,
    enum config_relay_key *key_r, GError **error);

/* A digest of the settings by which a relay is reached, its TLS and its login: it tells the relay
   from another one of the same name. Knowledge about a relay holds only while this is the same. */
guint64 config_relay_identity(const struct config_relay *relay);

/* Whether a password may go to host without TLS: localhost, or an address of 127.0.0.0/8. */
bool config_relay_is_local(const char *host);

#endif
