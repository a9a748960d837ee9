/* SPDX-License-Identifier: MIT */
/* Searches of lists of people: by the beginning of an address, of a first or last name, or of both
   names with a blank between, without case.

   No index has these rows in the order of a list. Few matches are found by the indexes of person
   and sorted. If there are more, every so many rows of the list match: it is read through in its
   order until the page is full, or LIMIT_SEARCH_LOOKED rows were looked at. Then the page is short,
   and goes on behind the last of these. Contacts are found in the order of their addresses, which
   an index of person has too: reading contacts and reading people cost about the same, and a page
   takes what reaches further. */
#ifndef STORE_COMMON_SEARCH_H
#define STORE_COMMON_SEARCH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct db;

/* The names with a blank between are looked for at so many of the blanks of the text. */
#define STORE_SEARCH_BLANKS 4

/* A search. NULL matches nothing. */
struct store_search {
	char *address; /* patterns, '|' is the escape */
	char *name;
	char *first[STORE_SEARCH_BLANKS]; /* a whole first name */
	char *last[STORE_SEARCH_BLANKS];  /* the pattern of the last name behind it */
};

/* Makes a search of a text, UTF-8. normal: the form in which emails are compared, where the text is
   a whole address; else NULL. The caller clears it. */
void store_search_begin(struct store_search *search, const char *text, const char *normal);
void store_search_clear(struct store_search *search);

/* Whether an address is one of those whose beginning is looked for. */
bool store_search_fits(const struct store_search *search, const char *address);

/* A page of the matches: the ids of its rows, in the order of the list, at most limit. */
struct store_search_page {
	GArray *ids;	     /* struct base_id; owned */
	struct base_id rest; /* older rows were not looked at; if has_rest */
	char *rest_address;  /* of contacts: those behind it were not looked at; NULL: all were */
	bool has_rest;
};
void store_search_page_clear(struct store_search_page *page);

/* A page that is asked for: the newest matches, at most limit, older than before (NULL: from the
   newest on). */
struct store_search_list {
	const struct base_id *workspace;
	const struct store_search *search;
	const struct base_id *before;
	guint limit;
};

/* People, or the rows of the suppression list. The caller clears the page in any case. */
bool store_search_people(struct db *db, const struct store_search_list *list,
    struct store_search_page *page_r, GError **error);
bool store_search_suppressions(struct db *db, const struct store_search_list *list,
    struct store_search_page *page_r, GError **error);

/* The state of a contact. */
enum store_search_status {
	SEARCH_ANY,
	SEARCH_SUBSCRIBED,
	SEARCH_UNSUBSCRIBED,
	SEARCH_PENDING,
};

/* Contacts of an audience in the order of their addresses, at most limit, behind after (NULL: from
   the first on). search NULL: all of this status. */
struct store_search_contacts {
	const struct base_id *workspace, *audience;
	const struct store_search *search;
	enum store_search_status status;
	const char *after;
	guint limit;
};

/* The caller has found the audience in its workspace. */
bool store_search_contacts(struct db *db, const struct store_search_contacts *asked,
    struct store_search_page *page_r, GError **error);

#endif
