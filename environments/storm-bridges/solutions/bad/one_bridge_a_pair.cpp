// wrong: keeps a set of linked pairs, so that a strike fells all the bridges between two islands
#include <algorithm>
#include <iostream>
#include <set>
#include <utility>
#include <vector>

int main()
{
    int cases;
    std::cin >> cases;
    while (cases-- > 0) {
        int n, m, q;
        std::cin >> n >> m >> q;
        std::vector<long long> people(n + 1);
        for (int i = 1; i <= n; i++)
            std::cin >> people[i];
        std::vector<std::set<int>> next(n + 1);
        std::vector<std::pair<int, int>> ends(m + 1);
        for (int i = 1; i <= m; i++) {
            std::cin >> ends[i].first >> ends[i].second;
            next[ends[i].first].insert(ends[i].second);
            next[ends[i].second].insert(ends[i].first);
        }
        for (int k = 0; k <= q; k++) {
            if (k > 0) {
                int bridge;
                std::cin >> bridge;
                next[ends[bridge].first].erase(ends[bridge].second);
                next[ends[bridge].second].erase(ends[bridge].first);
            }
            std::vector<char> seen(n + 1, 0);
            int groups = 0;
            long long largest = 0;
            for (int start = 1; start <= n; start++) {
                if (seen[start])
                    continue;
                long long sum = 0;
                std::vector<int> stack{start};
                seen[start] = 1;
                groups++;
                while (!stack.empty()) {
                    int here = stack.back();
                    stack.pop_back();
                    sum += people[here];
                    for (int there : next[here])
                        if (!seen[there]) {
                            seen[there] = 1;
                            stack.push_back(there);
                        }
                }
                largest = std::max(largest, sum);
            }
            std::cout << groups << ' ' << largest << '\n';
        }
    }
}
