#!/usr/bin/python3
"""Logins by certificate, as the access file asks for them, and revoked certificates on both sides."""
import json
import pathlib
import ssl
import tempfile

from harness import world
from harness.certificates import Authority, RSA
from harness.pgveil import Pgveil
from harness.runner import main
from harness.stack import StackCase
from harness.wire import Closed, RawClient

PASSWORDS = {
    "analyst": "analyst's pass",
    "operator": "operator's pass",
    "bi": "bi's pass",
    "dpo": "dpo's pass",
}
ACCESS = """host    pgveil operator all scram-sha-256
hostssl demo   analyst  all cert
hostssl demo   unlisted all cert
hostssl demo   bi       all scram-sha-256 clientcert=verify-full
hostssl demo   dpo      all scram-sha-256 clientcert=verify-ca
"""


class CertificateLogins(StackCase):
    policies = (world.PEOPLE,)
    built = ()

    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-cert-")
        cls.addClassCleanup(folder.cleanup)
        elsewhere = pathlib.Path(folder.name) / "elsewhere"  # names of files are those in the certificates
        elsewhere.mkdir()
        cls.authority, cls.stranger = Authority(folder.name), Authority(elsewhere, "stranger")
        cls.own = cls.authority.issue("localhost", kind=RSA)
        cls.issued = {
            name: cls.authority.issue(name)
            for name in ("analyst", "bi", "dpo", "unlisted", "operator", "lost")
        }
        cls.crl = cls.authority.revoke(cls.issued["lost"])
        tls = (f"tls: {{clients: {{mode: prefer, cert_file: {cls.own.certificate}, key_file: {cls.own.key}, "
               f"ca_file: {cls.authority.certificate}, crl_file: {cls.crl}}}}}\naudit: {{file: audit.log}}\n")
        cls.options = {"authentication": "scram-sha-256", "passwords": PASSWORDS, "more": tls}
        super().start()
        with RawClient(cls.pgveil.port) as console:
            console.log_in({"user": "operator", "database": "pgveil"}, PASSWORDS["operator"])
            errors = console.query("BUILD POLICY people_k2").errors
            if errors:
                raise RuntimeError(errors[0])

    @classmethod
    def kept(cls, each):
        if isinstance(each, Pgveil):
            text = each.config_path.read_text()
            each.config_path.write_text(
                text.replace("users_file: users.txt", "users_file: users.txt, hba_file: access")
            )
            (each.directory / "access").write_text(ACCESS)
            (each.directory / "access").chmod(0o640)
        return super().kept(each)

    def log_in(self, user, own, password=None, database="demo"):
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.load_verify_locations(self.authority.certificate)
        if own:
            made.load_cert_chain(own.certificate, own.key)
        client = RawClient(self.pgveil.port).secure(made)
        self.addCleanup(client.close)
        return client, client.log_in({"user": user, "database": database}, password)

    def test_the_certificate_alone(self):
        client, reply = self.log_in("analyst", self.issued["analyst"])
        self.assertEqual((reply.errors, reply.status), ([], "I"))
        self.assertEqual(client.authentication[0][0], 0)  # nothing was asked
        self.assertEqual(client.query("SELECT count(city) FROM people").texts(), [["4"]])  # masked as ever

    def test_somebody_elses_certificate_or_none(self):
        for own, words in (
            (self.issued["bi"], "certificate authentication failed"),
            (None, "needs a certificate"),
        ):
            client, reply = self.log_in("analyst", own, PASSWORDS["analyst"])
            self.assertEqual(reply.sqlstates(), ["28000"])
            self.assertIn(words, reply.errors[0]["M"])

    def test_one_of_an_authority_that_is_not_believed(self):
        with self.assertRaises((ssl.SSLError, ConnectionError, Closed)):
            self.log_in("analyst", self.stranger.issue("analyst"))

    def test_a_revoked_certificate(self):
        with self.assertRaises((ssl.SSLError, ConnectionError, Closed)):
            self.log_in("analyst", self.issued["lost"])

    def test_in_the_clear_no_rule_fits(self):
        with RawClient(self.pgveil.port) as client:
            self.assertEqual(
                client.log_in({"user": "analyst", "database": "demo"}, PASSWORDS["analyst"]).sqlstates(),
                ["28000"],
            )

    def test_a_role_that_is_not_known_here(self):
        _, reply = self.log_in("unlisted", self.issued["unlisted"])
        self.assertEqual(reply.sqlstates(), ["28000"])
        self.assertIn("is unknown", reply.errors[0]["M"])

    def test_beside_the_password(self):
        for user, own, password, states in (
            ("bi", "bi", "bi", []),
            ("bi", "analyst", "bi", ["28000"]),
            ("bi", "bi", "dpo", ["28P01"]),
            ("dpo", "analyst", "dpo", []),
            ("dpo", None, "dpo", ["28000"]),
        ):
            _, reply = self.log_in(user, own and self.issued[own], PASSWORDS[password])
            self.assertEqual(reply.sqlstates(), states, (user, own, password))

    def test_a_certificate_is_of_use_only_where_a_rule_says_so(self):
        _, reply = self.log_in("operator", self.issued["operator"], "wrong", "pgveil")
        self.assertEqual(reply.sqlstates(), ["28P01"])

    def test_the_audit_log_tells_how(self):
        self.log_in("analyst", self.issued["analyst"])
        self.log_in("analyst", self.issued["bi"])
        # The last line may be under way: the end of a session of another test.
        lines = (self.pgveil.directory / "audit.log").read_text().split("\n")[:-1]
        events = [json.loads(line) for line in lines]
        logins = [
            (each["verdict"], each["method"])
            for each in events
            if each["event"] == "login" and each["role"] == "analyst"
        ]
        self.assertIn(("let in", "cert"), logins)
        self.assertIn(("refused", "cert"), logins)

    def test_a_list_that_is_read_again_shuts_out(self):
        late = self.authority.issue("late")
        _, reply = self.log_in("dpo", late, PASSWORDS["dpo"])
        self.assertEqual(reply.errors, [])
        try:
            self.authority.revoke(self.issued["lost"], late)
            self.reload()
            with self.assertRaises((ssl.SSLError, ConnectionError, Closed)):
                self.log_in("dpo", late, PASSWORDS["dpo"])
        finally:
            self.authority.revoke(self.issued["lost"])
            self.reload()

    def reload(self, errors=False):
        with RawClient(self.pgveil.port) as console:
            console.log_in({"user": "operator", "database": "pgveil"}, PASSWORDS["operator"])
            reply = console.query("RELOAD")
            self.assertEqual(bool(reply.errors or reply.notices), errors, reply.errors)

    def test_rules_that_nobody_could_keep_are_errors(self):
        config = self.pgveil.config_path
        before = config.read_text()
        for changed, words in (
            (
                before.replace(f"ca_file: {self.authority.certificate}, crl_file: {self.crl}", ""),
                "but pgveil checks none",
            ),
            (before.replace(f"ca_file: {self.authority.certificate}, ", ""), "crl_file needs ca_file"),
        ):
            config.write_text(changed)
            try:
                self.assertIn(words, self.pgveil.command("check", "--config", str(config)).stdout +
                              self.pgveil.command("check", "--config", str(config)).stderr)
            finally:
                config.write_text(before)


if __name__ == "__main__":
    main()
