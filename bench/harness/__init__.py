"""What bench.py and groups share: brokers and clients as processes, their CPU, results, loads."""
