-- Run as the owner of the database demo. pgveil_query may read salaries too, so that only pgveil keeps it from analysts.
GRANT USAGE ON SCHEMA public TO pgveil_query, pgveil_admin;
GRANT SELECT ON public.people, public.residents, public.salaries TO pgveil_query;
GRANT SELECT ON public.people, public.residents TO pgveil_admin;
