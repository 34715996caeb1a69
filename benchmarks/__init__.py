"""What we measure, one module each: `python -m benchmarks NAME [arguments]`. Never imported by the program."""
