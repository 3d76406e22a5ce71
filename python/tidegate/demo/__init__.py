"""The demonstration: one windowed count, with Spark's watermark and with Tidegate's.

``generate`` writes the rows, ``run`` counts them as a stream, ``compare`` holds the windows against
the batch result, ``table`` and ``picture`` show what came out, and ``command`` ties it together.
"""
