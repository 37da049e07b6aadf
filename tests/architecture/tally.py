"""What every test of this folder prints: the checks that failed with their problems, then the totals."""


def report(checks):
    """checks: (name, problems) of each. → the exit status: 0 when all passed, and there was one."""
    passed = failed = 0
    for name, problems in checks:
        if problems:
            failed += 1
            print(f"FAILED {name}")
            for problem in problems:
                print(f"  {problem}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
