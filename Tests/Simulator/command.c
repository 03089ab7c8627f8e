#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t blocked;

static bool block_signals(struct message *message) {
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD, SIGPIPE};
    sigemptyset(&blocked);
    for (size_t at = 0; at < sizeof passed / sizeof *passed; at += 1) sigaddset(&blocked, passed[at]);
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) == 0) return true;
    return refuse(message, "cannot block signals: %s", strerror(errno));
}

static void say(const char *thing, const char *cause) {
    // Nobody is left to tell if this fails.
    (void)fprintf(stderr, "simulator: %s: %s\n", thing, cause);
}

static void become(char *const words[], int ready, int go) {
    char byte = 0;
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1) _exit(OWN_FAILURE);
    // Not what this program was given: runners start children on threads that block everything.
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execvp(words[0], words);
    int error = errno;
    say(words[0], strerror(error));
    _exit(error == ENOENT ? 127 : 126);
}

bool command_fork(
    struct command *command, char *const words[], preparation *prepare, void *context,
    struct message *message) {
    int ready[2], go[2];
    if (pipe2(ready, O_CLOEXEC) != 0 || pipe2(go, O_CLOEXEC) != 0) {
        return refuse(message, "cannot make a pipe: %s", strerror(errno));
    }
    if (!block_signals(message)) return false;
    pid_t parent = getpid();
    command->pid = fork();
    if (command->pid < 0) return refuse(message, "cannot start a process: %s", strerror(errno));
    if (command->pid == 0) {
        struct message cause;
        // The parent may be gone before this is set.
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(OWN_FAILURE);
        (void)close(ready[0]);
        (void)close(go[1]);
        if (!prepare(context, &cause)) {
            say("cannot set the machine up", cause.text);
            _exit(OWN_FAILURE);
        }
        become(words, ready[1], go[0]);
    }
    (void)close(ready[1]);
    (void)close(go[0]);
    command->ready = ready[0];
    command->go = go[1];
    return true;
}

bool command_is_ready(struct command *command) {
    char byte;
    ssize_t length;
    do {
        length = read(command->ready, &byte, 1);
    } while (length < 0 && errno == EINTR);
    return length == 1;
}

void command_go(struct command *command) {
    char byte = 0;
    // If the child is gone, waiting for it tells.
    (void)!write(command->go, &byte, 1);
}

int command_wait(struct command *command) {
    for (;;) {
        int status;
        pid_t ended = waitpid(command->pid, &status, WNOHANG);
        if (ended == command->pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno != EINTR) return OWN_FAILURE;
        siginfo_t info;
        int signal = sigwaitinfo(&blocked, &info);
        // A terminal sends its signals to COMMAND as well: twice would be a second Ctrl-C.
        if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) (void)kill(command->pid, signal);
    }
}
