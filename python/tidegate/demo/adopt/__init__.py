"""The demonstration of moving in: an ordinary job is stopped, and goes on with keyed watermarks.

``job`` is the job, which knows nothing of Tidegate, and ``submission`` runs it with
``spark-submit``. ``verdict`` compares the windows in the job's sink with a batch query, ``picture``
draws them, and ``command`` runs it all.
"""
