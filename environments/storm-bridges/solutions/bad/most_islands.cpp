// wrong: takes the population of the group with the most islands for the largest population
#include <iostream>
#include <utility>
#include <vector>

int main()
{
    int cases;
    std::cin >> cases;
    while (cases-- > 0) {
        int n, m, q;
        std::cin >> n >> m >> q;
        std::vector<long long> people(n);
        for (auto &count : people)
            std::cin >> count;
        std::vector<int> a(m), b(m), strikes(q), falls(m, -1);
        for (int i = 0; i < m; i++) {
            std::cin >> a[i] >> b[i];
            a[i]--;
            b[i]--;
        }
        for (int k = 0; k < q; k++) {
            std::cin >> strikes[k];
            if (falls[--strikes[k]] < 0)
                falls[strikes[k]] = k;
        }
        std::vector<int> parent(n), size(n, 1);
        for (int i = 0; i < n; i++)
            parent[i] = i;
        int groups = n, best = 0;
        auto rise = [&](int bridge) {
            int x = a[bridge], y = b[bridge];
            while (parent[x] != x)
                x = parent[x];
            while (parent[y] != y)
                y = parent[y];
            if (x == y)
                return;
            if (size[x] > size[y])
                std::swap(x, y);
            parent[x] = y;
            size[y] += size[x];
            people[y] += people[x];
            if (size[y] > size[best])
                best = y;
            groups--;
        };
        for (int i = 0; i < m; i++)
            if (falls[i] < 0)
                rise(i);
        std::vector<std::pair<int, long long>> lines{{groups, people[best]}};
        for (int k = q - 1; k >= 0; k--) {
            if (falls[strikes[k]] == k)
                rise(strikes[k]);
            lines.push_back({groups, people[best]});
        }
        for (size_t i = lines.size(); i-- > 0;)
            std::cout << lines[i].first << ' ' << lines[i].second << '\n';
    }
}
