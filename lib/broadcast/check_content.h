/* SPDX-License-Identifier: MIT */
/* The part of a check that fills the contents: size, images, links, spam, missing variables. */
#ifndef BROADCAST_CHECK_CONTENT_H
#define BROADCAST_CHECK_CONTENT_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct broadcast_content;
struct broadcast_report;
struct broadcast_wish;
struct service;

/* In place of a recipient, where there is none. */
#define BROADCAST_CHECK_TO "delivered@test.posthouse.invalid"

/* The content that is checked, and the report that takes what is found. */
struct broadcast_check_content {
	struct service *service;
	const struct base_id *workspace;
	const struct broadcast_content *content;
	const struct broadcast_wish *wish;
	struct broadcast_report *report;
	bool can_compose;	     /* the sender is good */
	const GPtrArray *sources;    /* struct broadcast_source: of the variants */
	const GPtrArray *people;     /* struct store_person: the sample */
	const GPtrArray *properties; /* struct store_property: their definitions */
};

/* Adds what it finds to the report. */
bool broadcast_check_contents(const struct broadcast_check_content *checking, GError **error);

/* Frees a person of the sample (struct store_person), as an element of an array. */
void broadcast_check_free_person(void *person);

#endif
