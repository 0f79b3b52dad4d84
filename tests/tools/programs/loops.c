// Loops whose share of floating-point instructions is known: FLOATING of OPERATION, INTEGER ones of integers, and a jump.
// `loops` runs one for ever; `loops THREADS` that and so many threads without floating point beside it;
// `loops exec PROGRAM` becomes another program after a second.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT(x) #x
#define REPEAT(n, instruction) ".rept " TEXT(n) "\n" instruction "\n.endr\n"

static char *next;

static void loop(void) {
    __asm__ volatile("1:\n" REPEAT(FLOATING, OPERATION " %%xmm0, %%xmm1") REPEAT(INTEGER, "lea 1(%%rcx), %%rax") "jmp 1b\n"
                     :
                     :
                     : "rax", "xmm1");
}

static void *integers(void *nothing) {
    __asm__ volatile("1:\nadd $1, %%rax\njmp 1b\n" : : : "rax");
    return nothing;
}

static void become(int number) {
    (void)number;
    execl(next, next, (char *)NULL);
    _exit(127);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "exec") == 0) {
        next = argv[2];
        signal(SIGALRM, become);
        alarm(1);
    } else if (argc == 2) {
        for (int left = atoi(argv[1]); left > 0; left--) {
            pthread_t thread;
            pthread_create(&thread, NULL, integers, NULL);
        }
    }
    loop();
}
