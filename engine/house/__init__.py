"""The house: business days with their commitments, signed receipts, bookings and content."""
