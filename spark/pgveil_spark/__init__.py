"""Mondrian and full-domain generalization of tables that outgrow one machine, on Apache Spark. docs/spark.md
is the reference."""
