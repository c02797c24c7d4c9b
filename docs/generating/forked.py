"""Have a process forked that runs a kernel, a command or a script (see `generating.kernel`), and wait for it.

``forked.py SOCKET ARGUMENT...``; without a library, since it is started each time.
"""

import json
import os
import signal
import socket
import sys
import time

if sys.argv[2] == "python" and not "".join(sys.argv[3:4]).endswith(".py"):
    os.execv(sys.executable, [sys.executable, *sys.argv[3:]])
connection = socket.socket(socket.AF_UNIX)
for _ in range(6000):  # until it listens
    try:
        connection.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.1)
asked = {"arguments": sys.argv[2:], "folder": os.path.realpath("."), "environment": dict(os.environ)}
text = json.dumps(asked).encode() + b"\n"
sent = socket.send_fds(connection, [text], [0, 1, 2])
connection.sendall(text[sent:])
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: connection.send(bytes([number])))
told = connection.recv(1)
sys.exit(told[0] if told else 1)
