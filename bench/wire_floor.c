/*
 * What no client of PostgreSQL can do without: the same bytes to the server, and its answers read up to the
 * last message. One thread, one epoll, no times, no statistics, no look into a row.
 *
 * FILE holds, in little endian: a number of exchanges that a connection begins with; a number of transactions,
 * and for each the number of its exchanges. An exchange is the number of `ReadyForQuery` that end its answer,
 * a length, and so many bytes. Each connection begins at another transaction, and goes round.
 */
#include "bare_loop.h"

enum { INPUT_BYTES = 65536, EVENTS = 256, HEADER_BYTES = 5 };

struct exchange { uint32_t ends, length; const unsigned char *bytes; };
struct transaction { uint32_t count; struct exchange *exchanges; };
struct connection {
    int fd;
    uint32_t transaction, exchange, waiting_for, header_bytes, skip_bytes;
    unsigned char header[HEADER_BYTES];
};

static unsigned char input[INPUT_BYTES];
static struct transaction *transactions;
static uint32_t transactions_count;
static uint64_t done;

static uint32_t number(const unsigned char **at)
{
    uint32_t value;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

static struct transaction exchanges(const unsigned char **at)
{
    struct transaction read = {number(at), NULL};
    read.exchanges = calloc(read.count, sizeof *read.exchanges);
    for (uint32_t i = 0; i < read.count; i++) {
        struct exchange *each = &read.exchanges[i];
        each->ends = number(at);
        each->length = number(at);
        each->bytes = *at;
        *at += each->length;
    }
    return read;
}

static void ask(struct connection *of, const struct exchange *what)
{
    of->waiting_for = what->ends;
    must(send(of->fd, what->bytes, what->length, MSG_NOSIGNAL) == (ssize_t)what->length, "send");
}

/* Takes what has come; whether the answer is whole. */
static int answered(struct connection *of)
{
    ssize_t got = recv(of->fd, input, sizeof input, 0);
    must(got > 0, "the server ended the connection");
    for (uint32_t at = 0; at < got;) {
        if (of->skip_bytes) {
            uint32_t skip = of->skip_bytes < got - at ? of->skip_bytes : got - at;
            of->skip_bytes -= skip;
            at += skip;
            continue;
        }
        of->header[of->header_bytes++] = input[at++];
        if (of->header_bytes == HEADER_BYTES) {
            uint32_t length;
            memcpy(&length, of->header + 1, sizeof length);
            of->skip_bytes = ntohl(length) - sizeof length;
            of->header_bytes = 0;
            must(of->header[0] != 'E' || of->waiting_for == 0, "the server refused a statement");
            of->waiting_for -= of->header[0] == 'Z';
        }
    }
    return of->waiting_for == 0 && of->skip_bytes == 0 && of->header_bytes == 0;
}

static void go_on(struct connection *of)
{
    if (++of->exchange == transactions[of->transaction].count) {
        of->exchange = 0;
        of->transaction = (of->transaction + 1) % transactions_count;
        done++;
    }
    ask(of, &transactions[of->transaction].exchanges[of->exchange]);
}

int main(int count, char **arguments)
{
    must(count == 5, "usage: wire_floor FILE PORT CONNECTIONS RUN_S");
    FILE *file = fopen(arguments[1], "rb");
    must(file != NULL, arguments[1]);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(size);
    must(fread(bytes, 1, size, file) == (size_t)size, arguments[1]);
    const unsigned char *at = bytes;
    struct transaction beginning = exchanges(&at);
    transactions_count = number(&at);
    transactions = calloc(transactions_count, sizeof *transactions);
    for (uint32_t i = 0; i < transactions_count; i++)
        transactions[i] = exchanges(&at);

    int connections = atoi(arguments[3]), epoll = epoll_create1(0);
    struct connection *all = calloc(connections, sizeof *all);
    for (int i = 0; i < connections; i++) {
        struct connection *each = &all[i];
        each->fd = connected(arguments[2]);
        for (uint32_t step = 0; step < beginning.count; step++) {
            ask(each, &beginning.exchanges[step]);
            while (!answered(each))
                continue;
        }
        each->transaction = (uint64_t)i * transactions_count / connections;
        watch(epoll, each->fd, each);
    }
    for (int i = 0; i < connections; i++)
        ask(&all[i], &transactions[all[i].transaction].exchanges[0]);
    double start_s = now_s(), report_s = start_s;
    for (uint64_t reported = 0; report_s < start_s + atof(arguments[4]);) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(epoll, events, EVENTS, 100);
        for (int i = 0; i < ready; i++)
            if (answered(events[i].data.ptr))
                go_on(events[i].data.ptr);
        double at_s = now_s();
        if (at_s >= report_s + 1) {
            printf("%.3f transactions/s\n", (done - reported) / (at_s - report_s));
            fflush(stdout);
            reported = done;
            report_s = at_s;
        }
    }
    return 0;
}
