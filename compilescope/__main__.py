"""`python -m compilescope`."""

from compilescope.cli import main

if __name__ == "__main__":
    main()
