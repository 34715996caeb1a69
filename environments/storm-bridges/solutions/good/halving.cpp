// Divide the time in halves: a bridge stands during one stretch of it, and unions are undone on the way back up.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

class Storm {
public:
    Storm(std::vector<long long> population, int moments)
        : people(std::move(population)), parent(people.size()), size(people.size(), 1),
          groups(static_cast<int>(people.size())), standing(4 * moments)
    {
        for (size_t i = 0; i < parent.size(); i++)
            parent[i] = static_cast<int>(i);
        largest = *std::max_element(people.begin(), people.end());
    }

    // The bridge stands at the moments low <= moment < high.
    void add(int node, int left, int right, int low, int high, std::pair<int, int> bridge)
    {
        if (high <= left || right <= low)
            return;
        if (low <= left && right <= high) {
            standing[node].push_back(bridge);
            return;
        }
        int middle = (left + right) / 2;
        add(2 * node, left, middle, low, high, bridge);
        add(2 * node + 1, middle, right, low, high, bridge);
    }

    void print(int node, int left, int right)
    {
        size_t mark = undo.size();
        long long before = largest;
        for (auto [a, b] : standing[node])
            unite(a, b);
        if (right - left == 1) {
            std::printf("%d %lld\n", groups, largest);
        } else {
            print(2 * node, left, (left + right) / 2);
            print(2 * node + 1, (left + right) / 2, right);
        }
        for (; undo.size() > mark; undo.pop_back()) {
            int child = undo.back(), root = parent[child];
            people[root] -= people[child];
            size[root] -= size[child];
            parent[child] = child;
            groups++;
        }
        largest = before;
    }

private:
    std::vector<long long> people;
    std::vector<int> parent, size, undo;
    int groups;
    long long largest;
    std::vector<std::vector<std::pair<int, int>>> standing;

    int find(int i) const
    {
        return parent[i] == i ? i : find(parent[i]);
    }

    void unite(int a, int b)
    {
        a = find(a);
        b = find(b);
        if (a == b)
            return;
        if (size[a] > size[b])
            std::swap(a, b);
        parent[a] = b;
        size[b] += size[a];
        people[b] += people[a];
        largest = std::max(largest, people[b]);
        undo.push_back(a);
        groups--;
    }
};

int main()
{
    int cases;
    if (std::scanf("%d", &cases) != 1)
        return 1;
    while (cases-- > 0) {
        int n, m, q;
        if (std::scanf("%d %d %d", &n, &m, &q) != 3)
            return 1;
        std::vector<long long> people(n);
        for (auto &count : people)
            if (std::scanf("%lld", &count) != 1)
                return 1;
        std::vector<std::pair<int, int>> bridges(m);
        for (auto &[a, b] : bridges) {
            if (std::scanf("%d %d", &a, &b) != 2)
                return 1;
            a--;
            b--;
        }
        std::vector<int> falls(m, q + 1);
        for (int k = 1; k <= q; k++) {
            int bridge;
            if (std::scanf("%d", &bridge) != 1)
                return 1;
            falls[bridge - 1] = std::min(falls[bridge - 1], k);
        }
        Storm storm(people, q + 1);
        for (int i = 0; i < m; i++)
            storm.add(1, 0, q + 1, 0, falls[i], bridges[i]);
        storm.print(1, 0, q + 1);
    }
}
