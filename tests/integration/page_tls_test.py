"""The page over TLS: its certificate, its cookie, its names."""
import http.client
import ssl
import tempfile

from harness.certificates import Authority
from harness.page import PASSWORDS, Browser, PageCase
from harness.runner import main


class Encrypted(PageCase):
    @classmethod
    def start(cls):
        folder = tempfile.TemporaryDirectory(prefix="pgveil-page-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.authority = Authority(folder.name)
        cls.own = cls.authority.issue("page")
        cls.http = f"{{port: 0, names: [pgveil.example.org], tls: {{cert_file: {cls.own.certificate}, key_file: {cls.own.key}}}}}"
        super().start()

    @classmethod
    def context(cls):
        return ssl.create_default_context(cafile=cls.authority.certificate)

    @classmethod
    def visitor(cls):
        return Browser(cls.port(), cls.context())

    def served_serial(self):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port(), timeout=60, context=self.context())
        connection.connect()
        serial = connection.sock.getpeercert()["serialNumber"]
        connection.close()
        return serial

    def test_the_page_works_as_ever(self):
        status, policies = self.operator.api("GET", "policies")
        self.assertEqual((status, len(policies["rows"])), (200, 2))
        self.assertEqual(
            self.operator.api(
                "POST", "rows", {"role": "analyst", "database": "demo", "sql": "SELECT * FROM people"}
            )[0],
            200,
        )
        self.assertIn("https://pgveil.example.org:", self.pgveil.log())

    def test_the_cookie_is_for_tls_alone(self):
        response, _ = self.browser().ask(
            "POST", "/api/v1/session", {"role": "operator", "password": PASSWORDS["operator"]}
        )
        cookie = response.getheader("Set-Cookie")
        self.assertTrue(cookie.startswith("__Host-pgveil_session="), cookie)
        for attribute in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(attribute, cookie)
        planted = self.browser()
        planted.cookie = self.operator.cookie.replace("__Host-", "")
        self.assertEqual(planted.api("GET", "policies")[0], 401)

    def test_without_tls_nothing_is_answered(self):
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            Browser(self.port()).ask("GET", "/")

    def test_the_page_has_the_names_of_the_configuration(self):
        for host, status in (
            ("pgveil.example.org", 200),
            (f"pgveil.example.org:{self.port()}", 200),
            ("localhost", 200),
            ("evil.example", 421),
            ("example.org", 421),
        ):
            self.assertEqual(self.operator.ask("GET", "/api/v1/policies", Host=host)[0].status, status, host)

    def test_an_address_without_tls_is_another_site(self):
        build = ("POST", "policies/people_k2/check", {})
        self.assertEqual(self.operator.api(*build, Origin=f"http://127.0.0.1:{self.port()}")[0], 403)
        self.assertEqual(self.operator.api(*build)[0], 200)

    def test_reload_takes_another_certificate_and_keeps_the_old_one_when_it_is_wrong(self):
        before = self.served_serial()
        self.own.certificate.rename(self.own.certificate.with_suffix(".kept"))
        self.own.certificate.write_text("no certificate")
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            answer = console.query("RELOAD")
        self.assertIn(b"admin.http.tls", answer.raw)
        self.assertEqual(self.served_serial(), before)
        self.authority.issue("page")
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            self.assertEqual(console.query("RELOAD").errors, [])
        self.assertNotEqual(self.served_serial(), before)

    def test_a_certificate_that_ends_is_warned_of(self):
        self.addCleanup(self.authority.issue, "page")
        before = len(self.pgveil.log())
        self.authority.issue("page", days=3)
        with self.pgveil.client("operator", "pgveil", password=PASSWORDS["operator"]) as console:
            self.assertEqual(console.query("RELOAD").errors, [])
        self.assertRegex(self.pgveil.log()[before:],
                         f"admin.http.tls.cert_file: the certificate in {self.own.certificate} is valid until .*, "
                         "which is in [23] days; replace the file, then RELOAD")


if __name__ == "__main__":
    main()
