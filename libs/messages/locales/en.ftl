# Texts that students and teachers read, in English. A key that another locale lacks falls back to this file.
# A comment above a message says where it appears; placeholders are explained there, too.

# The whole answer of a turn for which the policy could not be asked.
policy-unavailable = I can't look at your course right now. Please try again in a moment; nothing you did is lost.
