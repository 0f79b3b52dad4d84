"""Carries an agent's lines over a network: what a transport to other machines does, without any of them.

`carrier.py serve ADDRESS PORT AGENT FILE` runs on a load machine: it starts AGENT for whoever connects, one
at a time, and writes its process id into FILE. `carrier.py ask HOST:PORT …` stands in for the agent where
igen starts it: it takes the first of these machines that is free. Only the standard library, and quick to
start.
"""

import os
import socket
import subprocess
import sys
import threading

PIECE_BYTES = 1 << 16
FREE, BUSY = b"y", b"n"
END = b"\0exit "
"""Begins the last line, which says how the agent ended."""
PATIENCE_S = 30.0


def pump(source, sink):
    """Copies from one descriptor to another until either ends."""
    try:
        while piece := os.read(source, PIECE_BYTES):
            while piece:
                piece = piece[os.write(sink, piece) :]
    except OSError:
        pass  # the other end has gone


def serve(address, port, agent, file):
    """Until it is ended."""
    busy = threading.Lock()
    with socket.create_server((address, int(port)), backlog=100) as listener:
        while True:
            connection, _ = listener.accept()
            if busy.acquire(blocking=False):
                threading.Thread(target=run, args=(connection, agent, file, busy), daemon=True).start()
            else:
                connection.sendall(BUSY)
                connection.close()


def run(connection, agent, file, busy):
    """One agent for whoever has connected."""
    with connection:
        process = subprocess.Popen([agent, "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with open(file + ".part", "w", encoding="ascii") as part:
            part.write(str(process.pid))
        os.replace(file + ".part", file)
        connection.sendall(FREE)

        def hear():
            pump(connection.fileno(), process.stdin.fileno())
            process.stdin.close()  # an agent whose input has ended stops

        threading.Thread(target=hear, daemon=True).start()
        pump(process.stdout.fileno(), connection.fileno())
        process.stdout.close()
        code = process.wait()
        busy.release()
        try:
            connection.sendall(END + str(code).encode() + b"\n")
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # nobody listens any more


def ask(*places):
    """Exits as the agent there does."""
    for place in places:
        host, _, port = place.rpartition(":")
        connection = socket.create_connection((host, int(port)), PATIENCE_S)
        connection.settimeout(None)
        if connection.recv(1) == FREE:
            break
        connection.close()
    else:
        sys.exit("no machine is free")

    def say():
        pump(0, connection.fileno())
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=say, daemon=True).start()
    unsent = b""
    try:
        while piece := connection.recv(PIECE_BYTES):
            lines, feed, unsent = (unsent + piece).rpartition(b"\n")
            if END in lines:
                before, _, code = lines.rpartition(END)
                os.write(1, before)
                sys.stdout.close()
                finish(int(code))
            write_all(lines + feed)
    except OSError:
        pass  # the machine is gone
    print("the machine is gone", file=sys.stderr, flush=True)
    os._exit(1)


def write_all(piece):
    while piece:
        piece = piece[os.write(1, piece) :]


def finish(code):
    """As a process that a signal ended does, where the agent did."""
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    {"serve": serve, "ask": ask}[sys.argv[1]](*sys.argv[2:])
