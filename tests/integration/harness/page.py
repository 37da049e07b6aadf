"""A visitor of the page, and a test case with a pgveil that serves it."""
import http.client
import json
import re
import socket
import time
from collections import Counter

from . import world
from .pgveil import Pgveil
from .stack import StackCase

PASSWORDS = {"operator": "operator secret", "watcher": "watcher secret", "analyst": "analyst secret"}
# What the log says of the page: its address or, if the build has none, the port of the API.
PLACE = re.compile(r"(?:\[page\] https?://\S+:|only its API answers, on port )(\d+)")
AUDIT = "audit: {file: audit.log}\n"
# Tries to sign in that pgveil allows within a minute: SignInLimit in web/api/sessions.hpp.
TRIES_PER_ROLE, TRIES_IN_ALL = 8, 40


class Browser:
    """One visitor: sends what a browser would, and keeps its cookie. context: of ssl; None: without TLS."""
    tries = []  # since pgveil's last start, the roles whose passwords pgveil may have counted

    def __init__(self, port, context=None):
        self.port = port
        self.role = None
        self.context = context
        self.cookie = self.csrf = None

    def connection(self):
        if self.context:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=120, context=self.context)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def raw(self, data):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(data)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        return answer

    def ask(self, method, path, body=None, leave_out=(), **headers):
        sent = {"Host": f"127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        if method != "GET":
            sent["Origin"] = f"{'https' if self.context else 'http'}://127.0.0.1:{self.port}"
            if self.csrf:
                sent["X-CSRF-Token"] = self.csrf
        if self.cookie:
            sent["Cookie"] = self.cookie
        data = None
        if body is not None:
            data = body if isinstance(body, (str, bytes)) else json.dumps(body)
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {name: value for name, value in sent.items() if name not in leave_out}
        connection = self.connection()
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            connection.putheader(name, value)
        if data is not None:
            data = data.encode() if isinstance(data, str) else data
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        self.count_try(method, path, body, response.status)
        return response, text

    def count_try(self, method, path, body, status):
        """pgveil counts each sign-in, and elsewhere each password that is wrong. It may be wrong unless the
        answer is 200."""
        if method != "POST":
            return
        if path == "/api/v1/session":
            self.tries.append(body.get("role") if isinstance(body, dict) else None)
        elif status != 200 and isinstance(body, dict) and "password" in body:
            self.tries.append(self.role)

    def api(self, method, path, body=None, **more):
        response, text = self.ask(method, "/api/v1/" + path, body, **more)
        return response.status, json.loads(text)

    def sign_in(self, role, password=None):
        response, text = self.ask(
            "POST", "/api/v1/session", {"role": role, "password": password or PASSWORDS[role]}
        )
        assert response.status == 200, text
        self.cookie = response.getheader("Set-Cookie").split(";")[0]
        self.csrf = json.loads(text)["csrf"]
        self.role = role
        return self


def column(table, name):
    at = table["columns"].index(name)
    return [row[at] for row in table["rows"]]


class PageCase(StackCase):
    """With passwords, an audit log and the page."""
    extra_sql = ""
    http = "{port: 0}"

    @classmethod
    def arrange(cls):
        """What a test wants in the configuration's folder before pgveil starts."""

    @classmethod
    def start(cls):
        world.create(cls.postgres)
        if cls.extra_sql:
            cls.postgres.run(cls.extra_sql, "demo")
        cls.pgveil = cls.kept(
            Pgveil(
                cls.postgres,
                cls.policies,
                cls.open_tables,
                authentication="scram-sha-256",
                passwords=PASSWORDS,
                more="audit: {file: audit.log}\n",
            )
        )
        text = cls.pgveil.config_path.read_text()
        cls.pgveil.config_path.write_text(text.replace("[watcher]}", f"[watcher], http: {cls.http}}}"))
        cls.arrange()
        Browser.tries.clear()
        cls.pgveil.start()
        cls.operator = cls.visitor().sign_in("operator")
        for policy in cls.built:
            status, answer = cls.operator.api("POST", f"policies/{policy}/build", {})
            assert status == 200, answer

    @classmethod
    def visitor(cls):
        return Browser(cls.port())

    @classmethod
    def ports(cls):
        """The page's, of each start."""
        return [int(port) for port in re.findall(PLACE, cls.pgveil.log())]

    @classmethod
    def port(cls):
        while not cls.ports():
            time.sleep(0.05)
        return cls.ports()[-1]

    def start_again(self):
        """The limit on sign-ins begins anew."""
        before = len(self.ports())
        self.pgveil.restart()
        while len(self.ports()) == before:
            time.sleep(0.05)
        Browser.tries.clear()

    def make_room(self, tries=4):
        """For a test with so many tries to sign in per role: restarts pgveil only if the limit leaves less.
        The operator is signed in afterwards."""
        most = max(Counter(Browser.tries).values(), default=0)
        if most + tries > TRIES_PER_ROLE or len(Browser.tries) + 2 * tries > TRIES_IN_ALL:
            self.start_again()
        elif self.operator.api("GET", "session")[0] == 200:
            return
        type(self).operator = self.browser("operator")

    def browser(self, role=None):
        browser = self.visitor()
        return browser.sign_in(role) if role else browser

    def audited(self):
        """The complete lines: the last one may be under way."""
        lines = (self.pgveil.directory / "audit.log").read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]
