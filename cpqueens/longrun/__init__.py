"""Counts and enumerations that outlast a process: split, kept in a ledger, resumed, spread over machines."""
