/* SPDX-License-Identifier: MIT */
/* The table of operations of posthouse-api(7). Its rows are made from api/ (api/routes.c tells
   how). */
#include "fcgi/api/routes.h"

#include "fcgi/v1/handlers.h"

#include "api/routes.h"

const struct fcgi_front fcgi_front_main = {"", fcgi_routes, sizeof(fcgi_routes[0]),
    G_N_ELEMENTS(fcgi_routes), &fcgi_form_message, NULL, false, NULL, NULL, NULL, NULL};
