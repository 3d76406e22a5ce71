"""A Kafka broker of its own."""
