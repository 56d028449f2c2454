"""A reference desk of customer service: the server side of the app's live chat, without staff."""
