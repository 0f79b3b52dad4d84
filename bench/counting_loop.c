/*
 * Threads that compute without end and say how far they are: what a tool that watches them costs them.
 *
 * FILE THREADS: the file has THREADS lines of 64 bytes, and the first eight of each count what its thread has done:
 * rounds of some 4,000 instructions, of which a fifth is floating point. None of them asks the kernel for anything.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LINE_BYTES = 64, STEPS = 1000 };

static void *compute(void *line) {
    volatile uint64_t *rounds = line;
    volatile double kept = 0;
    for (;;) {
        uint64_t state = *rounds;
        double sum = kept;
        for (int step = 0; step < STEPS; step++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += (state & 1) ? 1.5 : -1.5;
        }
        kept = sum;
        *rounds += 1;
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    // It ends with the bench, also where that is killed.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int threads = atoi(argv[2]);
    int file = open(argv[1], O_RDWR);
    if (threads < 1 || file < 0 || ftruncate(file, (off_t)threads * LINE_BYTES) != 0) return 1;
    char *lines = mmap(NULL, (size_t)threads * LINE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (lines == MAP_FAILED) return 1;
    for (int number = 1; number < threads; number++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, compute, lines + number * LINE_BYTES) != 0) return 1;
    }
    compute(lines);
}
