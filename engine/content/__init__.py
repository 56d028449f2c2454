"""News, announcements, banners and messages to all members."""
