# wrong: sends the attack with the greatest power per head, as if size were all that mattered
from skirmish import parse_state


def solve(instance: dict) -> str:
    power = {c.name: c.power for c in parse_state(instance).you.creatures}
    plays = instance["plays"]

    def mean_power(label: str) -> float:
        sent = plays[label]
        return sum(power[name] for name in sent) / len(sent) if sent else 0.0

    return f"PLAY {max(plays, key=mean_power)}"
