"""pgveil-spark on a standalone master with two workers: what is published, what is refused, and what is left
behind."""
import collections
import contextlib
import csv
import glob
import json
import math
import os
import re
import shutil
import subprocess
import time
import unittest

from session import BINARY, DRIVER, MINICLUSTER, PublishTest, long_only

from drivers import drivers, job_text, read_csv, write_csv
from harness.postgres import BIN, Postgres
from pyspark.sql import functions as F

from pgveil_spark import errors, main, output, plan, postgres as reading, run, sources


class Published(PublishTest):
    def assert_promise(self, rows, k=5, l=2, keys=("age", "country")):
        classes = collections.defaultdict(list)
        for row in rows:
            classes[tuple(row[key] for key in keys)].append(row["speed"])
        self.assertGreaterEqual(min(map(len, classes.values())), k)
        self.assertGreaterEqual(min(len(set(it)) for it in classes.values()), l)

    def assert_same_records(self, rows, given):
        self.assertEqual(
            sorted((row["id"], row["speed"]) for row in rows),
            sorted((row["id"], row["speed"]) for row in given),
        )
        for row in rows:
            self.assertNotIn("name", row)


class Cluster(Published):
    def test_mondrian_keeps_its_promise_and_every_record(self):
        given = drivers()
        write_csv(self.folder / "drivers.csv", given)
        for way in ("multidimensional", "quantiles"):
            report = self.publish(self.job(), way=way, target=f"kept-{way}")
            rows = read_csv(self.folder / f"kept-{way}")
            self.assert_same_records(rows, given)
            self.assert_promise(rows)
            truth = {row["id"]: row for row in given}
            for row in rows:
                low, high = (
                    re.fullmatch(r"\[(\d+),(\d+)\]|(\d+)", row["age"]).group(1, 2)
                    if "[" in row["age"]
                    else (row["age"],) * 2
                )
                self.assertTrue(int(low) <= int(truth[row["id"]]["age"]) <= int(high))
            self.assertEqual(report.facts["records"], 3000)
            self.assertEqual(sum(report.facts["records_by_part"]), 3000)
            self.assertEqual(report.facts["parts"], 4)
        self.assertEqual(
            {it.name for it in self.folder.iterdir()},
            {"drivers.csv", "job.yaml", "kept-multidimensional", "kept-quantiles"},
        )
        self.assertEqual(os.stat(self.folder / "kept-quantiles").st_mode & 0o077, 0)
        self.assertEqual(
            {os.stat(name).st_mode & 0o077 for name in glob.glob(f"{self.folder}/kept-quantiles/part*")}, {0}
        )

    def test_the_same_job_writes_the_same_files(self):
        given = drivers(600)
        written = []
        for i, rows in enumerate((given, list(reversed(given)))):
            write_csv(self.folder / "drivers.csv", rows)
            self.publish(self.job(), target=f"kept{i}")
            written.append(
                [open(name, "rb").read() for name in sorted(glob.glob(f"{self.folder}/kept{i}/part-*.csv"))]
            )
        self.assertEqual(*written)
        self.assertEqual(len(written[0]), 3)

    def test_nulls_are_values_of_their_own_or_an_error(self):
        rows = drivers(1000)
        for i in range(0, 1000, 10):
            rows[i]["age"] = ""
        write_csv(self.folder / "drivers.csv", rows)
        self.refused(r"100 records have a value of age that is no number", self.job())
        self.publish(self.job(null=", \"null\": ''"), target="kept")
        made = read_csv(self.folder / "kept")
        self.assert_promise(made)
        self.assert_same_records(made, rows)
        table = self.spark.createDataFrame(
            [(str(i), "n", None if i % 5 == 0 else i % 40, "USA", i % 3) for i in range(200)],
            "id string, name string, age int, country string, speed int",
        )
        table.write.parquet(str(self.folder / "kept.parquet"))
        source = sources.Source("parquet", str(self.folder / "kept.parquet"))
        self.refused(r"age has 40 NULLs", self.job(), source)
        self.publish(self.job(null=", \"null\": none"), source, target="kept3", kind="parquet")
        made = self.spark.read.parquet(str(self.folder / "kept3"))
        self.assertEqual(made.count(), 200)
        self.assertEqual(dict(made.dtypes)["speed"], "int")
        self.assertEqual(made.filter(F.col("speed").isNull()).count(), 0)

    @unittest.skipUnless(MINICLUSTER, "HDFS's mini-cluster is not there")
    def test_files_of_hdfs(self):
        jvm = self.spark._jvm
        configuration = jvm.org.apache.hadoop.conf.Configuration()
        configuration.set("hdfs.minidfs.basedir", str(self.folder / "hdfs"))
        hdfs = (
            getattr(jvm, "org.apache.hadoop.hdfs.MiniDFSCluster$Builder")(configuration)
            .numDataNodes(2)
            .build()
        )
        self.addCleanup(hdfs.shutdown, True)
        uri = str(hdfs.getFileSystem().getUri().toString())
        given = drivers(1000)
        os.mkdir(self.folder / "in")
        write_csv(self.folder / "in" / "a.csv", given[:600])
        write_csv(self.folder / "in" / "b.csv", given[600:])
        path = jvm.org.apache.hadoop.fs.Path
        hdfs.getFileSystem().copyFromLocalFile(path(str(self.folder / "in")), path(uri + "/in"))
        job = self.job()
        request = run.Request(
            job,
            sources.Source("csv", uri + "/in"),
            output.Target(uri + "/published", "csv", ",", 2),
            self.binary,
            3,
            "multidimensional",
            1.0,
            None,
        )
        self.assertEqual(run.run(self.spark, request).facts["records"], 1000)
        with self.assertRaisesRegex(errors.Failure, "the output hdfs://.*/published exists"):
            run.run(self.spark, request)
        names = sorted(it.getPath().getName() for it in hdfs.getFileSystem().listStatus(path(uri + "/")))
        self.assertEqual(names, ["in", "published"])
        hdfs.getFileSystem().copyToLocalFile(path(uri + "/published"), path(str(self.folder / "kept")))
        rows = read_csv(self.folder / "kept")
        self.assert_same_records(rows, given)
        self.assert_promise(rows)

    @unittest.skipUnless(
        os.path.exists(DRIVER) and BIN.exists(), "PostgreSQL or its JDBC driver is not there"
    )
    def test_a_table_of_postgresql(self):
        postgres = Postgres()
        postgres.start()
        self.addCleanup(postgres.stop)
        postgres.run(
            "CREATE ROLE reader LOGIN PASSWORD 'secret'; CREATE TABLE public.\"Drivers\" (id int, name text, age int, country text, "
            "speed int); INSERT INTO public.\"Drivers\" SELECT i, 'n', CASE WHEN i % 10 > 0 THEN 18 + i * 37 % 61 END, "
            "(ARRAY['Italy', 'USA'])[1 + i % 2], i % 9 FROM generate_series(1, 1000) i;"
        )
        (self.folder / "job.yaml").write_text(
            job_text().replace("{file: drivers.csv}", "{table: [public, Drivers]}")
        )
        job = self.binary.read_job(str(self.folder / "job.yaml"))
        url = f"jdbc:postgresql://127.0.0.1:{postgres.port}/postgres"
        source = sources.Source("jdbc", url=url, table='"public"."Drivers"', user="reader")
        self.refused(r"PostgreSQL answered: permission denied for table Drivers", job, source)
        postgres.run("GRANT SELECT ON public.\"Drivers\" TO reader;")
        self.publish(job, source, target="kept")
        rows = read_csv(self.folder / "kept")
        self.assertEqual(len(rows), 1000)
        self.assert_promise(rows)
        self.assertIn(
            "NULL", {row["age"] for row in rows} | {"NULL" if row["age"] == "*" else "" for row in rows}
        )
        self.assertEqual(len(set(it["id"] for it in rows)), 1000)
        self.publish(
            job,
            sources.Source("jdbc", url=url, table='"public"."Drivers"', user="reader", connections=3),
            target="kept-3",
        )
        self.assertEqual(sorted(map(str, read_csv(self.folder / "kept-3"))), sorted(map(str, rows)))
        self.refused(
            r"PostgreSQL does not answer",
            job,
            sources.Source("jdbc", url="jdbc:postgresql://127.0.0.1:1/x", table="t", user="reader"),
        )

    @unittest.skipUnless(
        os.path.exists(DRIVER) and BIN.exists(), "PostgreSQL or its JDBC driver is not there"
    )
    def test_all_connections_see_one_state_of_a_table(self):
        """Of a partitioned one, which others change while it is read."""
        postgres = Postgres()
        postgres.start()
        self.addCleanup(postgres.stop)
        postgres.run(
            "CREATE ROLE reader LOGIN; CREATE TABLE public.parts (id int, age int, country text, speed int) PARTITION BY HASH (id);"
            "CREATE TABLE public.parts_0 PARTITION OF public.parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);"
            "CREATE TABLE public.parts_1 PARTITION OF public.parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);"
            "INSERT INTO public.parts SELECT i, 18 + i % 60, 'Italy', i % 9 FROM generate_series(1, 20000) i;"
            "GRANT SELECT ON public.parts TO reader;"
        )
        (self.folder / "job.yaml").write_text(
            job_text()
            .replace("{file: drivers.csv}", "{table: public.parts}")
            .replace("  name: {class: identifier}\n", "")
        )
        job = self.binary.read_job(str(self.folder / "job.yaml"))
        source = sources.Source(
            "jdbc",
            url=f"jdbc:postgresql://127.0.0.1:{postgres.port}/postgres",
            table='"public"."parts"',
            user="reader",
            connections=4,
        )
        with contextlib.ExitStack() as held:
            table = sources.read(self.spark, job, source, held)
            self.assertEqual(table.rdd.getNumPartitions(), 4)
            postgres.run(
                "DELETE FROM public.parts WHERE id % 3 = 0; INSERT INTO public.parts SELECT i, 1, 'USA', 1 "
                "FROM generate_series(30000, 40000) i;"
            )
            found = table.agg(
                F.count(F.lit(1)), F.count_distinct("c0"), F.max(F.col("c0").cast("int"))
            ).first()
            self.assertEqual(tuple(found), (20000, 20000, 20000))
            table.unpersist(blocking=True)  # as if all executors were lost
            self.assertEqual(table.count(), 20000)
        while postgres.rows("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader'") != [["0"]]:
            time.sleep(0.1)

    def test_each_row_is_in_one_range(self):
        self.assertEqual(reading.ranges(100, 1), ["ctid >= '(0,0)'::tid"])
        self.assertEqual(reading.ranges(0, 4), ["ctid >= '(0,0)'::tid"])
        self.assertEqual(
            reading.ranges(10, 3),
            [
                "ctid >= '(0,0)'::tid AND ctid < '(3,0)'::tid",
                "ctid >= '(3,0)'::tid AND ctid < '(6,0)'::tid",
                "ctid >= '(6,0)'::tid",
            ],
        )
        self.assertEqual(len(reading.ranges(3, 8)), 3)

    def test_spark_sends_a_key_to_its_part(self):
        found = self.spark.range(1).select(*[F.hash(F.lit(number)) for number in (0, 1, 42, 12345)]).first()
        self.assertEqual([plan.murmur3(number) for number in (0, 1, 42, 12345)], list(found))
        frame = self.spark.createDataFrame(
            [(plan.key_of_part(part, 7),) for part in range(7)], "part int"
        ).repartition(7, "part")
        self.assertEqual(
            sorted(frame.select(F.spark_partition_id()).distinct().toPandas().iloc[:, 0]), list(range(7))
        )


if __name__ == "__main__":
    unittest.main()


class OneMachine(Published):
    """What does not depend on the number of machines."""
    is_on_cluster = False

    def test_all_of_it_as_sample_and_one_part_is_what_one_machine_publishes(self):
        write_csv(self.folder / "drivers.csv", drivers(1500))
        for cuts in ("cuts: strict", "cuts: strict, cut_by: entropy, ranges: region"):
            job = self.job(mondrian=cuts, entropy=", entropy: 1.5")
            subprocess.run(
                [BINARY, "anonymize", "--report", self.folder / "native.json", job.path],
                check=True,
                capture_output=True,
            )
            native = sorted(map(tuple, csv.reader(open(self.folder / "out", newline=""))))
            facts = json.loads((self.folder / "native.json").read_text())
            os.remove(self.folder / "out")
            os.remove(self.folder / "native.json")
            for parts in (1, 4):
                report = self.publish(job, target=f"kept{parts}", parts=parts)
                made = read_csv(self.folder / f"kept{parts}")
                shutil.rmtree(self.folder / f"kept{parts}")
                self.assertEqual(
                    sorted([tuple(made[0])] + [tuple(row.values()) for row in made]), native, (cuts, parts)
                )
            self.assertIn(
                f"{report.facts['discernibility_penalty']:.0f}", json.dumps(facts).replace(".0", "")
            )

    def test_parts_that_cannot_reach_k_or_l_are_merged(self):
        rows = drivers(300)
        for row in rows:
            row["speed"] = "100" if int(row["age"]) < 50 else row["speed"]
        write_csv(self.folder / "drivers.csv", rows)
        report = self.publish(self.job(l=3), parts=16, way="quantiles", target="kept")
        self.assertLess(report.facts["parts"], 16)
        self.assertRegex(
            " ".join(report.remarks), r"could not keep k or a model by themselves and were merged"
        )
        self.assert_promise(read_csv(self.folder / "kept"), l=3)
        report = self.publish(self.job(k=200), parts=8, target="kept2")
        self.assertEqual(report.facts["parts"], 1)

    def test_a_table_that_cannot_reach_k_or_l_is_refused(self):
        write_csv(self.folder / "drivers.csv", drivers(20))
        self.refused(r"all 20 records together do not keep k = 21", self.job(k=21))
        self.refused(r"or a model", self.job(l=10))

    @long_only
    def test_a_small_sample_still_gives_parts(self):
        write_csv(self.folder / "drivers.csv", drivers())
        report = self.publish(self.job(), fraction=0.0001, target="kept")
        self.assertEqual(report.facts["parts"] < 4, bool(report.remarks))
        self.assert_promise(read_csv(self.folder / "kept"))

    def test_values_that_a_hierarchy_lacks_are_all_named(self):
        rows = drivers(100)
        rows[3]["country"], rows[4]["country"] = "Oz", "Utopia"
        write_csv(self.folder / "drivers.csv", rows)
        said = self.refused(r"country", self.job())
        self.assertIn("Oz", said)
        self.assertIn("Utopia", said)

    def test_files_with_different_headers_or_schemas_are_refused(self):
        os.mkdir(self.folder / "many")
        write_csv(self.folder / "many" / "a.csv", drivers(300))
        write_csv(self.folder / "many" / "b.csv", drivers(300), ["id", "name", "country", "age", "speed"])
        self.refused(r"different headers", self.job(), sources.Source("csv", str(self.folder / "many")))
        columns = "id string, name string, age int, country string, speed int"
        for name, schema, row in (
            ("a", columns, ("1", "n", 30, "USA", 1)),
            ("b", columns.replace(", country string", ""), ("1", "n", 30, 1)),
        ):
            self.spark.createDataFrame([row], schema).write.parquet(f"{self.folder}/two/{name}")
        source = sources.Source("parquet", f"{self.folder}/two/*")
        self.refused(r"has other columns or types than|no column country", self.job(), source)

    def test_input_that_is_missing_or_broken_is_refused(self):
        self.refused(r"no such input path", self.job())
        write_csv(self.folder / "drivers.csv", drivers(10), ["id", "age", "speed"])
        self.refused(r"the input has no column country", self.job())
        (self.folder / "drivers.csv").write_text("id,name,age,country,speed\n")
        self.refused(r"no records", self.job())
        (self.folder / "drivers.csv").write_text("id,name,age,country,speed\n1,n,30,USA\n")
        self.refused(r"can't be read as what it should be", self.job())

    def test_a_record_is_never_divided_at_a_line_end_of_a_cell(self):
        lines = [f"{i},n,{18 + i % 60},USA,{i % 9}" for i in range(100)]
        lines += ['100,n,30,USA,"a', '101,n,30,USA,b"']  # one record, or two without an error
        (self.folder / "drivers.csv").write_text("\n".join(["id,name,age,country,speed", *lines, ""]))
        self.refused(r"2 lines of the input have an odd number of quotes \(give --multiline", self.job())
        source = sources.Source("csv", str(self.folder / "drivers.csv"), multiline=True)
        self.assertEqual(self.publish(self.job(), source, target="kept").facts["records"], 101)

    def only_age(self):
        path = self.job(models="l_diversity: {distinct: 1}").path
        file = self.folder / "job.yaml"
        others = ("  id:", "  name:", "  country:", "  speed:")
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(line for line in lines if not line.startswith(others)))
        return self.binary.read_job(path)

    def test_blank_lines_that_are_records_are_refused(self):
        """Spark leaves them out."""
        (self.folder / "drivers.csv").write_text("age\n" + "30\n\n" * 10)
        self.refused(r"10 lines of the input are blank", self.only_age())
        rows = "".join(f"{i},n,{18 + i % 60},USA,{i % 9}\n\n" for i in range(100))
        (self.folder / "drivers.csv").write_text("id,name,age,country,speed\n" + rows)
        self.assertEqual(self.publish(self.job(), target="kept").facts["records"], 100)
        (self.folder / "drivers.csv").write_text("id,name,age,country,speed\n" + rows + "  \n")
        self.refused(r"1 lines of the input are blank", self.job())

    def test_a_text_that_is_not_utf8_is_refused(self):
        write_csv(self.folder / "drivers.csv", drivers(100))
        with open(self.folder / "drivers.csv", "ab") as file:
            file.write(b"x,n,30,USA,Z\xfcrich\n")
        for multiline in (False, True):
            source = sources.Source("csv", str(self.folder / "drivers.csv"), multiline=multiline)
            self.refused(r"1 values of speed are not UTF-8", self.job(), source)

    def test_bytes_of_columns_that_are_left_out_do_not_matter(self):
        """And the character of what can't be decoded may be in the input."""
        write_csv(self.folder / "drivers.csv", drivers(100))
        with open(self.folder / "drivers.csv", "ab") as file:
            file.write(b'x,"Gro\xdf",30,USA,a\n' + 'x,n,30,USA,Z\ufffdrich\n'.encode())
        source = sources.Source("csv", str(self.folder / "drivers.csv"))
        self.refused(r"1 values of speed are not UTF-8", self.job(), source)
        text = (self.folder / "drivers.csv").read_bytes().replace(b"Gro\xdf", "Gro\u00df".encode())
        (self.folder / "drivers.csv").write_bytes(text)
        self.assertEqual(self.publish(self.job(), source, target="kept").facts["records"], 102)

    def test_names_of_the_job_are_no_patterns_and_its_output_has_its_own_separator(self):
        write_csv(self.folder / "drivers[1].csv", drivers(100))
        write_csv(self.folder / "drivers1.csv", drivers(200))
        text = job_text().replace("drivers.csv", '"drivers[1].csv"')
        text = text.replace("file: out", 'file: kept, separator: ";"')
        (self.folder / "job.yaml").write_text(text)
        given = main.parser().parse_args(
            ["--binary", BINARY, "--output-files", "1", str(self.folder / "job.yaml")]
        )
        self.assertEqual(run.run(self.spark, main._request(given, 1.0)).facts["records"], 100)
        (name,) = self.folder.glob("kept/part-*.csv")
        self.assertEqual(name.read_text().splitlines()[0], "id;age;country;speed")
        given.output = str(self.folder / "out[1]")
        with self.assertRaisesRegex(errors.Failure, "Spark would read it as a pattern"):
            main._request(given, 1.0)

    def test_files_that_cannot_be_read_are_never_left_out(self):
        names = ("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles")
        for name in names:
            self.spark.conf.set(name, "true")
        run._prepare(self.spark)
        self.assertEqual([self.spark.conf.get(name) for name in names], ["false", "false"])

    @unittest.skipUnless(
        os.path.exists(DRIVER) and BIN.exists(), "PostgreSQL or its JDBC driver is not there"
    )
    def test_values_of_postgresql_are_read_as_its_texts(self):
        """Whatever the time zone of Java is. And columns that are not published are not read."""
        postgres = Postgres()
        postgres.start()
        self.addCleanup(postgres.stop)
        postgres.run(
            "CREATE ROLE reader LOGIN; CREATE TABLE public.kinds (id timestamp, name text, age numeric, "
            "country char(9), speed time, other float8); INSERT INTO public.kinds SELECT "
            "'2024-03-10 02:30:00', 'n', 1.5, 'USA', '10:00:00', 'NaN' FROM generate_series(1, 10);"
            "GRANT SELECT ON public.kinds TO reader;"
        )
        text = job_text().replace("{file: drivers.csv}", "{table: public.kinds}")
        text = text.replace("k: 5", "  other: {class: insensitive}\nk: 5")
        (self.folder / "job.yaml").write_text(text)
        job = self.binary.read_job(str(self.folder / "job.yaml"))
        url = f"jdbc:postgresql://127.0.0.1:{postgres.port}/postgres"
        source = sources.Source("jdbc", url=url, table='"public"."kinds"', user="reader")
        zones = self.spark._jvm.java.util.TimeZone
        self.addCleanup(zones.setDefault, zones.getDefault())
        zones.setDefault(zones.getTimeZone("America/New_York"))
        with contextlib.ExitStack() as held:
            table = sources.read(self.spark, job, source, held)
            self.assertNotIn("name", table._jdf.queryExecution().analyzed().toString())
            row = table.first()
        self.assertEqual(tuple(row)[:4], ("2024-03-10 02:30:00", "1.5", "USA", "10:00:00"))
        self.assertTrue(math.isnan(row[4]))  # as PostgreSQL has it: no NULL
        postgres.run("UPDATE public.kinds SET country = CASE WHEN random() < 2 THEN 'NULL' END, speed = NULL;"
                     "INSERT INTO public.kinds DEFAULT VALUES;")
        said = self.refused(r"column country has NULL and also the text that stands for it", job, source)
        self.assertIn("let input.null be a text that the column does not have", said)

    def test_an_output_that_exists_is_not_touched(self):
        write_csv(self.folder / "drivers.csv", drivers(100))
        os.mkdir(self.folder / "kept-out")
        (self.folder / "kept-out" / "mine").write_text("mine")
        self.refused(r"the output .*kept-out exists", self.job(), target="kept-out")
        self.assertEqual((self.folder / "kept-out" / "mine").read_text(), "mine")

    def test_a_failure_late_in_the_job_leaves_nothing(self):
        write_csv(self.folder / "drivers.csv", drivers(300))
        whole = output.Place.publish
        try:
            output.Place.publish = lambda self: (_ for _ in ()).throw(errors.Failure("stopped"))
            self.refused(r"^stopped$", self.job())
        finally:
            output.Place.publish = whole

    @long_only
    def test_cells_that_a_spreadsheet_would_run_and_odd_texts(self):
        rows = drivers(400)
        odd = ["=1+1", "'=1+1", " two  ", "a,b", 'q"q', "", "-5", "@x", "'x", "Zürich"]
        for i, row in enumerate(rows):
            row["speed"] = odd[i % len(odd)]
        write_csv(self.folder / "drivers.csv", rows)
        self.publish(self.job(), target="kept")
        made = {row["speed"] for row in read_csv(self.folder / "kept")}
        self.assertEqual(
            made, {"'=1+1", "''=1+1", " two  ", "a,b", 'q"q', "", "-5", "'@x", "'x", "Zürich"}
        )

    @long_only
    def test_relaxed_cuts_give_smaller_groups(self):
        write_csv(self.folder / "drivers.csv", drivers(1000))
        strict = self.publish(self.job(), target="kept1")
        relaxed = self.publish(self.job(mondrian="cuts: relaxed"), target="kept2")
        self.assertLess(relaxed.facts["discernibility_penalty"], strict.facts["discernibility_penalty"])
        self.assert_promise(read_csv(self.folder / "kept2"))

    def test_a_scheme_found_on_a_sample_is_applied_to_all_and_counted(self):
        rows = drivers(2000) + [{"id": "x", "name": "x", "age": "99", "country": "USA", "speed": "1"}]
        write_csv(self.folder / "drivers.csv", rows)
        full = dict(age="hierarchy: {intervals: {widths: [10, 30]}}")
        job = self.job(**full, algorithm="suppression: 0%")
        self.refused(
            r"1 of 2001 records are in classes that break k or a model, 0 may be suppressed",
            job,
            levels="1,1",
        )
        job = self.job(**full, algorithm="suppression: 1%")
        report = self.publish(job, levels="1,1", target="kept")
        made = read_csv(self.folder / "kept")
        self.assertEqual((len(made), report.facts["suppressed"], report.facts["dropped"]), (2000, 1, 1))
        self.assert_promise(made)
        self.assertEqual({row["country"] for row in made}, {"Europe", "America"})
        self.refused(r"level 9 of age is outside 0 to 3 \(choose one that the job allows", job, levels="9,1")
        self.refused(r"1 levels for 2 quasi", job, levels="9")
        self.refused(r"do one of the two", self.job(), levels="1,1")

    @long_only
    def test_suppressed_records_are_kept_as_a_class_or_left_out(self):
        rare = [
            {"id": "x", "name": "x", "age": str(150 + 60 * i), "country": "USA", "speed": str(100 + i)}
            for i in range(8)
        ]
        write_csv(self.folder / "drivers.csv", drivers(2000) + rare)
        full = dict(age="hierarchy: {intervals: {widths: [10, 30]}}")
        stars = []
        for at, (words, published) in enumerate((("keep_or_drop", 2008), ("drop", 2000))):
            job = self.job(**full, algorithm=f"suppression: 1%\nsuppressed_records: {words}")
            report = self.publish(job, levels="1,1", target=f"kept{at}")
            made = read_csv(self.folder / f"kept{at}")
            self.assertEqual((len(made), report.facts["suppressed"]), (published, 8))
            self.assertEqual(report.facts["dropped"], 2008 - published)
            self.assert_promise(made)
            stars.append(sum(row["age"] == "*" for row in made))
        self.assertEqual(stars, [8, 0])
