/* SPDX-License-Identifier: MIT */
/* The table of all settings, with their types, defaults and ranges. */
#ifndef CONFIG_SETTINGS_TABLE_H
#define CONFIG_SETTINGS_TABLE_H

#include <glib.h>
#include <stdbool.h>

/* One value for each row of the table. The type decides which getter of config/settings.h reads it.
 */
enum config_setting {
	SETTING_DATABASE_SOCKET,	     /* path */
	SETTING_DATABASE_HOST,		     /* text */
	SETTING_DATABASE_PORT,		     /* number */
	SETTING_DATABASE_USER,		     /* text */
	SETTING_DATABASE_PASSWORD,	     /* text, secret; also password_file */
	SETTING_DATABASE_NAME,		     /* text */
	SETTING_DATABASE_TLS_CA,	     /* path */
	SETTING_DATABASE_TLS_REQUIRED,	     /* switch */
	SETTING_SMTP_HOST,		     /* list of name[:port] */
	SETTING_SMTP_PORT,		     /* number, for hosts without a port of their own */
	SETTING_SMTP_TLS,		     /* choice: none, opportunistic, required, implicit */
	SETTING_SMTP_TLS_CA,		     /* path; "": the system's certificates */
	SETTING_SMTP_TLS_VERIFY,	     /* switch */
	SETTING_SMTP_USER,		     /* text */
	SETTING_SMTP_PASSWORD,		     /* text, secret; also password_file */
	SETTING_SMTP_TIMEOUT,		     /* number, seconds for one reply */
	SETTING_SMTP_DATA_TIMEOUT,	     /* number, seconds for the reply to the final dot */
	SETTING_SMTP_CONNECT_TIMEOUT,	     /* number, seconds */
	SETTING_SMTP_HELO,		     /* text, "": the machine's name */
	SETTING_SMTP_FINAL,		     /* switch */
	SETTING_SMTP_UNCERTAIN,		     /* choice: retry, hold */
	SETTING_SMTP_DSN,		     /* switch */
	SETTING_SMTP_ALLOW_PROVIDER_HEADERS, /* switch */
	SETTING_SMTP_RETURN_PATH,     /* text: an address; "": a different one for each email */
	SETTING_SMTP_CONNECTIONS,     /* list of numbers, one for each host in order; the last one
					 is for all further hosts; 0: no limit */
	SETTING_SMTP_RATE,	      /* such a list, messages per second */
	SETTING_WARMUP_LIMITS,	      /* list of numbers: recipients on each day */
	SETTING_SERVICE_URL,	      /* text: the public base URL, without a final slash */
	SETTING_SERVICE_MODE,	      /* choice: sync, spool */
	SETTING_SERVICE_UNKNOWN,      /* choice: ignore, refuse */
	SETTING_SERVICE_MAIL_FROM_MX, /* text: host name of the MX that receives reports */
	SETTING_SERVICE_SPF,	      /* list: SPF mechanisms of the relay */
	SETTING_SERVICE_SENDER,	      /* text: who sends the mail of the service itself; "": none */
	SETTING_SERVICE_SECRET_FILE,  /* path; required */
	SETTING_SERVICE_TRUST_PROXY,  /* list of CIDR networks */
	SETTING_SERVICE_RECYCLE,      /* number of requests, 0 = never */
	SETTING_SERVICE_SECCOMP,      /* switch */
	SETTING_SPOOL_DIR,	      /* path; required */
	SETTING_SPOOL_BATCH,	      /* number */
	SETTING_SPOOL_JOBS,	      /* number */
	SETTING_SPOOL_LEASE,	      /* number, seconds */
	SETTING_RETENTION_BODIES,     /* number of days, 0: for ever */
	SETTING_RETENTION_EMAILS,     /* likewise */
	SETTING_RETENTION_EVENTS,     /* likewise */
	SETTING_RETENTION_EXECUTIONS, /* likewise */
	SETTING_RETENTION_PENDING,    /* likewise */
	SETTING_RETENTION_AUDIT,      /* likewise */
	SETTING_MAILINGS_RSPAMD,      /* text: URL; "": none */
	SETTING_MAILINGS_SPAMC,	      /* path; "": none */
	SETTING_MAILINGS_PAUSE_BOUNCES,	   /* text: percent */
	SETTING_MAILINGS_PAUSE_COMPLAINTS, /* text: percent */
	SETTING_MAILINGS_PAUSE_AFTER,	   /* number of recipients */
	SETTING_SESSION_LINK,		   /* number, seconds */
	SETTING_SESSION_IDLE,		   /* number, seconds */
	SETTING_SESSION_LONGEST,	   /* number, seconds */
	SETTING_SESSION_ATTEMPTS,	   /* number, in an hour */
	SETTING_LIMITS_REQUEST_BYTES,	   /* number, bytes */
	SETTING_LIMITS_FETCHING_REQUESTS,  /* number, 0 = no limit */
	SETTING_LIMITS_LARGE_REQUESTS,	   /* number, 0 = no limit */
	SETTING_LIMITS_COUNT_MS,	   /* number, ms */
	SETTING_LIMITS_COUNT_WAIT_MS,	   /* number, ms */
	/* Numbers, 0 = no limit. A workspace may have its own values (store/workspace/limit.h). */
	SETTING_LIMITS_REQUESTS_PER_SECOND,
	SETTING_LIMITS_BURST,
	SETTING_LIMITS_KEY_REQUESTS_PER_SECOND,
	SETTING_LIMITS_KEY_BURST,
	SETTING_LIMITS_EMAILS_PER_HOUR,
	SETTING_LIMITS_EMAILS_PER_DAY,
	SETTING_LIMITS_DOMAINS,
	SETTING_LIMITS_AUDIENCES,
	SETTING_LIMITS_TEMPLATES,
	SETTING_LIMITS_WORKFLOWS,
	SETTING_LIMITS_WEBHOOKS,
	SETTING_LIMITS_WORKFLOWS_PER_EVENT,
	SETTING_FETCH_ALLOW,		   /* list of CIDR networks */
	SETTING_FETCH_PORTS,		   /* list of ports that are allowed besides 80 and 443 */
	SETTING_WEBHOOKS_CONNECTIONS,	   /* number */
	SETTING_WEBHOOKS_HOST_CONNECTIONS, /* number */
	SETTING_WEBHOOKS_KEEP,		   /* number of days, 0: for ever */
	SETTING_RESEND_TIME_ZONE,	   /* text for text_time_zone */
	SETTING_RESEND_LOGS,		   /* switch */
	SETTING_LOG_TO,			   /* text: stderr, syslog or a path */
	SETTING_LOG_FORMAT,		   /* choice: text, json */
	SETTING_LOG_LEVEL,		   /* choice: error, warning, info */
	SETTING_LOG_ADDRESSES,		   /* choice: whole, hashed, none */
	SETTING_LOG_SOCKET,		   /* path, of syslog */
	SETTING_LOG_REQUESTS,		   /* choice: none, refused, all */
	SETTING_METRICS_BUCKETS,	   /* list of rising numbers: seconds */
	SETTING_METRICS_LABELS,		   /* number */
	SETTING_PROVIDERS_SNS_HOSTS,	   /* list of host:port */
	SETTING_DNS_SERVERS, /* list of address:port, IPv6 in brackets; empty: the system's servers
			      */
	SETTING_COUNT
};

/* implicit: TLS from the first byte on. */
enum config_setting_tls { TLS_NONE, TLS_OPPORTUNISTIC, TLS_REQUIRED, TLS_IMPLICIT };
enum config_setting_uncertain { UNCERTAIN_RETRY, UNCERTAIN_HOLD };
enum config_setting_mode { MODE_SYNC, MODE_SPOOL };
enum config_setting_unknown { UNKNOWN_IGNORE, UNKNOWN_REFUSE };

enum config_setting_format { FORMAT_TEXT, FORMAT_JSON };
/* A log of a level has the lines of that level and of those before it. */
enum config_setting_level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO };
enum config_setting_addresses { ADDRESSES_WHOLE, ADDRESSES_HASHED, ADDRESSES_NONE };
enum config_setting_requests { REQUESTS_NONE, REQUESTS_REFUSED, REQUESTS_ALL };

enum config_setting_type {
	SETTING_TYPE_TEXT,
	SETTING_TYPE_PATH, /* absolute */
	SETTING_TYPE_NUMBER,
	SETTING_TYPE_SWITCH, /* yes or no; also true, false, on, off */
	SETTING_TYPE_CHOICE,
	SETTING_TYPE_LIST, /* entries separated by commas or white space */
};

#define SETTING_CHOICES 7

/* One row of the table: everything needed to read a setting and to describe it. */
struct config_setting_row {
	const char *section, *key;
	enum config_setting_type type;
	const char *fallback;			  /* the default, as in a file; NULL: none */
	gint64 min, max;			  /* of a number */
	const char *choices[SETTING_CHOICES + 1]; /* indexed by the enum's value, NULL-terminated */
	bool (*check)(char *entry); /* whether a text, or an entry of a list, has the right form;
				       may shorten it */
	const char *form;	    /* the form in words: "an absolute http or https URL" */
	bool rises;		    /* each entry of a list is larger than the one before */
	bool required;
	bool secret; /* never shown; KEY_file may name a file with the value instead */
};

/* The row of a setting; it lives as long as the process. */
const struct config_setting_row *config_settings_describe(enum config_setting setting);

#endif
