"""``python -m cpqueens``: the command line."""

from cpqueens.cli.main import main

if __name__ == "__main__":
    main()
