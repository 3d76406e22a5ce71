"""The demonstration on a broker of its own, with a live view of the partitions of a topic.

``broker`` and ``client`` are Kafka, ``log`` is what ``writer`` writes to it, ``queries`` count it;
``watch`` gathers what there is to see into a ``snapshot``, ``view`` draws that and ``screen`` shows
it; ``command`` ties it together.
"""
