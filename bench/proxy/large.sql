SELECT * FROM large;
