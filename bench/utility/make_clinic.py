#!/usr/bin/env python3
"""The clinic: patients as a hospital group has them, made up. One record per patient on standard output, `;`
between the fields, a line of names first. The same bytes on every machine: nothing is drawn but
random.Random.random(), whose sequence Python guarantees.

    make_clinic.py [ROWS]        # 50,000 unless it is said otherwise

It has what makes tables of people hard to publish. 120 cities, the largest with a fifth of the patients and
the smallest with some eighty, in 8 regions: a region follows from the city, and a city from the zip. One
nationality for four in five. Occupations that depend on age and sex, one in ten unknown (an empty field).
25,000 birth dates, so that every fifth patient has one that nobody shares. Costs depend on age and
diagnosis, and so does marital status on age."""
import datetime
import random
import sys

COLUMNS = ("id", "sex", "city", "region", "zip", "birth_date", "birth_year", "occupation", "nationality",
           "insurer", "marital_status", "diagnosis", "cost")
REGIONS = ("North", "Coast", "Lakes", "Plains", "Hills", "Forest", "South", "Alps")
CITY_COUNT = 120
REFERENCE_YEAR = 2025

CITY_STARTS = ("Ash", "Brook", "Clay", "Dun", "Elm", "Fair", "Glen", "Hart", "Iron", "King", "Long", "Mill")
CITY_ENDS = ("ford", "ham", "ton", "wick", "bury", "field", "port", "dale", "mouth", "stead")

# (name, weight); by chance alone, whoever the patient is.
SEXES = (("female", 520), ("male", 477), ("diverse", 3))
NATIONALITIES = (("domestic", 8000), ("Turkish", 350), ("Polish", 280), ("Syrian", 240), ("Romanian", 200),
                 ("Italian", 160), ("Ukrainian", 150), ("Croatian", 100), ("Greek", 90), ("Bulgarian", 80),
                 ("Russian", 70), ("Afghan", 60), ("Serbian", 50), ("Spanish", 40), ("French", 30),
                 ("Hungarian", 25), ("Indian", 20), ("Portuguese", 15), ("Vietnamese", 12), ("Chinese", 10),
                 ("American", 8), ("British", 6), ("Nigerian", 4))
INSURERS = (("Unity", 290), ("Concord", 220), ("Public One", 160), ("Craft", 100), ("Miners", 70),
            ("Rail", 55), ("Farmers", 40), ("Civil Servants", 35), ("First Private", 20), ("none", 10))
# (name, weight, weight of women in per cent of that of men)
WORKERS = (("clerk", 120, 180), ("salesperson", 100, 160), ("nurse", 85, 500), ("engineer", 80, 25),
           ("teacher", 75, 250), ("driver", 70, 10), ("warehouse worker", 65, 45), ("cook", 55, 90),
           ("cleaner", 55, 400), ("electrician", 50, 5), ("programmer", 50, 25), ("mechanic", 45, 5),
           ("carer", 45, 500), ("accountant", 40, 150), ("mason", 35, 3), ("farmer", 30, 40),
           ("physician", 28, 110), ("police officer", 25, 40), ("hairdresser", 24, 600), ("lawyer", 20, 90),
           ("painter", 18, 15), ("baker", 16, 60), ("waiter", 16, 120), ("postal worker", 15, 70),
           ("architect", 12, 80), ("musician", 9, 70), ("journalist", 8, 100), ("pharmacist", 8, 250),
           ("fisher", 5, 10), ("judge", 4, 90), ("pilot", 3, 10), ("diver", 1, 20))
# (name, weight below 40, from 40 to 64, from 65 on, cost of a case)
DIAGNOSES = (("injury", 220, 120, 110, 2400), ("respiratory infection", 180, 80, 90, 1800),
             ("hypertension", 15, 120, 190, 2100), ("back pain", 70, 130, 80, 1700),
             ("appendicitis", 70, 25, 10, 4300), ("delivery", 120, 2, 0, 3900), ("diabetes", 20, 70, 95, 3100),
             ("depression", 80, 70, 35, 5200), ("heart failure", 2, 40, 130, 6100),
             ("coronary disease", 3, 60, 110, 7400), ("gallstones", 25, 50, 40, 4600),
             ("stroke", 3, 25, 90, 9800), ("arthrosis", 5, 55, 100, 8200), ("breast cancer", 4, 30, 30, 11800),
             ("colon cancer", 2, 18, 35, 14200), ("pneumonia", 30, 25, 70, 5400), ("asthma", 50, 25, 15, 2200),
             ("epilepsy", 20, 10, 8, 4100), ("schizophrenia", 14, 12, 3, 9300), ("hepatitis", 6, 8, 4, 5200),
             ("HIV", 4, 5, 1, 6900), ("multiple sclerosis", 6, 7, 2, 7700), ("leukaemia", 3, 4, 8, 26500))


class Choice:
    """Draws names by their weights."""

    def __init__(self, weighted):
        self.names = [name for name, _ in weighted]
        self.total = 0
        self.ends = []
        for _, weight in weighted:
            self.total += weight
            self.ends.append(self.total)

    def draw(self, draw):
        point = int(draw() * self.total)
        low, high = 0, len(self.ends) - 1
        while low < high:
            middle = (low + high) // 2
            if point < self.ends[middle]:
                high = middle
            else:
                low = middle + 1
        return self.names[low]


def cities():
    """(city, region, zips) with the weight of each city: Zipf, so the n-th has one n-th of the first one's."""
    made = []
    for rank in range(CITY_COUNT):
        name = CITY_STARTS[rank % len(CITY_STARTS)] + CITY_ENDS[(rank + rank // 12) % len(CITY_ENDS)]
        region = REGIONS[(rank * 5) % len(REGIONS)]
        zips = [f"{(rank * 5) % len(REGIONS) + 1}{rank:03d}{part}" for part in range(max(1, 10 - rank // 3))]
        made.append(((name, region, zips), 1_000_000 // (rank + 1)))
    assert len({name for (name, _, _), _ in made}) == CITY_COUNT
    return Choice(made)


def ages():
    """By years: flat to 55, then falling."""
    return Choice([(age, 100 if age < 55 else max(3, 100 - (age - 55) * 5 // 2)) for age in range(96)])


def birth_date(age, draw):
    first = datetime.date(REFERENCE_YEAR - age, 1, 1)
    return first + datetime.timedelta(days=int(draw() * 365))


def occupation(age, sex, workers, draw):
    if draw() < 0.1:
        return ""
    if age < 6:
        return "none"
    if age < 20:
        return "pupil"
    if age < 25 and draw() < 0.5:
        return "student"
    if age >= 66 and draw() < 0.93:
        return "retired"
    return workers[sex == "female"].draw(draw)


def marital_status(age, draw):
    if age < 18:
        return "single"
    share = min(90, (age - 18) * 4)  # per cent who have ever married
    if draw() * 100 >= share:
        return "single"
    rest = draw() * 100
    widowed = max(0, age - 55) * 3 // 2
    return "widowed" if rest < widowed else "divorced" if rest < widowed + 18 else "married"


def diagnosis(age, sex, by_age, draw):
    while True:
        name = by_age[0 if age < 40 else 1 if age < 65 else 2].draw(draw)
        if name == "delivery" and (sex == "male" or age < 16):
            continue
        return name


def cost(name, age, prices, draw):
    """Whole euros around the price of the diagnosis, more with age, with a long tail."""
    spread = draw() + draw() + draw()  # 0 to 3, mostly 1.5
    tail = 4 if draw() < 0.03 else 1
    return int(prices[name] * (60 + age) * (1 + spread * spread) * tail) // 250


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    draw = random.Random(20251124).random
    places, years = cities(), ages()
    sexes, nationalities, insurers = Choice(SEXES), Choice(NATIONALITIES), Choice(INSURERS)
    workers = (Choice([(name, weight * 100) for name, weight, _ in WORKERS]),
               Choice([(name, weight * women) for name, weight, women in WORKERS]))
    by_age = [Choice([(row[0], row[column]) for row in DIAGNOSES]) for column in (1, 2, 3)]
    prices = {row[0]: row[4] for row in DIAGNOSES}
    print(";".join(COLUMNS))
    for number in range(1, rows + 1):
        city, region, zips = places.draw(draw)
        age, sex = years.draw(draw), sexes.draw(draw)
        born = birth_date(age, draw)
        ill = diagnosis(age, sex, by_age, draw)
        print(";".join(str(cell) for cell in (
            number, sex, city, region, zips[int(draw() * len(zips))], born, born.year,
            occupation(age, sex, workers, draw), nationalities.draw(draw), insurers.draw(draw),
            marital_status(age, draw), ill, cost(ill, age, prices, draw))))


if __name__ == "__main__":
    main()
