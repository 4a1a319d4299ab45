"""What the protocol tests share: running the program and talking to it."""
