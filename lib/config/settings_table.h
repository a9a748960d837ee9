/* SPDX-License-Identifier: MIT */
/* The table of all settings, with their types, defaults and ranges. */
#ifndef CONFIG_SETTINGS_TABLE_H
#define CONFIG_SETTINGS_TABLE_H

#include <glib.h>
#include <stdbool.h>

/* One value for each row SETTING of config/settings.def. The row's type decides which getter of
   config/settings.h reads it. */
enum config_setting {
#define SETTING(name, ...) name,
#include "config/settings.def"
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
	bool may_be_empty;	    /* a key without a value is an empty list, not the default */
	bool rises;		    /* each entry of a list is larger than the one before */
	bool required;
	bool secret; /* never shown; KEY_file may name a file with the value instead */
	/* For config/settings_doc.c: */
	const char *example; /* the value in the sample file, of a row without a default */
	const char *comment; /* above it there; NULL: that of a row before is for both */
	const char *text;    /* in posthouse.conf(5) */
};

/* The row of a setting; it lives as long as the process. */
const struct config_setting_row *config_settings_describe(enum config_setting setting);

#endif
