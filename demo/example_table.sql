-- The worked example (docs/disclosure-tree.md): eleven people, published with k = 2. Run this as the owner of
-- the database.
CREATE TABLE public.people (
  id integer PRIMARY KEY,
  occupation text NOT NULL,
  city text NOT NULL,
  state text NOT NULL
);
INSERT INTO public.people VALUES
  (1, 'Lawyer', 'Washington', 'DC'),
  (2, 'Lawyer', 'Washington', 'DC'),
  (3, 'Lawyer', 'Hamlet', 'OH'),
  (4, 'Accountant', 'Hamlet', 'OH'),
  (5, 'Farmer', 'Hamlet', 'OH'),
  (6, 'Farmer', 'Hamlet', 'OH'),
  (7, 'Lawyer', 'Columbus', 'OH'),
  (8, 'Accountant', 'Withamsville', 'OH'),
  (9, 'Accountant', 'Whately', 'MA'),
  (10, 'Accountant', 'College Park', 'MD'),
  (11, 'Accountant', 'Bellevue', 'KY');
ANALYZE public.people;
-- No policy lists this table, so nobody can read it through pgveil.
CREATE TABLE public.salaries (person_id integer PRIMARY KEY, salary numeric(10,2) NOT NULL);
INSERT INTO public.salaries SELECT id, 40000 + 1000 * id FROM public.people;
