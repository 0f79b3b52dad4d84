"""A web server that works as long as the path asks for: `GET /20000` counts to 20,000. It prints its port."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Worker(BaseHTTPRequestHandler):
    """Counts, then answers."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """Head and body leave in one packet: two would wait for the client's delayed acknowledgement, 40 ms."""

    def do_GET(self) -> None:
        """Count to the number of the path."""
        for _ in range(int(self.path.lstrip("/"))):
            pass
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the terminal would be measured too."""


if __name__ == "__main__":
    with ThreadingHTTPServer(("127.0.0.1", 0), Worker) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()
