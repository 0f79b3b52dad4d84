"""Stands in for the agent where faults must be injected that a sound agent does not have.

Reads a job from standard input; `job["faults"]`, or the file `job["faults_in"]`, is a list of steps, done in
order: an event, or one of the objects and words below. `hello` greets properly. `check` fills in what a job
does not say.
"""

import json
import os
import signal
import sys
import time

job = json.loads(sys.stdin.readline())
while sys.argv[1] == "check":
    phases = {"ramp_s": 0.0, "warmup_s": 0.0, "measure_s": 1.0, "drain_s": 0.0, "interval_s": 0.1}
    defaults = {
        "canary_s": 0.0,
        "targets": [],
        "params": {},
        "faults": ["hello", {"end": {"outcome": "complete"}}],
    }
    print(json.dumps(defaults | job | {"phases": phases | job.get("phases", {})}), flush=True)
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    job = json.loads(line)


def say(text):
    os.write(1, text.encode())


interrupted = False


def note(_signal, _frame):
    global interrupted
    interrupted = True


signal.signal(signal.SIGINT, note)
if "faults_in" in job:
    with open(job["faults_in"], encoding="utf-8") as file:
        job["faults"] = json.load(file)
for step in job["faults"]:
    match step:
        case {"exit": code}:
            sys.exit(code)
        case {"raw": text}:
            say(text)
        case {"without end": count}:
            for _ in range(count):
                say("x" * 65536)
        case {"stderr": text}:
            os.write(2, text.encode())
        case "hello":
            hello = {
                "protocol": 4,
                "version": os.environ["IGEN_STAND_IN_VERSION"],
                "pid": os.getpid(),
                "host": "here",
            }
            say(json.dumps({"hello": hello | {"started_unix_s": 0.0, "job": job}}) + "\n")
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "close":
            os.close(1)
        case "hang":
            while True:
                signal.pause()
        case "deaf":
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        case "interrupt":
            os.kill(os.getppid(), signal.SIGINT)
        case {"sleep_s": time_s}:
            time.sleep(time_s)
        case "until interrupted":
            while not interrupted:
                signal.pause()
        case "hear":
            say(json.dumps({"heard": json.loads(sys.stdin.readline())}) + "\n")
        case _:
            say(json.dumps(step) + "\n")
