// The classical systems for n queens as one writes them down, one run after another. Usage: classical SYSTEM N
// RUNS SEED [afresh]; prints runs solved, steps of all runs and the processor seconds that they took together.
// Neighbours are evaluated by counters of queens per line or, afresh, by counting. Searches for all solutions
// (check, table, rowmask) ignore RUNS and SEED and print solutions, nodes and seconds.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

static int n;
static std::mt19937 engine;
static int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(engine); }
static bool afresh;  // whether a neighbour is evaluated by counting all its lines, as texts do

// Queens, one in each row, and how many stand on each column and diagonal.
struct Board {
    std::vector<int> x, column, up, down;
    bool pairs;  // a line of c queens counts c (c - 1) / 2, else c - 1
    int cost = 0;

    explicit Board(bool pairs) : x(n), column(n), up(2 * n), down(2 * n), pairs(pairs) {}
    int leaving(int count) const { return pairs ? count - 1 : count > 1; }
    int entering(int count) const { return pairs ? count : count > 0; }
    void put(int row, int value)
    {
        cost += entering(column[value]) + entering(up[row + value]) + entering(down[row - value + n]);
        x[row] = value;
        column[value]++, up[row + value]++, down[row - value + n]++;
    }
    void take(int row)
    {
        int value = x[row];
        cost -= leaving(column[value]) + leaving(up[row + value]) + leaving(down[row - value + n]);
        column[value]--, up[row + value]--, down[row - value + n]--;
    }
    void start(bool permutation)
    {
        std::fill(column.begin(), column.end(), 0);
        std::fill(up.begin(), up.end(), 0);
        std::fill(down.begin(), down.end(), 0);
        cost = 0;
        std::vector<int> values(n);
        for (int i = 0; i < n; i++)
            values[i] = permutation ? i : below(n);
        if (permutation)
            std::shuffle(values.begin(), values.end(), engine);
        for (int i = 0; i < n; i++)
            put(i, values[i]);
    }
    int change_afresh(int row, int value) const
    {
        Board other(pairs);
        for (int i = 0; i < n; i++)
            other.put(i, i == row ? value : x[i]);
        return other.cost - cost;
    }
    int change(int row, int value) const
    {
        if (afresh)
            return change_afresh(row, value);
        int old = x[row];
        return entering(column[value]) + entering(up[row + value]) + entering(down[row - value + n])
            - leaving(column[old]) - leaving(up[row + old]) - leaving(down[row - old + n]);
    }
    void move(int row, int value)
    {
        take(row);
        put(row, value);
    }
    bool attacked(int row) const
    {
        return column[x[row]] > 1 || up[row + x[row]] > 1 || down[row - x[row] + n] > 1;
    }
};

struct Ended {
    bool solved;
    long steps;
};

// The best of all n (n - 1) neighbours, of equals the last or a random one.
static void best_neighbour(const Board &board, bool last, int &row, int &value, int &least)
{
    least = 1 << 30;
    int ties = 0;
    for (int i = 0; i < n; i++)
        for (int v = 0; v < n; v++) {
            if (v == board.x[i])
                continue;
            int change = board.change(i, v);
            if (change > least)
                continue;
            ties = change < least ? 1 : ties + 1;
            least = change;
            if (last || ties == 1 || below(ties) == 0)
                row = i, value = v;
        }
}

// Hill climbing with a random neighbour on shoulders, in two readings: take the equal move and shake, or jump.
static Ended climb(bool pairs, bool jump)
{
    Board board(pairs);
    board.start(false);
    long steps = 0;
    while (board.cost) {
        int row = 0, value = 0, change;
        best_neighbour(board, true, row, value, change);
        if (change > 0)
            return {false, steps};
        steps++;
        if (change == 0 && jump) {
            row = below(n);
            do
                value = below(n);
            while (value == board.x[row]);
        }
        board.move(row, value);
        if (change == 0 && !jump && board.cost)
            board.move(below(n), below(n));
    }
    return {true, steps};
}

// Steepest descent with at most 100 sideways moves in a row.
static Ended sideways()
{
    Board board(true);
    board.start(true);
    long steps = 0;
    for (int equal = 0; board.cost; steps++) {
        int row = 0, value = 0, change;
        best_neighbour(board, false, row, value, change);
        if (change > 0 || (change == 0 && equal == 100))
            return {false, steps};
        equal = change < 0 ? 0 : equal + 1;
        board.move(row, value);
    }
    return {true, steps};
}

// Sosic and Gu's QS1: swap whatever pair lowers the collisions on diagonals, until none does.
static Ended sosic_gu()
{
    Board board(false);
    for (long steps = 0;;) {
        board.start(true);
        for (bool swapped = true; swapped && board.cost;) {
            swapped = false;
            for (int i = 0; i < n; i++, steps++)
                for (int j = i + 1; j < n; j++) {
                    if (!board.attacked(i) && !board.attacked(j))
                        continue;
                    int before = board.cost, a = board.x[i], b = board.x[j];
                    board.take(i), board.take(j), board.put(i, b), board.put(j, a);
                    if (board.cost < before)
                        swapped = true;
                    else
                        board.take(i), board.take(j), board.put(i, a), board.put(j, b);
                }
        }
        if (!board.cost)
            return {true, steps};
    }
}

// One row after the other is annealed from 100 by 0.8 down to 1, every value tried at each temperature.
static Ended rowwise()
{
    Board board(true);
    board.start(true);
    for (long steps = 0;;)
        for (int row = 0; row < n; row++) {
            if (!board.cost)
                return {true, steps};
            for (double temperature = 100; temperature > 1; temperature *= 0.8)
                for (int value = 0; value < n; value++, steps++) {
                    if (value == board.x[row])
                        continue;
                    int change = board.change(row, value);
                    if (change <= 0 || std::exp(-change / temperature) > below(100) / 10.0)
                        board.move(row, value);
                }
        }
}

// Every row takes a random safe column; afresh where there is none.
static Ended las_vegas()
{
    std::vector<char> column(n), up(2 * n), down(2 * n);
    std::vector<int> safe(n);
    for (long steps = 0;;) {
        std::fill(column.begin(), column.end(), 0);
        std::fill(up.begin(), up.end(), 0);
        std::fill(down.begin(), down.end(), 0);
        int row = 0;
        for (steps++; row < n; row++, steps++) {
            int found = 0;
            for (int value = 0; value < n; value++)
                if (!column[value] && !up[row + value] && !down[row - value + n])
                    safe[found++] = value;
            if (!found)
                break;
            int value = safe[below(found)];
            column[value] = up[row + value] = down[row - value + n] = 1;
        }
        if (row == n)
            return {true, steps};
    }
}

static long solutions, nodes;

// A placement is tested against the queens placed before it.
static void check(std::vector<int> &x, int row)
{
    nodes++;
    if (row == n) {
        solutions++;
        return;
    }
    for (int value = 0; value < n; value++) {
        int i = 0;
        while (i < row && x[i] != value && std::abs(x[i] - value) != row - i)
            i++;
        if (i == row) {
            x[row] = value;
            check(x, row + 1);
        }
    }
}

// A table says how many queens attack each square of the rows to come.
static void table(std::vector<std::vector<int>> &attacked, int row)
{
    nodes++;
    if (row == n) {
        solutions++;
        return;
    }
    for (int value = 0; value < n; value++) {
        if (attacked[row][value])
            continue;
        for (int change : {1, -1}) {
            for (int i = row + 1; i < n; i++) {
                int d = i - row;
                attacked[i][value] += change;
                if (value >= d)
                    attacked[i][value - d] += change;
                if (value + d < n)
                    attacked[i][value + d] += change;
            }
            if (change == 1)
                table(attacked, row + 1);
        }
    }
}

// One word of free squares for each row to come, copied for each level.
static void rowmask(const uint64_t *free, int row)
{
    nodes++;
    if (row == n) {
        solutions++;
        return;
    }
    uint64_t next[64];
    for (uint64_t rest = free[row]; rest; rest &= rest - 1) {
        uint64_t bit = rest & -rest;
        for (int i = row + 1; i < n; i++)
            next[i] = free[i] & ~(bit | bit << (i - row) | bit >> (i - row));
        rowmask(next, row + 1);
    }
}

static void count(const std::string &how)
{
    if (how == "check") {
        std::vector<int> x(n);
        check(x, 0);
    } else if (how == "table") {
        std::vector<std::vector<int>> attacked(n, std::vector<int>(n));
        table(attacked, 0);
    } else {
        uint64_t free[64];
        std::fill(free, free + n, (1ull << n) - 1);
        rowmask(free, 0);
    }
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    afresh = argc > 5;
    std::string system = argv[1];
    n = std::atoi(argv[2]);
    int runs = std::atoi(argv[3]);
    engine.seed(std::atoi(argv[4]));
    std::map<std::string, std::function<Ended()>> systems = {
        {"climb-code", [] { return climb(false, false); }},
        {"climb-text", [] { return climb(true, true); }},
        {"sideways", sideways},
        {"sosic-gu", sosic_gu},
        {"rowwise", rowwise},
        {"las-vegas", las_vegas},
    };
    std::clock_t began = std::clock();
    if (!systems.count(system)) {
        count(system);
    } else {
        for (int run = 0; run < runs; run++) {
            Ended ended = systems[system]();
            solutions += ended.solved;
            nodes += ended.steps;
        }
    }
    std::printf("%ld %ld %.9f\n", solutions, nodes, double(std::clock() - began) / CLOCKS_PER_SEC);
    return 0;
}
