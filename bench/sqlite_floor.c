/* The read-only transaction of `oltp` by SQLite's own calls and nothing else: the engine's part of the cost.
 *
 *   sqlite_floor FILE CUSTOMERS RUN_S CACHE_KIB SELECT...
 *
 * The last select is about another customer than those before it. Connects, binds, steps and reads columns as
 * iGen does. Prints the transactions of each second, for `bench/steady.py`. Linked with the library that iGen
 * was built with, of which these are the declarations (https://www.sqlite.org/c3ref/funclist.html).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
int sqlite3_db_config(sqlite3 *, int, ...);
int sqlite3_exec(sqlite3 *, const char *, void *, void *, char **);
int sqlite3_prepare_v3(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);
int sqlite3_bind_int64(sqlite3_stmt *, int, int64_t);
int sqlite3_step(sqlite3_stmt *);
int sqlite3_reset(sqlite3_stmt *);
int sqlite3_column_count(sqlite3_stmt *);
int sqlite3_column_type(sqlite3_stmt *, int);
int64_t sqlite3_column_int64(sqlite3_stmt *, int);
const unsigned char *sqlite3_column_text(sqlite3_stmt *, int);
int sqlite3_column_bytes(sqlite3_stmt *, int);
enum { OPEN_READWRITE = 0x2, OPEN_NOMUTEX = 0x8000, ENABLE_QPSG = 1007, PREPARE_PERSISTENT = 1 };
enum { ROW = 100, DONE = 101, INTEGER = 1 };
enum { MOST_SELECTS = 8, TRANSACTIONS_PER_LOOK = 64 };

static int64_t sum; /* Of what was read, so that the compiler keeps the reading. */

static void must(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "sqlite_floor: %s\n", what);
        exit(1);
    }
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    must(sqlite3_prepare_v3(database, sql, -1, PREPARE_PERSISTENT, &statement, NULL) == 0, sql);
    return statement;
}

static void control(sqlite3_stmt *statement)
{
    must(sqlite3_step(statement) == DONE, "begin or commit failed");
    sqlite3_reset(statement);
}

static void read_rows(sqlite3_stmt *statement, int64_t key)
{
    int rows = 0, result, columns = sqlite3_column_count(statement);
    sqlite3_bind_int64(statement, 1, key);
    for (; (result = sqlite3_step(statement)) == ROW; rows++)
        for (int column = 0; column < columns; column++)
            if (sqlite3_column_type(statement, column) == INTEGER)
                sum += sqlite3_column_int64(statement, column);
            else
                sum += *sqlite3_column_text(statement, column) + sqlite3_column_bytes(statement, column);
    must(result == DONE && rows > 0, "a select returned no rows");
    sqlite3_reset(statement);
}

/* xorshift64*: https://vigna.di.unimi.it/ftp/papers/xorshift.pdf */
static int64_t draw(uint64_t *state, uint64_t customers)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return 1 + (int64_t)(((*state * 0x2545F4914F6CDD1DULL >> 32) * customers) >> 32);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int count, char **arguments)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *selects[MOST_SELECTS], *begin, *commit;
    char cache[64];
    uint64_t state = 42;

    must(count > 5 && count <= 5 + MOST_SELECTS, "usage: sqlite_floor FILE CUSTOMERS RUN_S CACHE_KIB SELECT...");
    uint64_t customers = strtoull(arguments[2], NULL, 10);
    double run_s = strtod(arguments[3], NULL);
    int selects_count = count - 5;
    must(sqlite3_open_v2(arguments[1], &database, OPEN_READWRITE | OPEN_NOMUTEX, NULL) == 0, "cannot open FILE");
    sqlite3_db_config(database, ENABLE_QPSG, 1, NULL);
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%s", arguments[4]);
    must(sqlite3_exec(database, cache, NULL, NULL, NULL) == 0, cache);
    begin = prepare(database, "BEGIN");
    commit = prepare(database, "COMMIT");
    for (int i = 0; i < selects_count; i++)
        selects[i] = prepare(database, arguments[5 + i]);

    double start_s = now_s(), report_s = start_s;
    for (uint64_t done = 0, reported = 0; report_s < start_s + run_s;) {
        int64_t customer = draw(&state, customers), other = draw(&state, customers);
        control(begin);
        for (int i = 0; i < selects_count; i++)
            read_rows(selects[i], i + 1 < selects_count ? customer : other);
        control(commit);
        if (++done % TRANSACTIONS_PER_LOOK == 0 && now_s() >= report_s + 1) {
            double at_s = now_s();
            printf("%.3f transactions/s\n", (done - reported) / (at_s - report_s));
            fflush(stdout);
            reported = done;
            report_s = at_s;
        }
    }
    fprintf(stderr, "checksum %lld\n", (long long)sum);
    return 0;
}
