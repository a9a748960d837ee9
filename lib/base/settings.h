#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct secret;

/* One for each row of the table in settings.c, in its order. The type says which getter serves it.
 */
enum setting {
	SETTING_DATABASE_SOCKET,       /* text */
	SETTING_DATABASE_HOST,	       /* text */
	SETTING_DATABASE_PORT,	       /* number */
	SETTING_DATABASE_USER,	       /* text */
	SETTING_DATABASE_PASSWORD,     /* text, secret; also password_file */
	SETTING_DATABASE_NAME,	       /* text, default posthouse */
	SETTING_DATABASE_TLS_CA,       /* path */
	SETTING_DATABASE_TLS_REQUIRED, /* switch */
	SETTING_SMTP_HOST,	       /* list of name[:port], default 127.0.0.1 */
	SETTING_SMTP_PORT,	       /* number, default 25: for the hosts without one */
	SETTING_SMTP_TLS,	       /* choice: none, opportunistic (default), required */
	SETTING_SMTP_TLS_CA,	       /* path; default: the system's store */
	SETTING_SMTP_USER,	       /* text */
	SETTING_SMTP_PASSWORD,	       /* text, secret; also password_file */
	SETTING_SMTP_TIMEOUT,	       /* number, seconds for one reply, default 60 */
	SETTING_SMTP_CONNECT_TIMEOUT,  /* number, seconds, default 5 */
	SETTING_SMTP_HELO,	       /* text, default: the machine's name */
	SETTING_SMTP_FINAL,	       /* switch, default no */
	SETTING_SMTP_UNCERTAIN,	       /* choice: retry (default), hold */
	SETTING_SMTP_DSN,	       /* switch, default yes */
	SETTING_SERVICE_URL,  /* text: public base, no final slash; default http://localhost */
	SETTING_SERVICE_MODE, /* choice: sync (default), spool */
	SETTING_SERVICE_MAIL_FROM_MX, /* text: host name of the MX that receives reports */
	SETTING_SERVICE_SPF,	      /* list: SPF mechanisms of the relay */
	SETTING_SERVICE_SECRET_FILE,  /* path; required */
	SETTING_SERVICE_RECYCLE,      /* number of requests, default 10000, 0 = never */
	SETTING_SPOOL_DIR,	      /* path; required */
	SETTING_SPOOL_BATCH,	      /* number, default 100 */
	SETTING_SPOOL_JOBS,	      /* number, default 2 */
	SETTING_SPOOL_LEASE,	      /* number, seconds, default 600 */
	SETTING_LIMITS_REQUEST_BYTES, /* number, default LIMIT_REQUEST_BYTES */
	SETTING_FETCH_ALLOW,	      /* list of CIDR networks */
	SETTING_DNS_SERVERS, /* list of address:port, IPv6 in brackets; default: the system's */
	SETTING_COUNT
};

enum setting_tls { TLS_NONE, TLS_OPPORTUNISTIC, TLS_REQUIRED };
enum setting_uncertain { UNCERTAIN_RETRY, UNCERTAIN_HOLD };
enum setting_mode { MODE_SYNC, MODE_SPOOL };

struct settings;

/* Reads and checks a whole settings file (GKeyFile format). INVALID with "FILE:LINE: what is wrong"
   for a syntax error, an unknown section or key, a wrong type or range, a relative path, a key
   given both as value and as file, a required key that is missing (then without a line), an
   unreadable secret; also for a file that others can read while it holds a secret itself. NOT_FOUND
   when there is no such file. The caller frees the result. */
struct settings *base_settings_load(const char *path, GError **error);

/* The file that a program reads: argument if not NULL, else $POSTHOUSE_CONFIG, else
 * SYSCONFDIR/posthouse/posthouse.conf. */
const char *base_settings_path(const char *argument);

void base_settings_free(struct settings *settings);
DEFINE_AUTO(settings, base_settings_free)

/* Texts, paths: never NULL, "" when unset. */
const char *base_settings_text(const struct settings *settings, enum setting setting);
gint64 base_settings_number(const struct settings *settings, enum setting setting);
/* Also for choices: the enum's value. */
int base_settings_choice(const struct settings *settings, enum setting setting);
bool base_settings_switch(const struct settings *settings, enum setting setting);
/* Lists: NULL-terminated, never NULL; separated by commas or white space in the file. */
const char *const *base_settings_list(const struct settings *settings, enum setting setting);

/* The secrets of secret_file. */
const struct secret *base_settings_secret(const struct settings *settings);

#endif
