#include "children.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

int chost_keep_ended_children(void) {
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) < 0) return -errno;
    int ignored = !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
    if (!ignored && !(action.sa_flags & SA_NOCLDWAIT)) return 0;
    if (ignored) action.sa_handler = SIG_DFL;
    action.sa_flags &= ~SA_NOCLDWAIT;
    return sigaction(SIGCHLD, &action, NULL) < 0 ? -errno : 0;
}

void chost_kill_and_reap(pid_t pid) {
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}
