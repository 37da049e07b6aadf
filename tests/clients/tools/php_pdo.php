<?php
// covers: PHP (PDO, pg_*)
// needs: apt php-cli
// needs: apt php-pgsql
require __DIR__ . '/checks.php';

const PEOPLE = 'SELECT city, born, mood, is_member, height FROM people';
$dsn = 'pgsql:host=127.0.0.1;dbname=demo;port=' . getenv('PGPORT');

function connected(array $options = []): PDO
{
    global $dsn;
    return new PDO($dsn, 'analyst', 'any', $options + [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
}

foreach (['prepared by the server' => false, 'prepared by the client' => true] as $how => $emulates) {
    check("rows, $how", function () use ($emulates) {
        $statement = connected([PDO::ATTR_EMULATE_PREPARES => $emulates])
            ->prepare(PEOPLE . ' WHERE city = :city AND height > :height ORDER BY seen');
        $statement->execute(['city' => 'Aber', 'height' => 160]);
        return $statement->fetchAll(PDO::FETCH_ASSOC);
    });
}
check('a transaction', function () {
    $base = connected();
    $base->beginTransaction();
    $found = $base->query('SELECT count(*) FROM people')->fetchColumn();
    $base->commit();
    return $found;
});
check('a cursor that scrolls, in a transaction', function () {
    $base = connected();
    $base->beginTransaction();
    $base->exec('DECLARE held SCROLL CURSOR FOR SELECT town FROM visits ORDER BY id');
    return [$base->query('FETCH 3 FROM held')->fetchAll(), $base->query('FETCH FIRST FROM held')->fetchAll()];
});
check('what columns a result has', function () {
    $statement = connected()->query(PEOPLE . ' LIMIT 1');
    return array_map(fn($n) => array_intersect_key($statement->getColumnMeta($n), ['name' => 1, 'native_type' => 1]),
        range(0, 4));
});
check('pg_query_params', function () {
    $base = pg_connect('host=127.0.0.1 user=analyst dbname=demo port=' . getenv('PGPORT'));
    return pg_fetch_all(pg_query_params($base, 'SELECT count(*) FROM people WHERE city = $1', ['Aber']));
});
check('pg_meta_data of an open table', function () {
    $base = pg_connect('host=127.0.0.1 user=analyst dbname=demo port=' . getenv('PGPORT'));
    return array_map(fn($each) => [$each['type'], $each['not null']], pg_meta_data($base, 'towns'));
});
check("what Laravel sets at connect", function () {
    $base = connected();
    $base->prepare("set names 'utf8'")->execute();
    $base->prepare('set search_path to "public"')->execute();
    $base->prepare("set time zone 'UTC'")->execute();
    $base->prepare("set application_name to 'shop'")->execute();
    $base->prepare('set synchronous_commit to on')->execute();
    return $base->query('SELECT count(*) FROM people')->fetchColumn();
});
