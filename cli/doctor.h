/* SPDX-License-Identifier: MIT */
/* posthouse doctor: the state that its checks share, and their results. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings.h"
#include "dns/question.h"

struct service;
struct db;
struct config_settings;

enum cli_state { STATE_OK, STATE_WARN, STATE_FAIL };

struct cli_check_result {
	char *check; /* its name */
	enum cli_state state;
	char *text;
	char *remedy; /* NULL with STATE_OK alone */
};

/* Takes a struct cli_check_result. */
void cli_check_result_free(void *data);

/* The resources that the checks examine. A check whose resource is missing adds no result: the
   check that opens the resource has reported the reason. */
struct cli_doctor {
	const char *config;		  /* --config, or NULL */
	const char *to;			  /* --to, or NULL */
	char *const *only;		  /* --only, or NULL: all */
	bool asks_blocklists;		  /* --blocklists */
	bool is_basis;			  /* the check that runs is one that others need */
	bool lacks_spool;		  /* the spool folder cannot be used */
	struct config_settings *settings; /* NULL: they could not be read */
	struct service *service;	  /* NULL: likewise */
	struct db *db;			  /* of service. NULL: it could not be reached */
	GPtrArray *domains;  /* of struct store_server_domain; NULL: they could not be read */
	GPtrArray *failures; /* char *: the names of relays that failed */
	GPtrArray *results;  /* of struct cli_check_result */
};

/* Adds a result of the state STATE_OK. */
void cli_check_ok(struct cli_doctor *doctor, const char *check, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Adds a result of another state, with its remedy. */
void cli_check_bad(struct cli_doctor *doctor, const char *check, enum cli_state state,
    const char *remedy, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Advice on a setting: the text, in which SETTING stands for its place, such as "url in section
   [service]". It lives as long as the program. */
const char *cli_check_advice(const char *text, enum config_setting setting);

/* Adds the failure of a check that could not ask the database. */
void cli_check_failed(struct cli_doctor *doctor, const char *check, const GError *error);

/* Several faults that become one result, of the worst state. */
struct cli_faults {
	enum cli_state state;
	GString *texts, *remedies;
};
void cli_faults_add(struct cli_faults *faults, enum cli_state state, const char *remedy,
    const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Adds the result of a check with faults, and frees them. False when there are none. */
bool cli_faults_tell(struct cli_faults *faults, struct cli_doctor *doctor, const char *check);

/* Whether --only leaves room for results of this check, such as "space" or "relay NAME". */
bool cli_check_is_wanted(const struct cli_doctor *doctor, const char *check);

/* Asks the servers of the settings one question. NULL with an error when none can be asked. The
   caller owns it. */
struct dns_question *cli_check_ask_dns(
    const struct cli_doctor *doctor, const char *name, enum dns_type type, GError **error);

/* The checks, each in the file named at the right. */
void cli_check_hardening(struct cli_doctor *doctor); /* check_hardening.c */
void cli_check_spool(struct cli_doctor *doctor);     /* check_spool.c */
void cli_check_cron(struct cli_doctor *doctor);
void cli_check_journals(struct cli_doctor *doctor);
void cli_check_log(struct cli_doctor *doctor);	    /* check_log.c */
void cli_check_looks(struct cli_doctor *doctor);    /* check_looks.c */
void cli_check_database(struct cli_doctor *doctor); /* check_database.c */
void cli_check_rights(struct cli_doctor *doctor);
void cli_check_schema(struct cli_doctor *doctor);
void cli_check_accounts(struct cli_doctor *doctor);
void cli_check_delivery(struct cli_doctor *doctor);
void cli_check_keys(struct cli_doctor *doctor); /* check_domain.c */
void cli_check_domains(struct cli_doctor *doctor);
void cli_check_bimi(struct cli_doctor *doctor);	  /* check_bimi.c */
void cli_check_relays(struct cli_doctor *doctor); /* check_relay.c */
void cli_check_routes(struct cli_doctor *doctor);
void cli_check_providers(struct cli_doctor *doctor); /* check_provider.c */
void cli_check_helo(struct cli_doctor *doctor);	     /* check_sender.c */
void cli_check_service_sender(struct cli_doctor *doctor);
void cli_check_blocklists(struct cli_doctor *doctor);
void cli_check_url(struct cli_doctor *doctor); /* check_web.c */
void cli_check_mx(struct cli_doctor *doctor);
void cli_check_web(struct cli_doctor *doctor);
void cli_check_receiving(struct cli_doctor *doctor); /* check_receiving.c */
void cli_check_smtpd(struct cli_doctor *doctor);     /* check_smtpd.c */
void cli_check_certificate(struct cli_doctor *doctor);

#endif
