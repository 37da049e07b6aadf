-- The columns of ADULT, in its order.
CREATE TABLE people (
  sex text, age integer, race text, marital_status text, education text, native_country text, workclass text,
  occupation text, salary_class text
);
