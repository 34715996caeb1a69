// wrong: prints a line for every strike, but none for the time before the storm
#include <stdio.h>

#define ISLANDS 501
#define BRIDGES 801

static int parent[ISLANDS], from[BRIDGES], to[BRIDGES], first_strike[BRIDGES], strike[BRIDGES];
static int groups_after[BRIDGES];
static long long people[ISLANDS], largest_after[BRIDGES];
static int groups;
static long long largest;

static int find(int island)
{
    while (parent[island] != island)
        island = parent[island];
    return island;
}

static void rise(int bridge)
{
    int a = find(from[bridge]), b = find(to[bridge]);
    if (a == b)
        return;
    /* Populations may be zero, which makes deep trees possible, but five hundred islands are few. */
    if (people[a] > people[b]) {
        int swap = a;
        a = b;
        b = swap;
    }
    parent[a] = b;
    people[b] += people[a];
    if (people[b] > largest)
        largest = people[b];
    groups--;
}

int main(void)
{
    int cases, n, m, q;
    if (scanf("%d", &cases) != 1)
        return 1;
    while (cases-- > 0) {
        if (scanf("%d %d %d", &n, &m, &q) != 3)
            return 1;
        groups = n;
        largest = 0;
        for (int i = 1; i <= n; i++) {
            if (scanf("%lld", &people[i]) != 1)
                return 1;
            parent[i] = i;
            if (people[i] > largest)
                largest = people[i];
        }
        for (int i = 1; i <= m; i++) {
            if (scanf("%d %d", &from[i], &to[i]) != 2)
                return 1;
            first_strike[i] = 0;
        }
        for (int k = 1; k <= q; k++) {
            if (scanf("%d", &strike[k]) != 1)
                return 1;
            if (!first_strike[strike[k]])
                first_strike[strike[k]] = k;
        }
        for (int i = 1; i <= m; i++)
            if (!first_strike[i])
                rise(i);
        for (int k = q; k >= 0; k--) {
            groups_after[k] = groups;
            largest_after[k] = largest;
            if (k > 0 && first_strike[strike[k]] == k)
                rise(strike[k]);
        }
        for (int k = 1; k <= q; k++)
            printf("%d %lld\n", groups_after[k], largest_after[k]);
    }
    return 0;
}
