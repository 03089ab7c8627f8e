// What every way of starting a child needs.
#pragma once
#include <sys/types.h>

/// Makes sure that an ended child waits to be reaped: a caller may have been started with SIGCHLD ignored, and
/// the kernel then throws away how children end (waitid(2)). \returns 0 or -errno.
int chost_keep_ended_children(void);

/// Ends a child that cannot be used and takes it out of the process table.
void chost_kill_and_reap(pid_t pid);
