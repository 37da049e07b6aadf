"""A test case with a PostgreSQL of its own, up for all tests of the class."""
from .postgres import Postgres
from .runner import Case


class ServerCase(Case):
    """What a class starts in front of its PostgreSQL it keeps: it ends with the class, the last one first,
    and also when the start fails half way."""
    is_logging = True

    @classmethod
    def setUpClass(cls):
        cls.postgres = cls.kept(Postgres(cls.is_logging))
        cls.start()

    @classmethod
    def start(cls):
        """What the tests of the class need; the PostgreSQL runs."""

    @classmethod
    def kept(cls, each):
        cls.addClassCleanup(each.stop)
        return each
