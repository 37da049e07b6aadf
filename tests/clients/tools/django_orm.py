# covers: Django
# needs: pypi django==5.2.8
# needs: pypi psycopg[binary]==3.3.9
import io
import os
import re

import django
from checks import check, refused
from django.conf import settings
from django.core.management import call_command
from django.db import connection, models, transaction

settings.configure(
    INSTALLED_APPS=[],
    USE_TZ=True,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": "127.0.0.1",
            "NAME": "demo",
            "PORT": os.environ["PGPORT"],
            "USER": "analyst",
            "PASSWORD": "any",
        }
    },
)
django.setup()


class People(models.Model):
    city = models.TextField(null=True)
    height = models.DecimalField(max_digits=5, decimal_places=2)
    is_member = models.BooleanField(null=True)
    seen = models.DateTimeField()

    class Meta:
        app_label, db_table, managed = "clients", "people", False


class Towns(models.Model):
    town = models.TextField(primary_key=True)
    size = models.IntegerField()

    class Meta:
        app_label, db_table, managed = "clients", "towns", False


@check("inspectdb")
def _():
    out = io.StringIO()
    call_command("inspectdb", "towns", "visits", stdout=out)
    return out.getvalue()


@check("inspectdb of persons: what masks hide may be null")
def _():
    out = io.StringIO()
    call_command("inspectdb", "people", stdout=out)
    return [
        re.sub(r", db_comment='masked by [^']*'", "", line.strip())
        for line in out.getvalue().splitlines()
        if "Field(" in line and " id = " not in line and "primary_key" not in line and "name = " not in line
    ]


@check("constraints of an open table")
def _():
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "visits")
    return sorted([each["columns"], each["primary_key"], each["foreign_key"]] for each in found.values())


@check("filters, groups and functions")
def _():
    by_city = (
        People.objects.filter(is_member=True)
        .values("city")
        .annotate(n=models.Count("*"), tall=models.Max("height"))
        .order_by("city")
    )
    return [
        list(by_city),
        People.objects.filter(city__icontains="B").count(),
        list(
            People.objects.filter(city__in=Towns.objects.filter(size__gt=50).values("town")).dates(
                "seen", "month"
            )
        ),
    ]


@check("an iterator over a cursor, in a transaction")
def _():
    with transaction.atomic():
        found = [p.city for p in People.objects.order_by("seen").iterator(chunk_size=30)]
        try:
            with transaction.atomic():
                list(People.objects.extra(select={"x": "1/(extract(day from seen)::int - 1)"}))
        except Exception as error:
            found.append(type(error).__name__)
        return found + [Towns.objects.count()]


@refused("save() writes", because="is not answered")
def _():
    Towns(town="Eton", size=1).save()


@refused("explain() shows row counts of hidden values", because="EXPLAIN")
def _():
    People.objects.all().explain()
