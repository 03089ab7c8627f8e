// The scenario file: what the machine has, and what happens to it.
#pragma once

#include "machine.h"
#include "words.h"

/// Reads a scenario into a machine. A message names the file, the line and the cause.
bool scenario_read(struct machine *machine, const char *path, struct message *message);

/// The declaration `zone`: a powercap zone with its files and links, as the kernel makes them.
bool declare_zone(struct machine *machine, const struct words *words, struct message *message);

/// The declaration `chip`: a hwmon chip, on a device if one is named.
bool declare_chip(struct machine *machine, const struct words *words, struct message *message);

/// Makes a file that shows a domain.
struct node *add_sensor(
    struct machine *machine, const char *path, const struct sensor *sensor, int64_t mode,
    struct message *message);

/// Finds a domain by name, or says that there is none.
struct domain *find_domain(struct machine *machine, const char *name, struct message *message);
