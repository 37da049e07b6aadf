"""Makes SELECTs. One that says it is ordered gives its rows in one order only: ordered by all of its output,
or a plain scan of one table. LIMIT occurs only where the order is total."""
import re

import grammar
from expressions import Expressions, Source, every_column
from families import FAMILIES

UNION_FAMILIES = ("text", "int", "num", "date", "bool", "ts", "uuid", "float")


class Selects(Expressions):
    def alias(self):
        self.aliases += 1
        return f"a{self.aliases}"

    # -- relations
    def table_source(self, table=None, may_rename=True):
        table, alias, random = table or self.random.choice(self.tables), self.alias(), self.random
        name = random.choice(
            (table.name, table.name, f"public.{table.name}", f'"{table.name}"', table.name.upper())
        )
        if table.name in self.shadowed and random.random() < 0.1:
            name = f"alt.{table.name}"
        columns = [(column.name, column.family) for column in table.columns]
        if may_rename and random.random() < 0.1:
            renamed = [(f"r{number}", family) for number, (_, family) in enumerate(columns)]
            return f"{name} AS {alias}({', '.join(name for name, _ in renamed)})", Source(
                alias, renamed, table.is_scan
            )
        return f"{name} {random.choice(('', 'AS '))}{alias}", Source(alias, columns, table.is_scan, table)

    def source(self):
        """A table, a derived table, VALUES, or a function."""
        random = self.random
        chance = random.random()
        if chance < 0.78:
            return self.table_source()
        if chance < 0.84:
            return self.other_source()
        if chance < 0.86:
            return self.table_function()
        sql, inner = self.table_source()
        alias = self.alias()
        picked = random.sample(inner.columns, random.randint(1, len(inner.columns)))
        items = ", ".join(f"{inner.alias}.{name}" for name, _ in picked)
        where = f" WHERE {self.condition([inner], 1)}" if random.random() < 0.5 else ""
        return f"(SELECT {items} FROM {sql}{where}) AS {alias}", Source(alias, picked)

    def other_source(self):
        alias, random = self.alias(), self.random
        sampled = random.choice(self.open_tables)
        columns = [(column.name, column.family) for column in sampled.columns]
        return random.choice(
            (
                (
                    f"(VALUES (1, 'Nurse'), (2, NULL), ({self.literal('int')}, 'Oak')) AS {alias}(n, w)",
                    Source(alias, [("n", "int"), ("w", "text")]),
                ),
                (f"generate_series(1, 5) AS {alias}(n)", Source(alias, [("n", "int")])),
                (
                    f"unnest(ARRAY['Oak', 'Elm', 'Nurse'], ARRAY[1, 2]) WITH ORDINALITY AS {alias}(w, n, o)",
                    Source(alias, [("w", "text"), ("n", "int"), ("o", "int")]),
                ),
                (
                    f"ROWS FROM (generate_series(1, 2), generate_series(4, 6)) AS {alias}(n, m)",
                    Source(alias, [("n", "int"), ("m", "int")]),
                ),
                (
                    f"{sampled.name} AS {alias} TABLESAMPLE "
                    f"{random.choice(('BERNOULLI (100)', 'SYSTEM (100)', 'BERNOULLI (30) REPEATABLE (7)'))}",
                    Source(alias, columns),
                ),
                (
                    f"jsonb_each('{{\"a\": 1, \"b\": \"x\"}}'::jsonb) AS {alias}(w, j)",
                    Source(alias, [("w", "text"), ("j", "json")]),
                ),
            )
        )

    def table_function(self):
        alias, random = self.alias(), self.random
        return random.choice(
            (
                (
                    f"XMLTABLE('/r/i' PASSING xmlelement(name r, xmlelement(name i, 'Oak'), xmlelement(name i)) "
                    f"COLUMNS n FOR ORDINALITY, w text PATH '.' DEFAULT '-', v integer PATH '@v') AS {alias}",
                    Source(alias, [("n", "int"), ("w", "text"), ("v", "int")]),
                ),
                (
                    f"json_to_recordset('[{{\"a\": 1, \"b\": \"Elm\"}}, {{\"a\": 2}}]') AS {alias}(a integer, b text)",
                    Source(alias, [("a", "int"), ("b", "text")]),
                ),
                (
                    f"ROWS FROM (jsonb_to_record('{{\"a\": 3}}') AS (a integer), generate_series(1, 2)) AS {alias}(a, n)",
                    Source(alias, [("a", "int"), ("n", "int")]),
                ),
            )
        )

    def lateral(self, scope):
        """A relation that sees what stands left of it."""
        alias, outer = self.alias(), scope
        number, text = self.expression(outer, "int", 1), self.expression(outer, "text", 1)
        sql, inner = self.table_source()
        name, family = self.any_column([inner])
        return self.random.choice(
            (
                (
                    f"LATERAL (SELECT {number} AS n, {text} AS w) AS {alias}",
                    Source(alias, [("n", "int"), ("w", "text")]),
                ),
                (
                    f"LATERAL (SELECT {name} AS n, {inner.every()[0]} AS m FROM {sql} WHERE {self.correlation(outer, inner)} ORDER BY "
                    f"{every_column([inner])} LIMIT 2) AS {alias}",
                    Source(alias, [("n", family), ("m", inner.columns[0][1])]),
                ),
                (
                    f"generate_series(1, abs(({number})::integer) % 3) AS {alias}(n)",
                    Source(alias, [("n", "int")]),
                ),
                (
                    f"XMLTABLE('/r' PASSING xmlelement(name r, {text}) COLUMNS w text PATH '.') AS {alias}",
                    Source(alias, [("w", "text")]),
                ),
                (
                    f"LATERAL (VALUES ({text}), ({self.literal('text')})) AS {alias}(w)",
                    Source(alias, [("w", "text")]),
                ),
                (
                    f"LATERAL unnest(string_to_array({text}, 'o')) AS {alias}(w)",
                    Source(alias, [("w", "text")]),
                ),
            )
        )

    def from_clause(self):
        random = self.random
        sql, first = self.source()
        scope = [first]
        for _ in range(random.choices((0, 1, 2), (60, 32, 8))[0]):
            if random.random() < 0.15:
                more, other = self.lateral(scope)
                if random.random() < 0.5:
                    sql += f" {random.choice(('CROSS JOIN', ','))} {more}".replace(" ,", ",")
                else:
                    sql += f" {random.choice(('LEFT JOIN', 'JOIN'))} {more} ON true"
                scope.append(other)
                continue
            # Often the same table again, because self joins are where masks meet each other.
            more, other = self.source() if random.random() < 0.7 else self.table_source(
                next((t for t in self.tables if f"{t.name} " in sql), None))
            sql = self.join(sql, scope, more, other)
            scope.append(other)
        return sql, scope

    def join(self, left_sql, scope, right_sql, other):
        random = self.random
        equal = self.correlation(scope, other)
        if " = " not in equal:
            return (
                f"{left_sql} LEFT JOIN {right_sql} ON {equal} AND {other.alias}.{other.columns[0][0]} IS NULL"
            )
        shared = [name for name, family in other.columns if name == "id"
                  and any(("id", family) in source.columns for source in scope)]
        if shared and len(scope) == 1 and random.random() < 0.3:
            return f"{left_sql} {random.choice(('JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN'))} {right_sql} USING (id)"
        kind = random.choice(("JOIN", "INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        extra = (
            f" AND {self.condition([other], 1)}"
            if kind in ("JOIN", "LEFT JOIN") and random.random() < 0.4
            else ""
        )
        return f"{left_sql} {kind} {right_sql} ON {equal}{extra}"

    def where(self, scope, share=0.6):
        if self.random.random() >= share:
            return ""
        condition = self.condition(scope)
        looked_up = self.look_up(scope) if self.random.random() < 0.4 else None
        if not looked_up:
            return f" WHERE {condition}"
        return f" WHERE {self.random.choice((looked_up, looked_up, f'{looked_up} AND {condition}', f'({condition}) AND ({looked_up})'))}"

    def look_up(self, scope):
        """A column of a table and values that it has, shown or hidden, in a form that may reach an index."""
        random = self.random
        tables = [
            source
            for source in scope
            if source.table is not None and not source.table.is_view and source.table.policy
        ]
        if not tables:
            return None
        source = random.choice(tables)
        number = random.choice([place for place, column in enumerate(source.table.columns)
                                if column.column_class == "quasi_identifier"])
        column = source.table.columns[number]
        cells = [row[number] for row in source.table.rows if row[number] is not None]
        if not cells:
            return None
        name = f"{source.alias}.{column.name}"
        if len(scope) == 1 and random.random() < 0.3:
            name = column.name
        values = [
            self.value(column.family, random.choice(cells)) for _ in range(random.choice((1, 1, 1, 2, 3)))
        ]
        if len(values) > 1 or random.random() < 0.1:
            return f"{name} IN ({', '.join(values)})"
        return random.choice((f"{name} = {values[0]}", f"{values[0]} = {name}"))

    def value(self, family, text):
        if self.parameters is not None and family != "enum" and self.random.random() < 0.5:
            self.parameters.append((family, text))
            return f"${len(self.parameters)}::{FAMILIES[family].cast}"
        escaped = text.replace("'", "''")
        return f"'{escaped}'" + (f"::{FAMILIES[family].cast}" if self.random.random() < 0.4 else "")

    # -- statements: → (sql, is ordered)
    def finish(self, sql, width):
        """Maybe ORDER BY all output columns, and then maybe LIMIT."""
        random = self.random
        if random.random() < 0.5:
            return sql, False
        ways = ("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST", " USING <", " ASC")
        sql += " ORDER BY " + ", ".join(f"{number + 1}{random.choice(ways)}" for number in range(width))
        if random.random() < 0.3:
            sql += random.choice(
                (
                    f" LIMIT {random.randint(0, 12)}",
                    f" LIMIT {random.randint(0, 9)} OFFSET 2",
                    " OFFSET 3",
                    " FETCH FIRST 4 ROWS ONLY",
                    " FETCH NEXT 3 ROWS WITH TIES",
                    " LIMIT ALL",
                    f" LIMIT (SELECT count(*) FROM {self.random.choice(self.tables).name}) - 1",
                )
            )
            sql = sql.replace(" DESC NULLS LAST FETCH", " DESC FETCH")
        return sql, True

    def items(self, scope, count):
        items = [self.any_column(scope)[0] if self.random.random() < 0.4
                 else self.expression(scope, self.random.choice(list(FAMILIES))) for _ in range(count)]
        return [
            f"{item} AS x{number}" if self.random.random() < 0.5 else item
            for number, item in enumerate(items)
        ]

    def plain(self):
        random = self.random
        sql, scope = self.from_clause()
        if random.random() < 0.2:
            width = sum(len(source.columns) for source in scope) - ("USING (id)" in sql)
            return self.finish(f"SELECT * FROM {sql}{self.where(scope)}", width)
        items = self.items(scope, random.randint(1, 4))
        distinct = random.choice(("", "", "", "DISTINCT ", "ALL "))
        text, is_ordered = self.finish(
            f"SELECT {distinct}{', '.join(items)} FROM {sql}{self.where(scope)}", len(items)
        )
        is_scan = (
            distinct != "DISTINCT " and text.count("SELECT") == 1 and len(scope) == 1 and scope[0].is_scan
        )
        return text, is_ordered or is_scan

    def grouped(self):
        random = self.random
        sql, scope = self.from_clause()
        keys = [self.any_column(scope)[0] if random.random() < 0.7
                else self.expression(scope, random.choice(("text", "int", "bool", "date", "uuid")), 1)
                for _ in range(random.randint(0, 2))]
        # A bare literal as a grouping key would be read as a position; and where a key without a column is
        # grouped by in some sets only, PostgreSQL 15 takes it for a constant when it sorts, so that its NULLs
        # come anywhere.
        keys = [key for key in keys if "." in re.sub("'[^']*'", "", key) and "SELECT" not in key]
        values = [self.aggregate(scope) for _ in range(random.randint(1, 3))]
        by, has_sets = "", False
        if keys:
            positions = ", ".join(str(number + 1) for number in range(len(keys)))
            # The same expression with another parameter is another expression.
            names = ", ".join(keys) if "$" not in "".join(keys) else positions
            by = random.choice((positions, names, f"DISTINCT {names}", f"ROLLUP ({names})", f"CUBE ({names})",
                                f"GROUPING SETS (({names}), ())", f"GROUPING SETS (ROLLUP ({names}), ())"))
            has_sets = "(" in by.replace(names, "") and names != positions
            if has_sets:
                values.append(f"GROUPING({keys[0]})")
        text = f"SELECT {', '.join(keys + values)} FROM {sql}{self.where(scope, 0.4)}" + (
            f" GROUP BY {by}" if by else ""
        )
        if random.random() < 0.3:
            text += f" HAVING {random.choice(('count(*) > 2', 'count(*) <= 3', 'NOT bool_and(' + self.condition(scope, 1) + ')'))}"
        if has_sets:
            # Under grouping sets PostgreSQL 15 leaves a key that a condition makes equal to another key, or
            # to a constant, out of its sort although some sets leave it NULL: ORDER BY of all columns is no
            # total order.
            return text, False
        text, is_ordered = self.finish(text, len(keys) + len(values))
        if not by:
            # PostgreSQL 15 may plan min(), max(), every() as a sub-query that keeps the WITH TIES: 21000, or
            # not.
            text = text.replace("WITH TIES", "ONLY")
        return text, is_ordered

    def windowed(self):
        random = self.random
        sql, scope = self.from_clause()
        every, key = every_column(scope), self.any_column(scope)[0]
        partition = f"PARTITION BY {self.any_column(scope)[0]} " if random.random() < 0.6 else ""
        call = self.expand(random.choice(grammar.WINDOWS), scope, 2)
        function, frame = call, ""
        for each in sorted(grammar.FRAMES, key=len, reverse=True):
            if each and call.endswith(each):
                function, frame = call[:-len(each)].rstrip(), " " + each
                break
        if random.random() < 0.4:
            text = (f"SELECT {key}, {function} OVER (w{frame}) FROM {sql}{self.where(scope)} "
                    f"WINDOW w AS ({partition}ORDER BY {every})")
        else:
            text = f"SELECT {key}, {function} OVER ({partition}ORDER BY {every}{frame}) FROM {sql}{self.where(scope)}"
        return self.finish(text, 2)

    def set_operation(self):
        random = self.random
        families = [random.choice(UNION_FAMILIES) for _ in range(random.randint(1, 3))]
        arms = []
        for _ in range(random.choice((2, 2, 3))):
            sql, scope = self.from_clause()
            items = [f"({self.expression(scope, family, 1)})::{FAMILIES[family].cast}" for family in families]
            arms.append(f"SELECT {', '.join(items)} FROM {sql}{self.where(scope)}")
        if random.random() < 0.2:
            arms = [f"({arm})" for arm in arms]
        text = arms[0]
        for arm in arms[1:]:
            text += f" {random.choice(('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL', 'INTERSECT ALL'))} {arm}"
        return self.finish(text, len(families))

    def distinct_on(self):
        sql, scope = self.from_clause()
        key, every = self.any_column(scope)[0], every_column(scope)
        return (
            f"SELECT DISTINCT ON ({key}) {key}, {every} FROM {sql}{self.where(scope)} ORDER BY {key}, {every}",
            True,
        )
