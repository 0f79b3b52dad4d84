"""Agents on the nodes of a Ray cluster, one a node: Ray places and reaches them, nothing more.

The only file that imports Ray. What a job says travels as in every transport: as lines.
"""

from __future__ import annotations

import hashlib
import logging
import os
import socket
import threading
import time
import warnings
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from igen import environment
from igen.cluster.home import Cluster, speak_with, take_settings
from igen.errors import IgenError, InputError
from igen.extras import CLUSTER
from igen.fleet import remote_agent
from igen.fleet.agent import NEEDS
from igen.fleet.interrupts import Interrupts
from igen.fleet.transport import Gone, Heard, Message, Place

AUTO = "auto"
SCHEME = "ray"
CONNECT_S, INIT_S, PLACEMENT_S, ANSWER_S = 5.0, 60.0, 60.0, 30.0
"""How long the head may take to answer and to let this process in, the cluster to place all agents, and a
machine to answer."""
PINGS = 8
_STEP_S = 0.1
"""Longest delay until an interrupt is seen."""
_HEARING = "hearing"
"""Calls of an actor that run at the same time: a waiting poll and, in their order, all others."""
_CPU_SHARE = 0.001
"""Resources of an agent: only its place on a node, because Ray counts and does not limit."""


class RayCluster:
    """The machines of a running cluster. Raises `InputError` or `IgenError` if it cannot be used."""

    polls = True

    def __init__(
        self, address: str, agents: int, program: Path, interrupts: Interrupts, *, insecure: bool
    ) -> None:
        take_settings(address)
        _check_address(address, insecure=insecure)
        self._ray = _ray()
        self._interrupts = interrupts
        self._content = program.read_bytes()
        self._digest = hashlib.sha256(self._content).hexdigest()
        self._quiet = Quiet(self._ray)
        try:
            _connect(self._ray, address)
            _check_nodes(self._ray, agents, address, insecure=insecure)
            self._group, self._actors = _placed(self._ray, agents)
            self._hosts = self._installed()
        except BaseException:
            _leave(self._ray, self._quiet)
            raise
        self._polls: dict[Any, int] = {}
        """Agents by their pending poll."""
        self._started: dict[int, int] = {}
        self._after: dict[int, int] = {}
        self._unopened: list[Gone] = []
        """Agents that could not be started, until they are reported."""

    def open(self, agents: Sequence[int]) -> list[Place]:
        """Starts a process for each of these agents, which waits for its job. One that cannot be started,
        such as on a machine that was lost before, is gone at once.
        """
        opening = [self._actors[agent].open.remote(self._digest, NEEDS) for agent in agents]
        self._ray.wait(opening, num_returns=len(opening), timeout=ANSWER_S)
        return [self._opened(agent, answer) for agent, answer in zip(agents, opening, strict=True)]

    def _opened(self, agent: int, answer: Any) -> Place:
        host, machine = self._hosts[agent]
        try:
            number, process_id = self._ray.get(answer, timeout=0)
            offset_s, error_s = self._clock(agent)
        except self._ray.exceptions.RayError as error:
            self._unopened.append(self._unreached(agent, error))
            return Place(host=host, machine=machine, process_id=0, clock_offset_s=None)
        self._started[agent] = number
        self._after[agent] = 0
        self._poll(agent)
        return Place(
            host=host, machine=machine, process_id=process_id, clock_offset_s=offset_s, clock_error_s=error_s
        )

    def _unreached(self, agent: int, error: Exception) -> Gone:
        """Return an agent that cannot be reached, with the reason."""
        if isinstance(error, self._ray.exceptions.RayTaskError):
            return Gone(agent, None, stderr=f"its process cannot be started: {_said(error.cause or error)}")
        if isinstance(error, self._ray.exceptions.GetTimeoutError):
            return Gone(agent, None, stderr=f"its machine did not answer within {ANSWER_S:g} s")
        return Gone(agent, None, stderr=f"its machine cannot be reached: {_said(error)}")

    def say(self, agent: int, line: bytes) -> None:
        """Write a line to an agent, unless it has ended."""
        self._actors[agent].say.remote(line)

    def wait(self, timeout_s: float) -> list[Message]:
        """Return output since the last call; wait for output, an interrupt, or this time."""
        self._interrupts.clear()
        if self._unopened:
            found, self._unopened = self._unopened, []
            return list(found)
        timeout_s = min(max(timeout_s, 0.0), _STEP_S)
        if not self._polls:
            time.sleep(timeout_s)
            return []
        ready, _ = self._ray.wait(list(self._polls), timeout=timeout_s)
        if ready:
            ready, _ = self._ray.wait(list(self._polls), num_returns=len(self._polls), timeout=0)
        return [message for poll in ready for message in self._answer(poll)]

    def _answer(self, poll: Any) -> list[Message]:
        agent = self._polls.pop(poll)
        try:
            first, lines, exit = self._ray.get(poll)
        except self._ray.exceptions.RayError as error:
            return [self._unreached(agent, error)]
        self._after[agent] = first + len(lines)
        found: list[Message] = [Heard(agent, lines)]
        if exit is None:
            self._poll(agent)
        else:
            code, stderr = exit
            found.append(Gone(agent, None if code < 0 else code, -code if code < 0 else None, stderr))
        return found

    def kill(self, agent: int) -> None:
        """End an agent's process, if its machine can be reached."""
        self._actors[agent].kill.remote()

    def end(self, agents: Sequence[int]) -> None:
        """End the remaining processes of these agents; their output is no longer read."""
        self._polls = {poll: agent for poll, agent in self._polls.items() if agent not in agents}
        self._unopened = [gone for gone in self._unopened if gone.agent not in agents]
        for agent in agents:
            self.kill(agent)

    def close(self) -> None:
        """Leave the cluster; the processes of this study end there."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._ray.util.remove_placement_group(self._group)
        _leave(self._ray, self._quiet)

    def _poll(self, agent: int) -> None:
        poll = self._actors[agent].poll.remote(self._started[agent], self._after[agent])
        self._polls[poll] = agent

    def _clock(self, agent: int) -> tuple[float, float]:
        """Return how far a machine's clock is ahead, and its error: half of the fastest round trip."""
        found = []
        for _ in range(PINGS):
            before_s = time.time()
            there_s = self._ray.get(self._actors[agent].clock_unix_s.remote(), timeout=ANSWER_S)
            half_s = (time.time() - before_s) / 2
            found.append((half_s, there_s - before_s - half_s))
        error_s, offset_s = min(found)
        return offset_s, error_s

    def _installed(self) -> list[tuple[str, str]]:
        """Install this release's agent on each machine; return names and identities."""
        places: list[tuple[str, str]] = self._get([actor.where.remote() for actor in self._actors])
        lacking = self._get([actor.lacks.remote(self._digest) for actor in self._actors])
        if any(lacking):
            content = self._ray.put(self._content)
            those = [actor for actor, lacks in zip(self._actors, lacking, strict=True) if lacks]
            self._get([actor.install.remote(self._digest, content) for actor in those])
        return places

    def _get(self, answers: list[Any]) -> list[Any]:
        try:
            found: list[Any] = self._ray.get(answers, timeout=ANSWER_S)
        except self._ray.exceptions.RayError as error:
            raise IgenError(f"a load machine does not answer: {_said(error)}") from error
        return found


def nodes(cluster: Cluster) -> list[str]:
    """Return the reachable machines of this user's cluster. Raises `InputError` or `IgenError`."""
    speak_with(cluster)
    ray = _ray()
    quiet = Quiet(ray)
    try:
        _connect(ray, AUTO)
        return sorted(node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"])
    finally:
        _leave(ray, quiet)


def _leave(ray: Any, quiet: Quiet) -> None:
    """Disconnect, and let Ray print again even if this fails."""
    try:
        ray.shutdown()
    finally:
        quiet.end()


def _ray() -> Any:
    # A local start would write a token into the home folder that later starts demand, and others lack.
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    CLUSTER.need("a cluster of load machines", where="--fleet")
    import ray

    return ray


class Quiet:
    """Keeps Ray from printing what befalls its nodes where documents go, for which it has no setting; igen
    tells of losses.
    """

    PRINTS = "print_to_stdstream"

    def __init__(self, ray: Any) -> None:
        """Silence Ray, given as its package. A release with other names continues to print."""
        self._worker = getattr(getattr(ray, "_private", None), "worker", None)
        self._prints = getattr(self._worker, self.PRINTS, None)
        if self._prints is None:
            logging.getLogger(__name__).debug("Ray has no %s: its output is not suppressed", self.PRINTS)
        else:
            setattr(self._worker, self.PRINTS, _says_nothing)

    def end(self) -> None:
        """Let Ray print again, for programs that also use it otherwise."""
        if self._prints is not None:
            setattr(self._worker, self.PRINTS, self._prints)


def _says_nothing(*_words: object, **_more: object) -> None:
    """Print nothing, in place of Ray's function."""


def _is_protected() -> bool:
    return os.environ.get("RAY_AUTH_MODE") == "token" or os.environ.get("RAY_USE_TLS") == "1"


def _check_address(address: str, *, insecure: bool) -> None:
    if address == AUTO:
        return
    url = urlsplit(address)
    if url.scheme != SCHEME or not url.hostname:
        hint = f"use `{AUTO}` on a machine of a cluster, or `ray://HOST:10001`"
        raise InputError(f"`{address}` is not the address of a cluster", where="--fleet", hint=hint)
    _check_open(url.hostname, address, insecure=insecure)


def _check_open(host: str, address: str, *, insecure: bool) -> None:
    """Raise `InputError` for a cluster that anyone on the network can use."""
    if not (_is_loopback(host) or _is_protected() or insecure):
        raise InputError(
            f"the cluster `{address}` has neither token nor TLS: anyone who reaches {host} can run programs"
            " on all of its nodes",
            where="--fleet",
            hint="`igen fleet up` starts a cluster with both; or set RAY_AUTH_MODE=token or RAY_USE_TLS=1 on"
            " all nodes and here; or use --insecure",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _connect(ray: Any, address: str) -> None:
    _check_answers(address)
    met: list[Exception] = []

    def init() -> None:
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                configure_logging=False,
                namespace=f"igen-{os.getpid()}",
            )
        except Exception as error:  # Ray raises what it met
            met.append(error)

    # Ray tries for minutes to get into a cluster whose token or TLS is another, and nothing interrupts it.
    # It says that it does not take SIGTERM there, which is right: a study keeps what it has measured.
    logging.getLogger("ray._private.worker").addFilter(_is_no_talk_of_signals)
    # Of what it warns is told below, in words that say what to do.
    warnings.filterwarnings("ignore", message="Ray Client connection timed out")
    thread = threading.Thread(target=init, name="ray", daemon=True)
    thread.start()
    thread.join(INIT_S)
    if thread.is_alive():
        raise IgenError(
            f"the cluster at `{address}` did not accept the connection within {INIT_S:g} s",
            where="--fleet",
            hint="use the same token and TLS on all sides: RAY_AUTH_MODE, RAY_AUTH_TOKEN_PATH, RAY_USE_TLS",
        )
    if met and address == AUTO:
        raise _no_cluster(address, met[0]) from met[0]
    if met:
        raise IgenError(
            f"the server at `{address}` refused the connection: {_said(met[0])}",
            where="--fleet",
            hint="for a cluster with TLS, use `--fleet auto` on one of its machines; else"
            " check that this is its port for clients and that RAY_AUTH_MODE and token are the same there",
        ) from met[0]


def _is_no_talk_of_signals(record: logging.LogRecord) -> bool:
    return "SIGTERM" not in str(record.msg)


def _check_answers(address: str) -> None:
    """Raise an error at once if nothing listens: Ray itself would retry for minutes."""
    place = os.environ.get("RAY_ADDRESS", "") if address == AUTO else address
    url = urlsplit(place if "://" in place else f"//{place}")
    if url.hostname and url.port:
        try:
            socket.create_connection((url.hostname, url.port), timeout=CONNECT_S).close()
        except OSError as error:
            raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: BaseException) -> IgenError:
    text = f"there is no cluster at `{address}`: {_said(error)}"
    return IgenError(text, where="--fleet", hint="`igen fleet status` on its head shows if it is running")


def _check_nodes(ray: Any, agents: int, address: str, *, insecure: bool) -> None:
    nodes = [node for node in ray.nodes() if node["Alive"]]
    for node in nodes:
        _check_open(node["NodeManagerAddress"], address, insecure=insecure)
    # A head that only leads has no processors for Ray to lend.
    able = sum(node["Resources"].get("CPU", 0.0) >= _CPU_SHARE for node in nodes)
    if able < agents:
        idle = f", and {len(nodes) - able} without processors" if able < len(nodes) else ""
        raise InputError(
            f"the cluster has {able} nodes{idle}, but each of {agents} agents needs its own node",
            where="--agents",
            hint=f"use --agents {able}, or add nodes" if able else "add nodes",
        )


def _placed(ray: Any, agents: int) -> tuple[Any, list[Any]]:
    """Return a service on each of this number of different nodes."""
    from ray.util.placement_group import placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    # Nodes need no iGen: the service travels to them.
    for module in (remote_agent, environment):
        ray.cloudpickle.register_pickle_by_value(module)
    group = placement_group([{"CPU": _CPU_SHARE}] * agents, strategy="STRICT_SPREAD")
    if not group.wait(PLACEMENT_S):
        text = f"the cluster did not place {agents} agents on {agents} nodes within {PLACEMENT_S:g} s"
        raise IgenError(text, hint="`ray status` shows what its nodes are running")
    ray.method(concurrency_group=_HEARING)(remote_agent.RemoteAgent.poll)
    service = ray.remote(num_cpus=_CPU_SHARE, concurrency_groups={_HEARING: 2})(remote_agent.RemoteAgent)
    return group, [
        service.options(
            scheduling_strategy=PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=index)
        ).remote()
        for index in range(agents)
    ]


def _said(error: BaseException) -> str:
    """Return the first line of Ray's long message."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
