// simulator [--log FILE] SCENARIO -- COMMAND [ARG...]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "control.h"
#include "fs.h"
#include "mounts.h"
#include "scenario.h"

static const char usage[] = "usage: simulator [--log FILE] SCENARIO -- COMMAND [ARG...]\n";

struct options {
    const char *log;
    const char *scenario;
    char **command;
};

static bool parse_options(int count, char **words, struct options *options) {
    *options = (struct options){0};
    int at = 1;
    if (at + 1 < count && strcmp(words[at], "--log") == 0) {
        options->log = words[at + 1];
        at += 2;
    }
    if (at + 2 >= count || words[at][0] == '-' || strcmp(words[at + 1], "--") != 0) return false;
    options->scenario = words[at];
    options->command = words + at + 2;
    return true;
}

static int fail(const struct message *message) {
    (void)fprintf(stderr, "simulator: %s\n", message->text);
    return OWN_FAILURE;
}

/// What the child needs to put the mounts in their places.
struct placing {
    struct machine *machine;
    struct fs *fs;
};

static bool place(void *context, struct message *message) {
    struct placing *placing = context;
    // The file system lives as long as its last descriptor, and must end with the process that serves it.
    (void)close(placing->fs->descriptor);
    return mounts_place(&placing->machine->tree, message);
}

static bool start_threads(struct machine *machine, struct message *message) {
    pthread_t plan;
    int error = pthread_create(&plan, NULL, machine_run_plan, machine);
    if (error != 0) return refuse(message, "cannot start a thread: %s", strerror(error));
    (void)pthread_detach(plan);
    return true;
}

static int run(struct machine *machine, char **words, struct message *message) {
    if (!mounts_unshare(message)) return fail(message);
    struct fs fs;
    if (!fs_mount(&fs, machine, MOUNT_STAGE, message)) return fail(message);
    struct placing placing = {machine, &fs};
    struct command command;
    if (!command_fork(&command, words, place, &placing, message)) return fail(message);
    if (!fs_serve(&fs, message) || !log_start_writer(&machine->log, message)) return fail(message);
    if (command_is_ready(&command)) {
        if (!machine_start(machine, message) || !start_threads(machine, message)) return fail(message);
        command_go(&command);
    }
    int status = command_wait(&command);
    machine_end(machine, status);
    return status;
}

int main(int count, char **words) {
    struct options options;
    struct message message;
    static struct machine machine;
    if (!parse_options(count, words, &options)) {
        (void)fputs(usage, stderr);
        return OWN_FAILURE;
    }
    if (!fs_is_built(&message)) return fail(&message);
    if (setenv("SUSTAIN_SIMULATOR", "/sys/" CONTROL_DIRECTORY, 1) != 0) {
        refuse(&message, "out of memory");
        return fail(&message);
    }
    if (!machine_begin(&machine, options.log, &message)
        || !mounts_add_directories(&machine.tree, &message) || !control_add_files(&machine, &message)
        || !scenario_read(&machine, options.scenario, &message)) {
        return fail(&message);
    }
    int status = run(&machine, options.command, &message);
    int error = log_end(&machine.log);
    if (error == 0) return status;
    refuse(&message, "%s: %s", options.log == NULL ? "the log" : options.log, strerror(error));
    return fail(&message);
}
