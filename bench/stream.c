/* The four operations of the STREAM benchmark (J. D. McCalpin) on arrays of doubles, written anew: what a
 * compiler makes of plain loops.
 *
 * usage: stream copy|scale|add|triad ELEMENTS TIMES
 * prints the mean rate of all passes but the first, and the best, in bytes a second by STREAM's rule. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kernel { COPY, SCALE, ADD, TRIAD, KERNELS };
static const char *const names[KERNELS] = {"copy", "scale", "add", "triad"};
static const int arrays_moved[KERNELS] = {2, 2, 3, 3};
static const double factor = 3.0;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pass(enum kernel kernel, long n, double *restrict a, double *restrict b, double *restrict c)
{
    switch (kernel) {
    case COPY:
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            c[i] = a[i];
        break;
    case SCALE:
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            b[i] = factor * c[i];
        break;
    case ADD:
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            c[i] = a[i] + b[i];
        break;
    default:
#pragma omp parallel for
        for (long i = 0; i < n; i++)
            a[i] = b[i] + factor * c[i];
    }
}

static double written(enum kernel kernel, double a, double b, double c)
{
    switch (kernel) {
    case COPY:
        return a;
    case SCALE:
        return factor * c;
    case ADD:
        return a + b;
    default:
        return b + factor * c;
    }
}

int main(int count, char **words)
{
    int kernel = 0;
    while (count == 4 && kernel < KERNELS && strcmp(words[1], names[kernel]) != 0)
        kernel++;
    long n = count == 4 ? atol(words[2]) : 0, times = count == 4 ? atol(words[3]) : 0;
    if (kernel == KERNELS || n < 1 || times < 2) {
        fprintf(stderr, "usage: stream copy|scale|add|triad ELEMENTS TIMES\n");
        return 2;
    }
    double *a = aligned_alloc(1 << 21, ((size_t)n * sizeof *a + (1 << 21) - 1) >> 21 << 21);
    double *b = aligned_alloc(1 << 21, ((size_t)n * sizeof *b + (1 << 21) - 1) >> 21 << 21);
    double *c = aligned_alloc(1 << 21, ((size_t)n * sizeof *c + (1 << 21) - 1) >> 21 << 21);
    if (!a || !b || !c) {
        fprintf(stderr, "not enough memory\n");
        return 1;
    }
#pragma omp parallel for
    for (long i = 0; i < n; i++) {
        a[i] = 1.0;
        b[i] = 2.0;
        c[i] = 4.0;
    }
    double sum_s = 0.0, best_s = 1e9;
    for (long time = 0; time < times; time++) {
        double begin_s = now_s();
        pass(kernel, n, a, b, c);
        double pass_s = now_s() - begin_s;
        if (time > 0) {
            sum_s += pass_s;
            best_s = pass_s < best_s ? pass_s : best_s;
        }
    }
    const double *const target = kernel == SCALE ? b : kernel == TRIAD ? a : c;
    for (long i = 0; i < n; i++)
        if (target[i] != written(kernel, 1.0, 2.0, 4.0)) {
            fprintf(stderr, "%s left a wrong number in place %ld\n", names[kernel], i);
            return 1;
        }
    double bytes = (double)arrays_moved[kernel] * (double)n * sizeof *a;
    printf("%.6g %.6g\n", bytes * (double)(times - 1) / sum_s, bytes / best_s);
    return 0;
}
