#include "bandwidth.h"
#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    chost_bandwidth *probe;
    pthread_t id;
    int processor;
    // Of its last repetition.
    uint64_t begin_ns, end_ns;
    // Keeps the compiler from leaving the additions out.
    uint64_t sum;
} reader;

struct chost_bandwidth {
    reader *readers;
    size_t count;
    uint64_t bytes_each, duration_ns;
    pthread_barrier_t together;
    // Readers wait here until all of them exist, or until it is known that they never will.
    pthread_mutex_t gate;
    pthread_cond_t opened;
    enum { GATE_CLOSED, GATE_OPEN, GATE_GIVEN_UP } state;
    atomic_int error, stop, over;
    atomic_size_t running;
    // Written by the first reader alone, while the others wait at a barrier.
    uint64_t first_ns, best_ns, repetitions;
};

// Eight sums side by side: a single one would wait for its own additions longer than for memory.
static uint64_t add_up(const uint64_t *words, size_t count) {
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 8 <= count; i += 8) {
        for (size_t lane = 0; lane < 8; lane++) sums[lane] += words[i + lane];
    }
    uint64_t sum = 0;
    for (size_t lane = 0; lane < 8; lane++) sum += sums[lane];
    return sum;
}

static void bind_to(int processor) {
    cpu_set_t set;
    if (processor < 0 || processor >= CPU_SETSIZE) return;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    // Where this is not allowed the kernel spreads the threads well enough.
    (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static uint64_t *take_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    // Fewer translations to look up; a kernel without large pages says no and nothing is lost.
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    uint64_t *words = memory;
    for (size_t i = 0; i < bytes / sizeof *words; i++) words[i] = i * 0x9E3779B97F4A7C15u;
    return words;
}

static void count_repetition(chost_bandwidth *probe) {
    uint64_t begin = UINT64_MAX, end = 0;
    for (size_t i = 0; i < probe->count; i++) {
        if (probe->readers[i].begin_ns < begin) begin = probe->readers[i].begin_ns;
        if (probe->readers[i].end_ns > end) end = probe->readers[i].end_ns;
    }
    uint64_t length = end > begin ? end - begin : 1;
    if (probe->repetitions == 0) probe->first_ns = begin;
    if (probe->repetitions == 0 || length < probe->best_ns) probe->best_ns = length;
    probe->repetitions++;
    if (atomic_load(&probe->stop) || end - probe->first_ns >= probe->duration_ns) atomic_store(&probe->over, 1);
}

static void read_repeatedly(reader *self, const uint64_t *words) {
    chost_bandwidth *probe = self->probe;
    do {
        pthread_barrier_wait(&probe->together);
        self->begin_ns = chost_monotonic_ns();
        self->sum += add_up(words, probe->bytes_each / sizeof *words);
        self->end_ns = chost_monotonic_ns();
        pthread_barrier_wait(&probe->together);
        if (self == probe->readers) count_repetition(probe);
        pthread_barrier_wait(&probe->together);
    } while (!atomic_load(&probe->over));
}

static void *run_reader(void *argument) {
    reader *self = argument;
    chost_bandwidth *probe = self->probe;
    pthread_mutex_lock(&probe->gate);
    while (probe->state == GATE_CLOSED) pthread_cond_wait(&probe->opened, &probe->gate);
    int begins = probe->state == GATE_OPEN;
    pthread_mutex_unlock(&probe->gate);
    if (begins) {
        bind_to(self->processor);
        uint64_t *words = take_memory(probe->bytes_each);
        if (!words) atomic_store(&probe->error, errno);
        pthread_barrier_wait(&probe->together);
        // The same answer for all: nobody changes it after the barrier.
        if (!atomic_load(&probe->error)) read_repeatedly(self, words);
        if (words) (void)munmap(words, probe->bytes_each);
    }
    atomic_fetch_sub(&probe->running, 1);
    return NULL;
}

static void release(chost_bandwidth *probe, size_t made) {
    for (size_t i = 0; i < made; i++) (void)pthread_join(probe->readers[i].id, NULL);
    pthread_barrier_destroy(&probe->together);
    pthread_cond_destroy(&probe->opened);
    pthread_mutex_destroy(&probe->gate);
    free(probe->readers);
    free(probe);
}

static void open_gate(chost_bandwidth *probe, int state) {
    pthread_mutex_lock(&probe->gate);
    probe->state = state;
    pthread_cond_broadcast(&probe->opened);
    pthread_mutex_unlock(&probe->gate);
}

static chost_bandwidth *prepare(const chost_bandwidth_request *request, uint64_t bytes_each) {
    chost_bandwidth *probe = calloc(1, sizeof *probe);
    reader *readers = calloc(request->threads, sizeof *readers);
    if (!probe || !readers || pthread_barrier_init(&probe->together, NULL, (unsigned)request->threads)) {
        free(readers);
        free(probe);
        return NULL;
    }
    // These two cannot fail with default attributes on Linux.
    pthread_mutex_init(&probe->gate, NULL);
    pthread_cond_init(&probe->opened, NULL);
    probe->readers = readers;
    probe->count = request->threads;
    probe->bytes_each = bytes_each;
    probe->duration_ns = request->duration_ns;
    atomic_store(&probe->running, request->threads);
    for (size_t i = 0; i < request->threads; i++) {
        readers[i].probe = probe;
        readers[i].processor = request->processors[i];
    }
    return probe;
}

int chost_bandwidth_start(const chost_bandwidth_request *request, chost_bandwidth **result) {
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || request->threads == 0 || request->threads > UINT16_MAX) return -EINVAL;
    uint64_t bytes_each = request->bytes / request->threads / (uint64_t)page * (uint64_t)page;
    if (bytes_each == 0 || bytes_each > SIZE_MAX / 2) return -EINVAL;
    chost_bandwidth *probe = prepare(request, bytes_each);
    if (!probe) return -ENOMEM;

    sigset_t all, before;
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    size_t made = 0;
    while (!error && made < probe->count) {
        error = pthread_create(&probe->readers[made].id, NULL, run_reader, &probe->readers[made]);
        if (!error) made++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    open_gate(probe, error ? GATE_GIVEN_UP : GATE_OPEN);
    if (error) {
        release(probe, made);
        return -error;
    }
    *result = probe;
    return 0;
}

int chost_bandwidth_ended(chost_bandwidth *probe) { return atomic_load(&probe->running) == 0; }

int chost_bandwidth_finish(chost_bandwidth *probe, chost_bandwidth_result *result) {
    atomic_store(&probe->stop, 1);
    // Joined before anything is read: the readers' last stores are then seen.
    for (size_t i = 0; i < probe->count; i++) (void)pthread_join(probe->readers[i].id, NULL);
    int error = atomic_load(&probe->error);
    *result = (chost_bandwidth_result){
        .bytes = probe->bytes_each * probe->count,
        .best_ns = probe->best_ns,
        .repetitions = probe->repetitions,
    };
    release(probe, 0);
    return -error;
}
