/*
 * Starts a program so many times a second, one after the other, and prints how many it has started in which time.
 *
 * PROGRAM RATE_PER_S SECONDS: what could not be started in its turn is started as soon as possible, up to the end. With
 * -DPROGRAM it is the program itself, which ends at once: linked statically, because a dynamic linker takes longer than it.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef PROGRAM
void _start(void) { _exit(0); }
#else

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    double rate_per_s = atof(argv[2]), length_s = atof(argv[3]), start_s = now_s(), elapsed_s = 0;
    char *words[] = {argv[1], NULL}, *environment[] = {NULL};
    long started = 0;
    while ((elapsed_s = now_s() - start_s) < length_s) {
        if ((double)started > elapsed_s * rate_per_s) {
            struct timespec pause = {0, 100000};
            nanosleep(&pause, NULL);
            continue;
        }
        pid_t child;
        int status;
        if (posix_spawn(&child, words[0], NULL, NULL, words, environment) != 0) return 1;
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
        started++;
    }
    printf("%ld %.6f\n", started, elapsed_s);
    return 0;
}
#endif
