/* SPDX-License-Identifier: MIT */
/* Imports that requests ask for as JSON. */
#ifndef IMPORT_VIEW_H
#define IMPORT_VIEW_H

#include "json/view.h"

/* The members of an import (struct store_contact_import, with its plan): id, status, audience_id,
   filename, dry_run, columns, counts, created, completed_at, error. */
extern const struct json_view import_view;

#endif
