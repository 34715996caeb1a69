// Forwards, without any trick: after each strike that fells a bridge, flood all the islands anew.
#include <algorithm>
#include <iostream>
#include <vector>

struct Way {
    int island;
    int bridge;
};

static void solve()
{
    int n, m, q;
    std::cin >> n >> m >> q;
    std::vector<long long> people(n + 1);
    for (int i = 1; i <= n; i++)
        std::cin >> people[i];
    std::vector<std::vector<Way>> ways(n + 1);
    for (int bridge = 1; bridge <= m; bridge++) {
        int a, b;
        std::cin >> a >> b;
        ways[a].push_back({b, bridge});
        ways[b].push_back({a, bridge});
    }
    std::vector<char> down(m + 1, 0);
    int groups = 0;
    long long largest = 0;
    for (int k = 0; k <= q; k++) {
        bool changed = k == 0;
        if (k > 0) {
            int bridge;
            std::cin >> bridge;
            changed = !down[bridge];
            down[bridge] = 1;
        }
        if (changed) {
            std::vector<char> seen(n + 1, 0);
            std::vector<int> stack;
            groups = 0;
            largest = 0;
            for (int start = 1; start <= n; start++) {
                if (seen[start])
                    continue;
                groups++;
                long long sum = 0;
                seen[start] = 1;
                stack.push_back(start);
                while (!stack.empty()) {
                    int island = stack.back();
                    stack.pop_back();
                    sum += people[island];
                    for (const Way &way : ways[island]) {
                        if (!down[way.bridge] && !seen[way.island]) {
                            seen[way.island] = 1;
                            stack.push_back(way.island);
                        }
                    }
                }
                largest = std::max(largest, sum);
            }
        }
        std::cout << groups << ' ' << largest << '\n';
    }
}

int main()
{
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int cases;
    std::cin >> cases;
    while (cases-- > 0)
        solve();
}
