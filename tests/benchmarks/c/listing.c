/* Lists all n-queens solutions into an array of 4096 rows of n bytes, used again and again, by the search of
 * search_queens in cpqueens/kernels/boards/bitmask.py: explicit stack, dead ends not entered, nodes and failures
 * counted. With a second argument it counts only. Usage: listing N [count] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t untried, columns, left, right;
} level;

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8, listing = argc < 3, last = n - 1, row = 0;
    uint64_t full = n < 64 ? (1ull << n) - 1 : ~0ull, allowed[64];
    uint64_t untried = full, columns = 0, left = 0, right = 0, nodes = 1, failures = 0, solutions = 0, sum = 0;
    level stack[64];
    size_t filled = 0, batch = 4096;
    uint8_t *out = malloc(batch * n);
    for (int i = 0; i < n; i++)
        allowed[i] = full;
    for (;;) {
        if (!untried) {
            if (row == 0)
                break;
            level *top = &stack[--row];
            untried = top->untried, columns = top->columns, left = top->left, right = top->right;
            continue;
        }
        if (row == last && !listing) {
            int found = __builtin_popcountll(untried);
            solutions += found, nodes += found, untried = 0;
            continue;
        }
        uint64_t bit = untried & -untried;
        untried ^= bit;
        nodes++;
        if (row == last) {
            uint64_t after = columns | bit, before = columns;
            uint8_t *solution = out + filled * n;
            for (int r = last; r >= 0; r--) {
                if (r < last)
                    before = stack[r].columns;
                solution[r] = __builtin_ctzll(after ^ before);
                after = before;
            }
            solutions++;
            if (++filled == batch) {
                sum += out[solutions % (batch * n)]; /* the array is read, so that it must be written */
                filled = 0;
            }
            continue;
        }
        uint64_t c = columns | bit, l = (left | bit) << 1, r = (right | bit) >> 1;
        uint64_t safe = allowed[row + 1] & ~(c | l | r);
        if (!safe) {
            failures++;
            continue;
        }
        level *top = &stack[row++];
        top->untried = untried, top->columns = columns, top->left = left, top->right = right;
        untried = safe, columns = c, left = l, right = r;
    }
    printf("%llu %llu %llu %llu\n", (unsigned long long)solutions, (unsigned long long)nodes,
           (unsigned long long)failures, (unsigned long long)sum);
    free(out);
    return 0;
}
