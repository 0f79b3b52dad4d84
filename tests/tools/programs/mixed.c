/* Floating point, bits and text: enough for a compiler to show which processor it was told of. */
#include <stdio.h>
#include <stdlib.h>

struct point {
    double x, y, z;
};

static double work(struct point *points, int count, double factor) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        points[i].x = points[i].x * factor + points[i].y;
        points[i].y = points[i].y * factor - points[i].z;
        points[i].z = points[i].x / (points[i].y + 1.5);
        sum += points[i].z * points[i].x;
    }
    return sum;
}

static unsigned long bits(const unsigned long *numbers, int count, int by) {
    unsigned long sum = 0;
    for (int i = 0; i < count; i++)
        sum += __builtin_popcountl(numbers[i] >> by) + ((numbers[i] << (by & 7)) & ~(numbers[i] >> 3));
    return sum;
}

static int words(const char *text) {
    int count = 0, inside = 0;
    for (const char *at = text; *at; at++) {
        int letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (letter && !inside)
            count++;
        inside = letter;
    }
    return count;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    struct point *points = calloc(count, sizeof *points);
    unsigned long *numbers = calloc(count, sizeof *numbers);
    for (int i = 0; i < count; i++) {
        points[i].x = i;
        points[i].y = i * 0.5;
        points[i].z = count - i;
        numbers[i] = i * 2654435761ul;
    }
    double sum = 0;
    for (int round = 0; round < 10; round++)
        sum += work(points, count, 1.0 / (round + 1));
    printf("%g %lu %d\n", sum, bits(numbers, count, argc), words(argv[0]));
    free(points);
    free(numbers);
    return 0;
}
