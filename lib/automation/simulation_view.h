/* SPDX-License-Identifier: MIT */
/* The answer of a simulation, over HTTP and on the command line. */
#ifndef AUTOMATION_SIMULATION_VIEW_H
#define AUTOMATION_SIMULATION_VIEW_H

struct automation_simulation;
struct json_writer;

/* Writes the object that POST /v1/workflows/simulate answers. */
void automation_simulation_write(
    struct json_writer *writer, const struct automation_simulation *simulation);

#endif
