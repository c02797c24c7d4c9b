# Min-conflicts for n queens in awk, as an external heuristic: one JSON line in, one JSON line out.
# It needs nothing that a stock Debian machine lacks (mawk), not even a JSON parser.
{
    match($0, /"seed": [0-9]+/);   seed = substr($0, RSTART + 8, RLENGTH - 8)
    match($0, /"shape": \[[0-9]+/); n = substr($0, RSTART + 10, RLENGTH - 10) + 0
    srand(seed + 1)
    for (row = 0; row < n; row++) q[row] = int(rand() * n)
    for (step = 0; step < 200 * n; step++) {
        attacked = 0
        for (row = 0; row < n; row++) if (conflicts(row, q[row]) > 0) list[attacked++] = row
        if (attacked == 0) break
        row = list[int(rand() * attacked)]
        best = n + 1
        for (c = 0; c < n; c++) {
            k = conflicts(row, c)
            if (k < best) { best = k; ties = 0 }
            if (k == best) tie[ties++] = c
        }
        q[row] = tie[int(rand() * ties)]
    }
    if (attacked) { print "{\"assignment\": null}"; exit }
    line = q[0]
    for (row = 1; row < n; row++) line = line ", " q[row]
    print "{\"assignment\": {\"q\": [" line "]}, \"steps\": " step "}"
    exit
}

function conflicts(row, column,    r, d, found) {
    for (r = 0; r < n; r++) if (r != row) {
        d = q[r] - column
        if (d == 0 || d == r - row || d == row - r) found++
    }
    return found + 0
}
