"""For `spark-submit [options] submitted.py JOB …`: a script has no package, so the path begins with the
folder of this package instead of the script."""
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from pgveil_spark.main import main  # noqa: E402

sys.exit(main())
