# wrong: always takes the attack with the fewest creatures, which never wins a race
def solve(instance: dict) -> str:
    plays = instance["plays"]
    return f"PLAY {min(plays, key=lambda label: len(plays[label]))}"
