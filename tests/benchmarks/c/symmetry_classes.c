/* Counts n-queens solutions up to the eight symmetries of the square and weighs each class by its size.
 *
 * The known method of Takaken's programs: the queen of the first row is in the corner (then only the mirror
 * image in the diagonal remains, and the queens of the second row and the second column decide), or it is at
 * column `first`, and no queen of the other three border lines is closer to a corner. Only solutions whose
 * border queens stand symmetrically are compared with their rotations. Usage: symmetry_classes N (N >= 4)
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int n, last;
static uint32_t full, top_bit, side_mask, last_mask, end_bit;
static int first, first_mirror;
static uint32_t board[32];
static uint64_t count8, count4, count2;

/* Solutions with a queen in the corner; `limit` keeps the second column's queen below the second row's. */
static uint64_t corner(int row, int limit, uint32_t left, uint32_t down, uint32_t right)
{
    uint32_t safe = full & ~(left | down | right);
    if (row == last)
        return safe != 0;
    uint64_t found = 0;
    if (row < limit)
        safe &= ~2u;
    while (safe) {
        uint32_t bit = safe & -safe;
        safe ^= bit;
        found += corner(row + 1, limit, (left | bit) << 1, down | bit, (right | bit) >> 1);
    }
    return found;
}

/* Compares the board with its rotations; adds it to a class if it is the least of them. */
static void classify(void)
{
    uint32_t bit;
    int own, you;
    if (board[first_mirror] == 1) { /* a quarter turn */
        for (own = 1; own <= last; own++) {
            bit = 1;
            for (you = last; board[you] != (1u << own) && board[own] >= bit; you--)
                bit <<= 1;
            if (board[own] > bit)
                return;
            if (board[own] < bit)
                break;
        }
        if (own > last) {
            count2++;
            return;
        }
    }
    if (board[last] == end_bit) { /* a half turn */
        for (own = 1, you = last - 1; own <= last; own++, you--) {
            bit = 1;
            uint32_t mirror = top_bit;
            while (mirror != board[you] && board[own] >= bit) {
                bit <<= 1;
                mirror >>= 1;
            }
            if (board[own] > bit)
                return;
            if (board[own] < bit)
                break;
        }
        if (own > last) {
            count4++;
            return;
        }
    }
    if (board[first] == top_bit) { /* three quarter turns */
        for (own = 1; own <= last; own++) {
            bit = 1;
            for (you = 0; board[you] != (1u << (last - own)) && board[own] >= bit; you++)
                bit <<= 1;
            if (board[own] > bit)
                return;
            if (board[own] < bit)
                break;
        }
    }
    count8++;
}

static void border(int row, uint32_t left, uint32_t down, uint32_t right)
{
    uint32_t safe = full & ~(left | down | right);
    if (row == last) {
        if (safe && !(safe & last_mask)) {
            board[row] = safe;
            classify();
        }
        return;
    }
    if (row < first) {
        safe &= ~side_mask;
    } else if (row == first_mirror) {
        if (!(down & side_mask))
            return;
        if ((down & side_mask) != side_mask)
            safe &= side_mask;
    }
    while (safe) {
        uint32_t bit = safe & -safe;
        safe ^= bit;
        board[row] = bit;
        border(row + 1, (left | bit) << 1, down | bit, (right | bit) >> 1);
    }
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 8;
    last = n - 1;
    full = (uint32_t)((1ull << n) - 1);
    top_bit = 1u << last;
    for (int c = 2; c < last; c++)
        count8 += corner(2, c, (2u | 1u << c) << 1, 1u | 1u << c, 1u << c >> 1);
    side_mask = last_mask = top_bit | 1;
    end_bit = top_bit >> 1;
    for (first = 1, first_mirror = n - 2; first < first_mirror; first++, first_mirror--) {
        uint32_t bit = 1u << first;
        board[0] = bit;
        border(1, bit << 1, bit, bit >> 1);
        last_mask |= last_mask >> 1 | last_mask << 1;
        end_bit >>= 1;
    }
    printf("%llu\n", (unsigned long long)(8 * count8 + 4 * count4 + 2 * count2));
    return 0;
}
