"""The demonstration: one windowed count, with Spark's watermark and with Tidegate's.

``generate`` writes the rows, ``run`` counts them as a stream, ``compare`` compares the windows with
the batch result, ``table`` and ``picture`` show the results, and ``command`` runs it all.
"""
