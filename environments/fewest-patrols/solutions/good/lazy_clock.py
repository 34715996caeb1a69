"""Watch the clock and patrol only in a minute where some shift can't wait any longer."""

from heapq import heappop, heappush


def in_sector(shifts):
    coming = sorted(shifts, reverse=True)
    urgent = []  # (minute by which the shift must see a patrol, less the patrols walked so far; its end)
    walked = 0
    for minute in range(1440):
        while coming and coming[-1][0] == minute:
            _, end, need = coming.pop()
            heappush(urgent, (end + 1 - need - walked, end))
        while urgent and urgent[0][1] < minute:
            heappop(urgent)
        if urgent and urgent[0][0] + walked == minute:
            walked += 1
    return walked


def fewest_patrols(sectors):
    return [in_sector(shifts) for shifts in sectors]
