"""Two raw databases that differ in hidden cells only: under one tree they have the same masked image, so
nothing a masked user can do may tell one from the other."""
import families
import naive

TRIES = 12
# In these a value of another length would change the size of the row, which is not hidden
# (docs/attack-model.md).
FIXED_WIDTH = {"int", "float", "date", "ts", "time", "bool", "enum", "uuid", "mac"}


def release_of(table):
    columns = [naive.TableColumn(column.name, type_text(column.sql_type)) for column in table.columns]
    return naive.Release(table.policy, columns).build(table.rows)


def type_text(sql_type):
    return {"char(9)": "character(9)"}.get(sql_type, sql_type)


def other_value(random, column, cell):
    """Another value of the same stored size; None: not found."""
    for _ in range(TRIES):
        pool = families.values(random, column.family, column.sql_type, 3) + [
            families.rare(random, column.family)
        ]
        candidate = random.choice(pool)
        if candidate is not None and candidate != cell and (
                column.family in FIXED_WIDTH or len(candidate.encode()) == len(cell.encode())):
            return candidate
    return None


def hidden_twin(random, table, share=0.7):
    """→ (rows, how many cells differ): the same masked image, other hidden cells. Units keep their
    numbers."""
    release = release_of(table)
    image = release.mask(table.rows)
    rows, changed = [], 0
    for row, shown in zip(table.rows, image):
        row = list(row)
        for number, column in enumerate(table.columns):
            if (shown[number] is not None or row[number] is None or column.name == table.policy.unit
                    or random.random() > share):
                continue
            before, row[number] = row[number], other_value(random, column, row[number]) or row[number]
            if release.mask([row])[0] != shown:  # the value would have been shown
                row[number] = before
            changed += row[number] != before
        rows.append(row)
    return rows, changed
