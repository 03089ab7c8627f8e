// COMMAND: started in the simulated machine, waited for, told of signals.
#pragma once

#include "text.h"

/// A child that waits to become COMMAND.
struct command {
    int pid;
    /// Its end says "ready" once the child is prepared.
    int ready;
    int go;
};

/// What the child does before it says that it is ready.
typedef bool preparation(void *context, struct message *message);

/// Forks the child: it prepares itself, then waits for `command_go`. It ends with this process, however that
/// ends. To be called before any thread is started; signals are blocked from here on.
bool command_fork(
    struct command *command, char *const words[], preparation *prepare, void *context,
    struct message *message);

/// Waits until the child is ready. False if it ended instead: it has said why.
bool command_is_ready(struct command *command);

void command_go(struct command *command);

/// Waits for COMMAND's end, and passes on the signals that this process is sent meanwhile. Returns the exit
/// status as a shell would: 128 and the signal's number if a signal ended it.
int command_wait(struct command *command);

/// The status for our own failures, as env(1) has it.
#define OWN_FAILURE 125
