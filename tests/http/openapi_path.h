/* SPDX-License-Identifier: MIT */
/* Paths of openapi.json that lead to something. */
#ifndef TESTS_HTTP_OPENAPI_PATH_H
#define TESTS_HTTP_OPENAPI_PATH_H

struct tenant;

/* The path with what is there in place of each {name}: made for it, and so that the method (in
   capitals) can be done. A name for which nothing is known to make fails the test. The caller owns
   the path. */
char *openapi_path_make(struct tenant *tenant, const char *method, const char *path);

#endif
