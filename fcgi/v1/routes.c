/* SPDX-License-Identifier: MIT */
/* The table of operations of posthouse-api(7). Its rows are made from api/ (api/routes.c tells
   how), and so is the proof that the limits which api/ states are those of lib/base/limits. */
#include "fcgi/api/routes.h"

#include "base/limits/broadcast.h"
#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "base/limits/import.h"
#include "base/limits/list.h"
#include "base/limits/person.h"
#include "base/limits/segment.h"
#include "base/limits/stream.h"
#include "base/limits/template.h"
#include "base/limits/webhook.h"
#include "base/limits/workflow.h"
#include "fcgi/v1/handlers.h"

/* With these headers, as the description names limits of them. */
#include "api/routes.h"

const struct fcgi_front fcgi_front_main = {"", fcgi_routes, sizeof(fcgi_routes[0]),
    G_N_ELEMENTS(fcgi_routes), &fcgi_form_message, NULL, false, NULL, NULL, NULL, NULL};
