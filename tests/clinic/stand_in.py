"""Masked tables as pgveil would make them, made by SQL that shares nothing with it: for testing the attacker
and the questions without pgveil. Its ladder has a few rungs for all columns together, so it shows less.

Persons who look alike so far are a class. In each table, the persons of a class whose rows show the same set,
on the highest rung where there are k of them, stay linked to these rows; the rows of all others lose their
key."""


def rungs(table):
    """The quasi-identifiers that are shown, from everything over coarser and coarser levels to nothing."""
    levels = list(table.levels)
    plain = [name for name in table.quasi if name not in levels and "generalize" not in table.columns[name]]
    found = [table.quasi]
    found += [plain[:count] + levels for count in range(len(plain), -1, -1)]
    found += [levels[at:] for at in range(1, len(levels))]
    return [names for at, names in enumerate(found + [[]]) if names not in found[:at]]


def seen(table, names):
    """What a row t shows on a rung, as one text."""
    return "row(" + ", ".join(f"t.{name}" if name in names else "NULL" for name in table.quasi) + ")::text"


def choose(table, k):
    """Gives each person a rung for this table, and a class with those who look the same."""
    name = table.name
    lines = [f"ALTER TABLE person ADD rung_{name} integer, ADD look_{name} text;"]
    for rung, names in enumerate(rungs(table)):
        lines.append(f"""
WITH sets AS (SELECT p.key, p.class, array_agg(DISTINCT {seen(table, names)} ORDER BY {seen(table, names)})::text AS look
  FROM raw_{name} t JOIN person p ON p.key = t.{table.key} WHERE p.rung_{name} IS NULL GROUP BY 1, 2),
counted AS (SELECT key, look, count(*) OVER (PARTITION BY class, look) AS n FROM sets)
UPDATE person SET rung_{name} = {rung}, look_{name} = {rung} || look FROM counted c WHERE c.key = person.key AND n >= {k};""")
    # Where 1 to k - 1 persons of a class are left over, its smallest group joins them.
    lines.append(f"""
WITH few AS (SELECT class FROM person GROUP BY 1 HAVING count(*) FILTER (WHERE rung_{name} IS NULL) BETWEEN 1 AND {k - 1}),
smallest AS (SELECT DISTINCT ON (class) class, look_{name} AS look FROM person JOIN few USING (class)
  WHERE rung_{name} IS NOT NULL GROUP BY 1, 2 ORDER BY class, count(*))
UPDATE person p SET rung_{name} = NULL, look_{name} = NULL FROM smallest s WHERE s.class = p.class AND s.look = p.look_{name};
WITH looks AS (SELECT key, dense_rank() OVER (ORDER BY class, look_{name}) AS look FROM person)
UPDATE person SET class = look FROM looks WHERE looks.key = person.key;""")
    return lines


def set_apart(table, k):
    """Rows without a key show the coarsest level where k persons share it."""
    name, last = table.name, len(rungs(table)) - 1
    return [f"""
CREATE TEMP TABLE apart_{name} AS SELECT t.line, t.{table.key} AS key, {seen(table, rungs(table)[last - 1])} AS look,
  {last} AS rung FROM raw_{name} t LEFT JOIN person p ON p.key = t.{table.key} WHERE p.rung_{name} IS NULL;
UPDATE apart_{name} SET rung = {last - 1} WHERE look IN (SELECT look FROM apart_{name} GROUP BY 1
  HAVING count(DISTINCT key) >= {k});
DELETE FROM apart_{name} WHERE rung = {last} AND (SELECT count(DISTINCT key) FROM apart_{name} WHERE rung = {last}) < {k};"""]


def copy(table):
    """An entity's rows show nothing where they are left over; the other tables' rows are set apart."""
    name, copied = table.name, f'pgveil."{table.name}.copy.1"'
    if table.is_entity:
        key, rung = "p.pseudonym", f"coalesce(p.rung_{name}, {len(rungs(table)) - 1})"
        joins = f"JOIN person p ON p.key = t.{table.key}"
    else:
        key, rung = f"CASE WHEN p.rung_{name} IS NOT NULL THEN p.pseudonym END", f"coalesce(p.rung_{name}, a.rung)"
        joins = (f"LEFT JOIN person p ON p.key = t.{table.key} LEFT JOIN apart_{name} a USING (line) "
                 f"WHERE p.rung_{name} IS NOT NULL OR a.line IS NOT NULL")
    columns = [f"{key} AS {table.key}"]
    columns += [f"t.{column}" for column, kind in table.columns.items() if "sensitive}" in kind]
    for column in table.quasi:
        on = ", ".join(str(at) for at, names in enumerate(rungs(table)) if column in names)
        columns.append(f"CASE WHEN {rung} IN ({on}) THEN t.{column} END AS {column}")
    return [f"""
DROP TABLE IF EXISTS {copied};
CREATE TABLE {copied} AS SELECT {', '.join(columns)} FROM raw_{name} t {joins};
DO $$ BEGIN EXECUTE (SELECT format('ALTER TABLE {copied} ALTER {table.key} TYPE %1$s USING {table.key}::%1$s',
  pg_typeof({table.key})) FROM raw_{name} LIMIT 1); END $$;
COMMENT ON TABLE {copied} IS 'pgveil: masked rows of policy {name}';
ANALYZE {copied};"""]


def script(tables, k):
    """→ SQL for one session, which makes pgveil."NAME.copy.1" of each table, the entity's being the first."""
    entity = tables[0]
    lines = ["CREATE SCHEMA IF NOT EXISTS pgveil;"]
    for table in tables:
        lines.append(f"CREATE TEMP TABLE raw_{table.name} AS SELECT row_number() OVER () AS line, t.* "
                     f"FROM ({table.truth()}) AS t;")
    lines.append(f"""
CREATE TEMP TABLE person AS SELECT DISTINCT {entity.key} AS key, 0::bigint AS class, NULL::text AS pseudonym
  FROM raw_{entity.name} WHERE {entity.key} IS NOT NULL;
UPDATE person SET pseudonym = CASE WHEN pg_typeof(person.key) = 'uuid'::regtype THEN md5('x' || n) ELSE n::text END
  FROM (SELECT key, row_number() OVER (ORDER BY md5(key::text)) AS n FROM person) AS numbered
  WHERE numbered.key = person.key;""")
    for table in tables:
        lines += choose(table, k)
    for table in tables:
        lines += ([] if table.is_entity else set_apart(table, k)) + copy(table)
    return "\n".join(lines) + "\n"


def flat_script(table, k):
    """The same for one flat source, whose persons are told by its unit: all of a person's rows show what a rung
    shows where k persons share it."""
    name, copied = table.name, f'pgveil."{table.name}.copy.1"'
    lines = ["CREATE SCHEMA IF NOT EXISTS pgveil;", f"CREATE TEMP TABLE raw_{name} AS SELECT row_number() OVER () AS line, "
             f"NULL::integer AS rung, t.* FROM ({table.truth()}) AS t;"]
    ladder = rungs(table)
    for rung, names in enumerate(ladder):
        least = k if names else 0
        lines.append(f"""
UPDATE raw_{name} t SET rung = {rung} WHERE rung IS NULL AND ({least} = 0 OR {seen(table, names)} IN (
  SELECT {seen(table, names)} FROM raw_{name} t WHERE rung IS NULL GROUP BY 1 HAVING count(DISTINCT {table.key}) >= {least}));""")
    columns = [f"NULL::bigint AS {table.key}"]
    columns += [f"t.{column}" for column, kind in table.columns.items() if "sensitive}" in kind]
    for column in table.quasi:
        on = ", ".join(str(at) for at, names in enumerate(ladder) if column in names)
        columns.append(f"CASE WHEN rung IN ({on}) THEN t.{column} END AS {column}")
    lines.append(f"""
DROP TABLE IF EXISTS {copied};
CREATE TABLE {copied} AS SELECT {', '.join(columns)} FROM raw_{name} t;
COMMENT ON TABLE {copied} IS 'pgveil: masked rows of policy {name}';
ANALYZE {copied};""")
    return "\n".join(lines) + "\n"
