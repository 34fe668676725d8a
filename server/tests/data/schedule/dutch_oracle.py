"""Pairs rounds by the FIDE Dutch system of the package caissify-pairings: one JSON request a line, one answer a line."""

import json
import sys

from caissify_pairings import generate_pairings

for line in sys.stdin:
    request = json.loads(line)
    players = [
        {
            "id": number,
            "name": str(number),
            "rating": 3000 - number,
            "starting_number": number,
            "pairing_number": number,
            "score": player["score"],
            "color_hist": player["colours"],
            "float_history": player["floats"],
            "bye_count": player["byes"],
        }
        for number, player in enumerate(request["players"], start=1)
    ]
    previous = {tuple(pair) for pair in request["previous"]}
    drawn = generate_pairings("dutch", players, previous, request["round"], request["rounds"])
    pairs = [[pairing["white_id"], pairing.get("black_id")] for pairing in drawn]
    print(json.dumps(pairs), flush=True)
