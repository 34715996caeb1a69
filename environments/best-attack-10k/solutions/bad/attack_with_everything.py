# wrong: always takes the attack with the most creatures, which leaves nobody at home
def solve(instance: dict) -> str:
    plays = instance["plays"]
    return f"PLAY {max(plays, key=lambda label: len(plays[label]))}"
