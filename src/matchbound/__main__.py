"""`python -m matchbound`."""

if __name__ == "__main__":
    from matchbound.commands.main import main

    raise SystemExit(main())
