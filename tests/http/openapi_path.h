/* SPDX-License-Identifier: MIT */
/* Paths of openapi.json with ids of rows that exist. */
#ifndef TESTS_HTTP_OPENAPI_PATH_H
#define TESTS_HTTP_OPENAPI_PATH_H

struct fixture;

/* Replaces each {name} of the path by a new row's id, so that the method (in capitals) can succeed.
   A {name} of an unknown kind fails the test. The caller owns the path. */
char *openapi_path_make(struct fixture *fixture, const char *method, const char *path);

#endif
