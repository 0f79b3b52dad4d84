// Two loops in turn, for ever: 400,000 rounds of 8 fast instructions, and 20,000 of 4, one of them a division that waits for the
// one before. 0.6 % of all instructions are floating point, and their loop takes a multiple of that of the time.
static void fast(long rounds) {
    __asm__ volatile("1: add $1, %%rax\nadd $1, %%rcx\nadd $1, %%rdx\nadd $1, %%rsi\nxor %%r8, %%r9\nadd $1, %%r10\n"
                     "dec %0\njnz 1b\n"
                     : "+r"(rounds)
                     :
                     : "rax", "rcx", "rdx", "rsi", "r9", "r10", "cc");
}

static void slow(long rounds) {
    double divided = 1.5, by = 1.0000001;
    __asm__ volatile("1: divsd %2, %1\nnop\ndec %0\njnz 1b\n" : "+r"(rounds), "+x"(divided) : "x"(by) : "cc");
}

int main(void) {
    for (;;) {
        fast(400000);
        slow(20000);
    }
}
