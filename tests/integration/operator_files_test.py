#!/usr/bin/python3
"""The files for operators in config/: the Grafana dashboard, the alert rules and the Helm chart. Their metrics
are those that pgveil really has, and the chart's configuration is one that pgveil starts with."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.request

import yaml

from harness import world
from harness.pgveil import binary
from harness.ports import free_port
from harness.runner import REPOSITORY, main
from harness.stack import StackCase
from harness.wire import scram_verifier

CONFIG = pathlib.Path(REPOSITORY) / "config"
RULES = CONFIG / "prometheus" / "pgveil.rules.yaml"
DASHBOARD = CONFIG / "grafana" / "pgveil.json"
CHART = CONFIG / "helm" / "pgveil"
METRIC = re.compile(r"\bpgveil_[a-z_]+\b")
KUBERNETES = ["--kube-version", "1.30.0"]


def tool(name):
    """Its path; None: it is not here, and a line says so."""
    found = os.environ.get(f"PGVEIL_{name.upper()}") or shutil.which(name)
    if not found:
        needs = {"promtool": "the Debian package prometheus", "helm": "helm 3"}[name]
        print(f"skipped: {name} is not installed; it is in {needs}")
    return found


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=120)


def expressions_of_dashboard():
    dashboard = json.loads(DASHBOARD.read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    variables = [it["definition"] for it in dashboard["templating"]["list"] if "definition" in it]
    return panels + variables


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def metrics_in(expressions):
    return {name for text in expressions for name in METRIC.findall(text)}


class Monitoring(StackCase):
    policies = (world.PEOPLE,)
    built = ("people_k2",)

    @classmethod
    def start(cls):
        cls.metrics_port = free_port()
        cls.options = {"more": f"metrics: {{port: {cls.metrics_port}}}\naudit: {{file: audit.log}}\n"}
        super().start()

    def exposed(self):
        """The names of the samples, labels left out."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60) as page:
            text = page.read().decode()
        declared = dict(re.findall(r"(?m)^# TYPE (\S+) (\S+)$", text))
        names = set()
        for name, kind in declared.items():
            names |= {f"{name}_{it}" for it in ("bucket", "sum", "count")} if kind == "histogram" else {name}
        return names, declared

    def test_the_dashboard_uses_metrics_that_exist(self):
        names, _ = self.exposed()
        used = metrics_in(expressions_of_dashboard())
        self.assertGreater(len(used), 20)
        self.assertEqual(used - names, set())

    def test_the_dashboard_has_every_metric(self):
        used = metrics_in(expressions_of_dashboard())
        _, declared = self.exposed()
        missing = {
            name for name in declared if not any(it == name or it.startswith(name + "_") for it in used)
        }
        self.assertEqual(missing, set())

    def test_the_rules_use_metrics_that_exist(self):
        names, _ = self.exposed()
        used = metrics_in(rule["expr"] for rule in rules())
        self.assertGreater(len(used), 8)
        self.assertEqual(used - names, set())

    def test_every_alert_has_a_severity_and_says_what_to_do(self):
        for rule in rules():
            self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"), rule["alert"])
            self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"])

    def test_every_alert_has_a_test(self):
        tested = {
            it["alertname"]
            for each in yaml.safe_load((RULES.parent / "pgveil.rules_test.yaml").read_text())["tests"]
            for it in each["alert_rule_test"]
            if it["exp_alerts"]
        }
        self.assertEqual({rule["alert"] for rule in rules()} - tested, set())

    def test_promtool_accepts_the_rules_and_their_tests_pass(self):
        promtool = tool("promtool")
        if not promtool:
            return
        checked = run(promtool, "check", "rules", str(RULES))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        tested = run(promtool, "test", "rules", str(RULES.parent / "pgveil.rules_test.yaml"))
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)

    def test_panels_do_not_overlap(self):
        taken = set()
        for panel in json.loads(DASHBOARD.read_text())["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells


class Chart(StackCase):
    policies = (world.PEOPLE,)
    built = ()

    def values(self):
        users = "".join(f'"{name}" "{scram_verifier(name)}"\n' for name in ("operator", "watcher", "analyst"))
        return {
            "postgres": {"host": "127.0.0.1", "port": self.postgres.port, "databases": ["demo"]},
            "secret": {"queryPassword": "query secret", "adminPassword": "admin secret", "users": users},
            "admins": ["operator"],
            "stats": ["watcher"],
            "page": {"enabled": True},
            "state": {"auditLog": True},
            "policies": {"people.yaml": "version: 1\npolicies: []\n"},
            "extraConfig": "open_tables: []\n",
        }

    def render(self, values, *more):
        file = self.pgveil.directory / "values.yaml"
        file.write_text(yaml.safe_dump(values))
        return run(tool("helm"), "template", "pgveil", str(CHART), "-f", str(file), *KUBERNETES, *more)

    def objects(self, values, *more):
        done = self.render(values, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = [it for it in yaml.safe_load_all(done.stdout) if it]
        return {(it["kind"], it["metadata"]["name"]): it for it in made}

    def test_it_renders_what_it_should(self):
        if not tool("helm"):
            return
        objects = self.objects(self.values())
        self.assertEqual(
            {kind for kind, _ in objects},
            {"ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Secret", "Service",
             "ServiceAccount"},
        )
        pod = objects["Deployment", "pgveil"]["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        rights = container["securityContext"]
        self.assertEqual(
            (rights["runAsNonRoot"], rights["readOnlyRootFilesystem"], rights["allowPrivilegeEscalation"]),
            (True, True, False),
        )
        self.assertEqual(rights["capabilities"], {"drop": ["ALL"]})
        self.assertFalse(pod["automountServiceAccountToken"])
        mounted = {it["name"] for it in container["volumeMounts"]}
        self.assertEqual(mounted, {it["name"] for it in pod["volumes"]})
        secrets = json.dumps({key: it for key, it in objects.items() if it["kind"] != "Secret"}.__repr__())
        for secret in ("query secret", "admin secret", "SCRAM-SHA-256"):
            self.assertNotIn(secret, secrets)
        labels = objects["Deployment", "pgveil"]["spec"]["template"]["metadata"]["labels"]
        for kind, selector in (("Service", lambda it: it["selector"]),
                               ("NetworkPolicy", lambda it: it["podSelector"]["matchLabels"]),
                               ("PodDisruptionBudget", lambda it: it["selector"]["matchLabels"]),
                               ("Deployment", lambda it: it["selector"]["matchLabels"])):
            for wanted in [selector(it["spec"]) for (a, _), it in objects.items() if a == kind]:
                self.assertEqual(wanted, {key: labels[key] for key in wanted}, kind)

    def test_other_values_render_too(self):
        if not tool("helm"):
            return
        values = self.values() | {
            "secret": {"existingSecret": "mine"},
            "clientTls": {"secret": "tls"},
            "metrics": {"serviceMonitor": True},
            "networkPolicy": {"enabled": False},
            "podDisruptionBudget": {"enabled": False},
            "serviceAccount": {"create": False},
            "policies": {},
        }
        values["postgres"]["tls"] = {"mode": "verify-full", "caSecret": "ca"}
        objects = self.objects(values)
        self.assertEqual(
            {kind for kind, _ in objects}, {"ConfigMap", "Deployment", "Service", "ServiceMonitor"}
        )
        config = yaml.safe_load(objects["ConfigMap", "pgveil"]["data"]["pgveil.yaml"])
        self.assertEqual(config["tls"]["clients"]["mode"], "require")
        self.assertEqual(config["tls"]["backend"]["mode"], "verify-full")

    def test_values_that_are_wrong_or_missing_are_refused(self):
        if not tool("helm"):
            return
        for change, words in (
            ({"postgres": {"databases": ["demo"]}}, "postgres.host is required"),
            ({"postgres": {"host": "db"}}, "postgres.databases is required"),
            ({"secret": {"queryPassword": ""}}, "secret.existingSecret is required"),
            ({"replica": 2}, "replica"),
            ({"policies": {"a/b.yaml": ""}}, "a/b.yaml"),
        ):
            done = self.render(self.values() | change)
            self.assertNotEqual(done.returncode, 0, change)
            self.assertIn(words, done.stderr)

    def test_the_probes_are_what_pgveil_answers(self):
        if not tool("helm"):
            return
        objects = self.objects(self.values())
        (container,) = objects["Deployment", "pgveil"]["spec"]["template"]["spec"]["containers"]
        ports = {it["name"]: it["containerPort"] for it in container["ports"]}
        config = yaml.safe_load(objects["ConfigMap", "pgveil"]["data"]["pgveil.yaml"])
        self.assertEqual((ports["postgresql"], ports["metrics"]),
                         (config["listen"]["port"], config["metrics"]["port"]))
        probes = [container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")]
        self.assertEqual({it["port"] for it in probes}, {"metrics"})
        self.assertEqual([it["path"] for it in probes], ["/healthz", "/healthz", "/readyz"])

    def test_pgveil_reads_the_configuration(self):
        """In other folders than those of the image."""
        if not tool("helm"):
            return
        objects = self.objects(self.values())
        folder = self.pgveil.directory / "rendered"
        (folder / "policies").mkdir(parents=True)
        text = objects["ConfigMap", "pgveil"]["data"]["pgveil.yaml"]
        for place in ("/var/lib/pgveil", "/etc/pgveil-secret"):
            text = text.replace(place, str(folder))
        (folder / "pgveil.yaml").write_text(text)
        for name, policy in objects["ConfigMap", "pgveil-policies"]["data"].items():
            (folder / "policies" / name).write_text(policy)
        (folder / "users").write_text(objects["Secret", "pgveil"]["stringData"]["users"])
        (folder / "users").chmod(0o600)
        done = subprocess.run(
            [binary(), "user", "list", "-c", str(folder / "pgveil.yaml")],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PGVEIL_QUERY_PASSWORD": "q", "PGVEIL_ADMIN_PASSWORD": "a"},
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("operator\tpassword", done.stdout)


if __name__ == "__main__":
    main()
