"""The house: business days with their commitments, and signed receipts."""
