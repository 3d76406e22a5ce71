"""The benchmark Nexmark: people who sell, their auctions, and bids."""
