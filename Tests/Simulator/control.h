// The simulator's own files, which COMMAND finds in $SUSTAIN_SIMULATOR.
#pragma once

#include "machine.h"

/// Makes DIR/control, truth, log and error.
bool control_add_files(struct machine *machine, struct message *message);

/// Does what one write(2) to the control file says: all of its lines at one moment, or, if one of them is
/// wrong, none. Returns 0 or errno; EINVAL leaves its reason in the error file.
int control_write(struct machine *machine, const char *bytes, size_t length);
