/*
 * What no client of a web server can do without: a request on each connection, and its answer read up to its
 * last byte. One thread, one epoll, no times, no statistics; of an answer nothing is looked at but its length,
 * which is that of the first one.
 */
#include "bare_loop.h"

enum { INPUT_BYTES = 65536, EVENTS = 1024, REQUEST_BYTES = 128 };

struct connection { int fd; size_t missing; };

static char input[INPUT_BYTES + 1], request[REQUEST_BYTES];
static size_t request_bytes, answer_bytes;
static uint64_t answers;

static void ask(struct connection *of)
{
    of->missing = answer_bytes;
    must(send(of->fd, request, request_bytes, MSG_NOSIGNAL) == (ssize_t)request_bytes, "send");
}

static void read_on(struct connection *of)
{
    ssize_t got = recv(of->fd, input, INPUT_BYTES, 0);
    must(got > 0 && (size_t)got <= of->missing, "an answer of another length, or none");
    of->missing -= got;
    if (of->missing == 0) {
        answers++;
        ask(of);
    }
}

/* The length of a whole answer, which must be right. */
static size_t first_answer(int fd)
{
    size_t got = 0, whole = 0;
    must(send(fd, request, request_bytes, MSG_NOSIGNAL) == (ssize_t)request_bytes, "send");
    while (whole == 0 || got < whole) {
        ssize_t more = recv(fd, input + got, INPUT_BYTES - got, 0);
        must(more > 0, "no whole answer");
        got += more;
        input[got] = 0;
        const char *end = strstr(input, "\r\n\r\n"), *length = strcasestr(input, "\r\nContent-Length:");
        if (end && length)
            whole = end + 4 - input + atol(length + strlen("\r\nContent-Length:"));
    }
    must(got == whole && strncmp(input, "HTTP/1.1 200 ", 13) == 0, "no right answer");
    return whole;
}

int main(int count, char **arguments)
{
    must(count == 4, "usage: http_floor PORT CONNECTIONS RUN_S");
    request_bytes = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n", arguments[1]);
    int connections = atoi(arguments[2]), epoll = epoll_create1(0);
    struct connection *all = calloc(connections, sizeof *all);
    for (int i = 0; i < connections; i++) {
        struct connection *each = &all[i];
        each->fd = connected(arguments[1]);
        watch(epoll, each->fd, each);
    }
    answer_bytes = first_answer(all[0].fd);
    double start_s = now_s(), at_s = start_s;
    for (int i = 0; i < connections; i++)
        ask(&all[i]);
    while (at_s < start_s + atof(arguments[3])) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(epoll, events, EVENTS, 100);
        for (int i = 0; i < ready; i++)
            read_on(events[i].data.ptr);
        at_s = now_s();
    }
    printf("%llu answers in %.3f s\n", (unsigned long long)answers, at_s - start_s);
    return 0;
}
