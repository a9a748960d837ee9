/* SPDX-License-Identifier: MIT */
/* Makes, changes and removes people, for operators. */
#ifndef AUTOMATION_PERSON_H
#define AUTOMATION_PERSON_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/person/person.h"

struct service;
struct consent_topic;
struct db;
struct json;
struct store_consent_act;
struct store_consent_override;

/* The data of a request, borrowed. NULL is none; a change clears what is given as NULL. */
struct automation_person_data {
	const char *first_name, *last_name, *language, *time_zone;
	bool first_name_given, last_name_given, language_given, time_zone_given;
	const struct json *properties; /* merged deeply; null deletes */
	bool subscribed_given, subscribed;
	const struct consent_topic *topics;
	guint topic_count;
	const struct store_consent_act *act;	       /* how consent is changed */
	const struct store_consent_override *override; /* NULL: none */
};

/* Checks the fields of a request, as the calls below do. INVALID, naming the field. */
bool automation_person_check(struct service *service, const struct base_id *workspace,
    const struct automation_person_data *data, GError **error);

/* Makes a person. INVALID when a field is wrong; CONFLICT "Person already exists", or
   store_choice_refuse. The caller frees the result. */
struct store_person *automation_person_create(struct service *service,
    const struct base_id *workspace, const char *email, const struct automation_person_data *data,
    GError **error);

/* Changes a person, all or nothing. NOT_FOUND "Person not found", also when email is no address;
   errors as above. The caller frees the result, the person after the change. */
struct store_person *automation_person_change(struct service *service,
    const struct base_id *workspace, const char *email, const struct automation_person_data *data,
    GError **error);

/* Inside a transaction that has locked the person: changes the names that an object has, each a
   text of 1 to 100 characters or null, as automation_person_change does. */
bool automation_person_rename(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct json *names, GError **error);

/* Inside a transaction that has locked the person: does what automation_person_remove does.
 *cancelled_r: the number of executions that ended by it. */
bool automation_person_remove_by(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_consent_act *act, guint *cancelled_r,
    GError **error);

/* Removes a person with memberships, properties, events and executions. The person's choices stay,
   by address. act: how it is done. NOT_FOUND. */
bool automation_person_remove(struct service *service, const struct base_id *workspace,
    const char *email, const struct store_consent_act *act, GError **error);

/* Finds the person with an email in any form. NOT_FOUND. The caller frees it. */
struct store_person *automation_person_get(
    struct service *service, const struct base_id *workspace, const char *email, GError **error);

#endif
