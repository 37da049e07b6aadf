"""A test case for verbs of the command line that read and write files."""
import subprocess

from . import world
from .pgveil import binary
from .stack import StackCase


class VerbCase(StackCase):
    """A folder that each test finds empty, and in the database what `tables` makes."""
    policies = (world.PEOPLE,)
    built = ("people_k2",)
    tables = ""
    folder_name = "files"

    @classmethod
    def prepare(cls):
        cls.postgres.run(cls.tables, "demo")

    def setUp(self):
        self.folder = self.pgveil.directory / self.folder_name
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.iterdir():
            path.unlink()

    def run_verb(self, *arguments, status=0):
        """In the folder, without a configuration."""
        done = subprocess.run(
            [binary(), *map(str, arguments)], capture_output=True, text=True, timeout=180, cwd=self.folder
        )
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        self.assertNotIn("Sanitizer", done.stderr)
        return done
