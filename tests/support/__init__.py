"""What tests of several rooms share: databases, leak checks, waiting."""
