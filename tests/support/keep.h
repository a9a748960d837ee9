/* SPDX-License-Identifier: MIT */
/* The folder of a suite in the environment: its tests are processes that share nothing else with
   its main. */
#ifndef TESTS_SUPPORT_KEEP_H
#define TESTS_SUPPORT_KEEP_H

#define TEST_MARIADB_DIR "TEST_MARIADB_DIR"
#define TEST_INSTANCE_DIR "TEST_INSTANCE_DIR"

#endif
