/* Counts n-queens solutions by plain bitmask backtracking on half of the first row. Usage: half_board N */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t full;

static uint64_t place(uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == full)
        return 1;
    uint64_t count = 0;
    uint32_t safe = full & ~(columns | left | right);
    while (safe) {
        uint32_t bit = safe & -safe;
        safe ^= bit;
        count += place(columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    full = (uint32_t)((1ull << n) - 1);
    uint64_t count = 0;
    for (int c = 0; c < n / 2; c++)
        count += 2 * place(1u << c, 2u << c, (1u << c) >> 1);
    if (n % 2)
        count += place(1u << n / 2, 2u << n / 2, (1u << n / 2) >> 1);
    printf("%llu\n", (unsigned long long)count);
    return 0;
}
