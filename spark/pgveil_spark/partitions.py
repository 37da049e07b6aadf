"""The table divided: each record gets the key of the part it falls in, and parts that can't keep k or a model
are merged."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession, functions as F

from . import classes, compatibility, plan
from .errors import Failure
from .job import Attribute, Job, Mondrian
from .survey import Profile, number_of

MOST_SAMPLED = 1_000_000  # records that the driver keeps in memory


@dataclass
class Parts:
    tree: plan.Node
    count: int
    cut: set[int]  # dimensions
    sizes: list[int] = field(default_factory=list)
    sampled: int = 0
    remarks: list[str] = field(default_factory=list)


def _rank_table(spark: SparkSession, dimension: int, values: list[str]) -> DataFrame:
    ranks = [float(rank) for rank in range(len(values))]
    return compatibility.small_table(spark, f"v{dimension} string, p{dimension} double", values, ranks)


def positions(spark: SparkSession, table: DataFrame, job: Job, profile: Profile, null: str | None,
              dimensions: set[int]) -> DataFrame:
    """The table with a column p<d> for each of the dimensions: where the record stands in its order."""
    published = [it.name for it in job.published]
    for d in sorted(dimensions):
        attribute = job.quasi_identifiers[d]
        column = F.col(f"c{published.index(attribute.name)}")
        if attribute.is_numeric:
            position = number_of(column)
            if null is not None:
                position = F.when(column == F.lit(null), F.lit(float("-inf"))).otherwise(position)
            table = table.withColumn(f"p{d}", position)
        else:
            ranks = _rank_table(spark, d, profile.domains[attribute.name].values)
            table = table.join(F.broadcast(ranks), column == F.col(f"v{d}"), "left").drop(f"v{d}")
    return table


def _whole(attribute: Attribute, profile: Profile, null: str | None) -> float:
    values = profile.domains[attribute.name].values
    if not attribute.is_numeric:
        return float(len(values) - 1)
    numbers = [float(value) for value in values if value != null]
    return max(numbers) - min(numbers) if numbers else 0.0


def _sample(table: DataFrame, job: Job, profile: Profile, null: str | None, fraction: float,
            seed: int) -> np.ndarray:
    fraction = min(fraction, 1.0, MOST_SAMPLED / profile.records)
    drawn = table.sample(False, fraction, seed) if fraction < 1 else table
    published = [it.name for it in job.published]
    rows = compatibility.to_arrow(
        drawn.select(*[f"c{published.index(it.name)}" for it in job.quasi_identifiers])
    )
    return np.column_stack([_positions_of(column, attribute, profile.domains[attribute.name].values, null)
                            for column, attribute in zip(rows.columns, job.quasi_identifiers)])


def _positions_of(
    column: pa.ChunkedArray, attribute: Attribute, values: list[str], null: str | None
) -> np.ndarray:
    """On the driver what positions() is in Spark."""
    if not attribute.is_numeric:
        return pc.index_in(column, value_set=pa.array(values, pa.string())).cast(pa.float64()).to_numpy()
    if null is not None:
        column = pc.if_else(pc.equal(column, null), "-inf", column)
    return pc.utf8_ltrim(column, "+").cast(pa.float64()).to_numpy()


def planned(
    spark: SparkSession,
    table: DataFrame,
    job: Job,
    mondrian: Mondrian,
    profile: Profile,
    null: str | None,
    parts: int,
    way: str,
    fraction: float,
    seed: int,
) -> Parts:
    if parts == 1:
        return Parts(plan.Leaf(0), 1, set())
    sample = _sample(table, job, profile, null, fraction, seed)
    wholes = [_whole(it, profile, null) for it in job.quasi_identifiers]
    make = plan.multidimensional if way == "multidimensional" else plan.quantiles
    tree = make(sample, parts, mondrian.cut_by, wholes)
    made = Parts(tree, len(list(plan.leaves(tree))), plan.dimensions_of(tree), sampled=len(sample))
    if made.count < parts:
        made.remarks.append(
            f"{made.count} parts instead of {parts}: the sample's {len(sample)} records allow no more"
            + (" cuts of one attribute" if way == "quantiles" else "")
        )
    return made


def key(node: plan.Node, parts: int) -> Column:
    if isinstance(node, plan.Leaf):
        return F.lit(plan.key_of_part(node.part, parts))
    inside = F.col(f"p{node.dimension}") <= F.lit(node.last)
    return F.when(inside, key(node.left, parts)).otherwise(key(node.right, parts))


def _with_part(
    spark: SparkSession,
    table: DataFrame,
    job: Job,
    profile: Profile,
    null: str | None,
    parts: Parts,
    column: Column,
) -> DataFrame:
    placed = positions(spark, table, job, profile, null, parts.cut)
    return placed.withColumn("part", column).drop(*[f"p{d}" for d in parts.cut])


def _part(node: plan.Node) -> Column:
    if isinstance(node, plan.Leaf):
        return F.lit(node.part)
    return F.when(F.col(f"p{node.dimension}") <= F.lit(node.last), _part(node.left)).otherwise(
        _part(node.right)
    )


def enough(
    spark: SparkSession, table: DataFrame, job: Job, profile: Profile, null: str | None, parts: Parts
) -> Parts:
    """Parts merged until each keeps k and the models. Error: even all records together do not."""
    begin = parts.count
    while True:
        placed = _with_part(spark, table, job, profile, null, parts, _part(parts.tree))
        found = classes.judged(placed, ["part"], job, profile).collect()
        sizes = {row["part"]: row["records"] for row in found}
        failing = {row["part"] for row in found if not row["good"]}
        if sum(sizes.values()) != profile.records:
            raise Failure("the input changed while it was read", "nothing was published; run it again")
        if not failing and len(sizes) == parts.count:
            break
        if parts.count == 1:
            raise Failure(
                f"all {profile.records} records together do not keep k = {job.k} or a model",
                "lower k, or weaken the model",
            )
        new = plan.merged(list(plan.leaves(parts.tree)), sizes, failing)
        count = len(set(new.values()))
        tree: plan.Node = plan.Leaf(0) if count == 1 else plan.renumbered(parts.tree, new.__getitem__)
        parts = Parts(tree, count, set() if count == 1 else parts.cut, [], parts.sampled, parts.remarks)
    parts.sizes = [sizes[part] for part in range(parts.count)]
    if parts.count < begin:
        parts.remarks.append(
            f"{begin - parts.count} of {begin} parts could not keep k or a model by themselves and were merged with a neighbor"
        )
    return parts


def divided(
    spark: SparkSession, table: DataFrame, job: Job, profile: Profile, null: str | None, parts: Parts
) -> DataFrame:
    """The table with a column `part`, one part in each of as many partitions."""
    keyed = _with_part(spark, table, job, profile, null, parts, key(parts.tree, parts.count))
    return keyed.repartition(parts.count, "part")
