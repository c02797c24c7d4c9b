"""The command line: one file a verb, imported when the verb is used."""
