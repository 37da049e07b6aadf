<?php
// Prints a line of JSON for each check of a PHP tool.

// Runs the work; what it gives must be the same everywhere.
function check(string $name, callable $work): void
{
    try {
        $outcome = ['check' => $name, 'value' => $work()];
    } catch (Throwable $error) {
        $outcome = ['check' => $name, 'error' => get_class($error) . ': ' . $error->getMessage()];
    }
    echo json_encode($outcome), "\n";
}
