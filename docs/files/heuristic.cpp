// A heuristic as a program: one JSON line in, one JSON line out. Replace `search` by your own.
// It looks for the few numbers that it needs; a library for JSON reads the constraints, too.
//     g++ -O2 -std=c++17 -o heuristic heuristic.cpp
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <vector>

static double number(const std::string& line, const std::string& key) {
    const auto at = line.find("\"" + key + "\": ");
    return at == std::string::npos ? 0 : std::stod(line.substr(line.find_first_of("-0123456789", at + key.size())));
}

static bool holds(const std::vector<int>& q) {  // queens that do not attack each other
    for (std::size_t i = 0; i < q.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const int apart = static_cast<int>(i - j), d = q[i] - q[j];
            if (d == 0 || d == apart || d == -apart) return false;
        }
    return true;
}

int main() {
    std::string line;
    std::getline(std::cin, line);
    const int n = static_cast<int>(number(line, "shape"));  // of the first variable; values 0 to n - 1
    std::mt19937 random(static_cast<unsigned>(number(line, "seed")));
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(0.8 * number(line, "time_limit"));
    std::vector<int> q(n);
    long steps = 0;
    bool found = false;
    while (!found && std::chrono::steady_clock::now() < end) {
        ++steps;
        for (int& value : q) value = static_cast<int>(random() % n);
        found = holds(q);
    }
    if (!found) {
        std::cout << "{\"assignment\": null, \"steps\": " << steps << "}" << std::endl;
        return 0;
    }
    std::cout << "{\"assignment\": {\"q\": [";
    for (int i = 0; i < n; ++i) std::cout << (i ? ", " : "") << q[i];
    std::cout << "]}, \"steps\": " << steps << "}" << std::endl;
}
