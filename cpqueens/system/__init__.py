"""The process and the machine it runs on: signals, children, memory, platform, versions."""
