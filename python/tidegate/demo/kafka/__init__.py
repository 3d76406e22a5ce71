"""The demonstration on a broker of its own, with a live view of the partitions of a topic.

``broker`` starts Kafka, ``writer`` writes the rows of ``log`` to a topic through ``client``, and
``queries`` count them. ``watch`` gathers the state of the queries in a ``snapshot``; ``view`` draws
the snapshot and ``screen`` shows it. ``command`` runs it all.
"""
