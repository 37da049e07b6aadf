"""Draws SELECTs that join the tables of tables.sql: inner, outer, semi and anti joins by visible and by
masked columns, under conditions on masked columns."""
import random

KEYS = {"people": "id", "visits": "person_id", "orders": "person_id"}
# Table -> columns by what they hold. Columns of one kind can be joined.
COLUMNS = {
    "people": {"city": "city", "state": "state", "job": "job", "sex": "sex", "born": "day"},
    "visits": {"day": "day", "ward": "ward", "kind": "kind"},
    "orders": {"day": "day", "priority": "priority", "clerk": "clerk"},
    "cities": {"city": "city", "state": "state"},
    "days": {"day": "day"},
}
# Visible columns without an index, by which tables are joined, too.
NUMBERS = {"visits": {"cost": "number"}, "orders": {"price": "number"}}
VISIBLE = {
    "people": ["income > {n}0000", "id < {n}000", "id = {n}77"],
    "visits": ["cost > {n}00", "id % 3 = 0", "id < {n}000"],
    "orders": ["status = 'paid'", "status IN ('open', 'sent')", "price < {n}00", "id = {n}55"],
    "cities": ["size > {n}0000"],
    "days": ["month = {n}", "is_weekend"],
}


class Draw:
    def __init__(self, seed, values):
        """values: (table, column) -> texts that occur there, shown or hidden."""
        self.random, self.values = random.Random(seed), values

    def literal(self, table, column):
        return "'" + self.random.choice(self.values[table, column]) + "'"

    def condition(self, table, alias):
        """On one column, most often on a masked one."""
        draw = self.random
        if table not in KEYS or draw.random() < 0.25:
            return f"{alias}." + draw.choice(VISIBLE[table]).format(n=draw.randint(1, 9))
        column = draw.choice(list(COLUMNS[table]))
        name, one, two = f"{alias}.{column}", self.literal(table, column), self.literal(table, column)
        return draw.choice((
            f"{name} IS NULL", f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} = {one}", f"{name} = {one}",
            f"{name} IN ({one}, {two})", f"{name} <> {one}", f"{name} > {one}", f"{name} <= {one}",
            f"{name} BETWEEN {min(one, two)} AND {max(one, two)}", f"({name} = {one} OR {name} IS NULL)",
            f"{name}::text LIKE '%{draw.randint(0, 9)}'", f"coalesce({name}::text, 'none') = 'none'",
            f"{name} IS DISTINCT FROM {one}", f"NOT ({name} = {one})",
        ))

    def conditions(self, table, alias, most=3):
        return [self.condition(table, alias) for _ in range(self.random.randint(0, most))]

    def on(self, left, left_alias, right, right_alias):
        """Two tables joined by their key or by columns of a kind; None: they have nothing in common."""
        ways = []
        if left in KEYS and right in KEYS:
            ways = [f"{left_alias}.{KEYS[left]} = {right_alias}.{KEYS[right]}"] * 3
        for one, kind in {**COLUMNS[left], **NUMBERS.get(left, {})}.items():
            for other, its_kind in {**COLUMNS[right], **NUMBERS.get(right, {})}.items():
                if kind == its_kind:
                    ways.append(f"{left_alias}.{one} = {right_alias}.{other}")
        return self.random.choice(ways) if ways else None

    def exists(self, table, alias, number):
        draw = self.random
        other = draw.choice(list(COLUMNS))
        on = self.on(table, alias, other, f"x{number}")
        if not on:
            return self.exists(table, alias, number)
        where = " AND ".join([on, *self.conditions(other, f"x{number}", 2)])
        if draw.random() < 0.3:
            mine, its = on.split(" = ")
            rest = where.removeprefix(on)[5:]
            return (f"{mine} {draw.choice(('IN', 'IN', 'NOT IN'))} (SELECT {its} FROM {other} x{number}"
                    + (f" WHERE {rest} AND {its} IS NOT NULL)" if rest else f" WHERE {its} IS NOT NULL)"))
        return f"{draw.choice(('', '', 'NOT '))}EXISTS (SELECT 1 FROM {other} x{number} WHERE {where})"

    def statement(self):
        draw = self.random
        first = draw.choice(list(KEYS))
        tables, sql = [(first, "a")], f"{first} a"
        where = self.conditions(first, "a")
        for alias in "bcd"[:draw.choices((0, 1, 2, 3), (15, 50, 25, 10))[0]]:
            table = draw.choice(list(COLUMNS))
            on = self.on(*draw.choice(tables), table, alias)
            if not on:
                continue
            kind = draw.choices(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"), (6, 3, 1, 1))[0]
            if kind != "FULL JOIN" and draw.random() < 0.3:
                on = " AND ".join([on, *self.conditions(table, alias, 1)])
            sql += f" {kind} {table} {alias} ON {on}"
            where += self.conditions(table, alias, 2)
            tables.append((table, alias))
        if len(tables) == 1 or draw.random() < 0.25:
            where.append(self.exists(*draw.choice(tables), len(tables)))
        where = f" WHERE {' AND '.join(where)}" if where else ""
        table, alias = draw.choice([each for each in tables if each[0] in KEYS])
        key = f"{alias}.{draw.choice(list(COLUMNS[table]))}"
        return draw.choice((
            f"SELECT count(*) FROM {sql}{where}",
            f"SELECT count(*), count({key}), min({alias}.id) FROM {sql}{where}",
            f"SELECT {key}, count(*) FROM {sql}{where} GROUP BY 1",
            f"SELECT {key}, a.id FROM {sql}{where} ORDER BY 2, 1 LIMIT 20",
            f"SELECT count(*) FROM (SELECT DISTINCT {key}, a.id % 100 FROM {sql}{where}) AS d",
            f"SELECT count(*), max(r) FROM (SELECT {key}, rank() OVER (PARTITION BY {key} ORDER BY a.id) r "
            f"FROM {sql}{where}) w",
        ))
