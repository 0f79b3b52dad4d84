"""What comes of a run: files, documents, reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import UNWATCHED, Done, about, events, measured

from igen.store.store import Store

Igen = Callable[[str], Done]
SHORT = "--duration 0.3s --warmup 0.1s"


def test_a_sweep_of_cpu_leaves_a_run_a_document_and_reports(igen: Igen, store: Path) -> None:
    done = igen(f"run cpu --users 1,2 --repeats 2 --seed 7 --name before {SHORT} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    assert (system["name"], system["workload"], system["load_model"]) == ("before", "cpu", "closed")
    assert [level["users"] for level in system["levels"]] == [1, 2]
    for level in system["levels"]:
        assert level["throughput_per_s"]["value"] > 0
        # One that others disturbed is measured again.
        assert [repeat["repeat"] for repeat in level["repeats"]][:2] == [0, 1]
        assert level["counters"]["fractals"]["per_transaction"] == about(1, level)
        assert level["response_time_ms"]["p50"] > 0
    assert [path.name for path in store.glob("*/floor.jsonl")] == ["floor.jsonl"]
    assert system["job"]["load_seed"] == 7
    jobs = sum(len(level["repeats"]) for level in system["levels"])
    starts = events(store, "job_start")
    assert len(starts) == jobs
    assert [start["level"] for start in starts if start["repeat"] < 2] == [0, 1, 1, 0]

    run = Store().find("last")
    assert (run.folder / "floor.jsonl").exists()
    assert len(run.job_paths()) == jobs
    assert not (run.folder / "report.html").exists()
    (row,) = Store().list_runs()
    assert (row.run, row.state, row.levels, row.jobs) == (run.id, "complete", 2, jobs)

    assert igen("show before --json").document["systems"][0]["levels"] == system["levels"]
    shown = igen("show before")
    assert shown.code == 0
    assert "VALID" in shown.out or "SUSPECT" in shown.out
    assert "SLAMD" in igen("show before --slamd").out
    for name in ("r.md", "r.csv", "r.json"):
        assert igen(f"show last -o out/{name}").code == 0
        assert (store.parent / "out" / name).stat().st_size > 200
    assert igen("show last -o r.pdf").code == 2


def test_a_run_without_flags_for_output_shows_all_and_writes_a_report(igen: Igen, store: Path) -> None:
    done = igen(f"run noop --repeats 1 {SHORT}")
    assert done.code == 0, done.err
    (report,) = store.glob("*/report.html")
    assert f"Report: {report}" in done.out
    assert "transactions/s" in done.out
    quiet = igen(f"run noop --repeats 1 {SHORT} --quiet")
    told = [line for line in quiet.err.splitlines() if "no level is valid" not in line]
    assert told == []
    assert len(list(store.glob("*/report.html"))) == 1


def test_order_entry_on_sqlite_from_prepare_to_cleanup(igen: Igen, store: Path) -> None:
    target = f"--target sqlite:///{store.parent}/shop.db --set customers=200"
    prepared = igen(f"data prepare oltp {target}")
    assert prepared.code == 0, prepared.err
    assert "2,200 of 2,200 rows" in prepared.err
    done = igen(f"run oltp {target} --users 1,2 --repeats 2 {SHORT} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    for level in system["levels"]:
        assert level["errors"] == 0
        assert set(level["operations"]) >= {"select_customer", "insert_order", "delete_order", "commit"}
        assert level["counters"]["rows_read"]["per_transaction"] == pytest.approx(
            13, abs=1.5 + 4 * 13 * level["users"] / level["transactions"]
        )
    assert igen(f"data cleanup oltp {target}").code == 0
    assert not (store.parent / "shop.db").exists()


def test_two_runs_are_compared(igen: Igen, store: Path) -> None:
    for name, service_time in (("slow", "40ms"), ("fast", "2ms")):
        Path(f"{name}.toml").write_text(
            f"""
            system = "{name}"
            plan = {{ mode = "sweep", repeats = 3 }}
            [job]
            workload = "model"
            params = {{ service = "deterministic", service_time = "{service_time}" }}
            phases = {{ measure_s = "0.3s", warmup_s = 0, interval_s = "50ms" }}
            {UNWATCHED}
            [axes]
            "load.closed.users" = [1]
            """
        )
        assert igen(f"study run {name}.toml --quiet").code == 0
    document = igen("compare slow fast --json").document
    # How much faster is concluded from recorded events: tests/judge/test_whole_way.py and tests/pipeline.
    (ratio,) = (each for each in document["ratios"] if each["decides"])
    assert (ratio["base"], ratio["system"], ratio["quantity"]) == ("slow", "fast", "throughput")
    assert ratio["ratio"]["value"] > 1
    assert ratio["ratio"]["low"] < ratio["ratio"]["value"] < ratio["ratio"]["high"]
    assert "service_time" in [each["name"] for each in document["differences"]]
    done = igen("compare slow fast -o both.html")
    assert done.code == 0
    assert (store.parent / "both.html").exists()
    assert igen("compare slow slow --json").code == 2


def test_a_level_that_is_not_steady_is_measured_longer(igen: Igen, store: Path) -> None:
    # Two intervals are too few to tell, and so are the three, four and five after each extension.
    Path("unsteady.toml").write_text(
        """
        plan = { mode = "sweep", repeats = 1 }
        [job]
        workload = "model"
        load = { closed = { users = 1 } }
        phases = { measure_s = "0.2s", warmup_s = 0, interval_s = "100ms", extendable = true }
        """
    )
    assert igen("study run unsteady.toml --quiet").code == 0
    assert len(events(store, "measured")) == 4
    measured_s = sum(each["end_s"] - each["start_s"] for each in measured(store))
    assert measured_s > 0.4


def test_a_study_is_checked_without_running_it(igen: Igen, store: Path) -> None:
    Path("two.toml").write_text(
        """
        title = "Both variants"
        plan = { mode = "sweep", repeats = 2 }
        [job]
        workload = "cpu"
        phases = { measure_s = "1s", warmup_s = 0 }
        [axes]
        "load.closed.users" = [1]
        "params.variant" = ["latency", "throughput"]
        """
    )
    done = igen("study check two.toml")
    assert done.code == 0, done.err
    assert "Both variants" in done.out
    assert "2 repeats, 4 jobs, about 5 s" in done.out
    assert not store.exists()
    assert igen("study run two.toml --quiet").code == 0
    variants = [start["job"]["params"]["variant"] for start in events(store, "job_start")]
    blocks = [{*variants[at : at + 2]} for at in range(0, len(variants), 2)]
    assert all(block == {"latency", "throughput"} for block in blocks), "side by side"
    (seed,) = {start["job"]["load_seed"] for start in events(store, "job_start")}
    assert events(store, "job_start")[0]["study"]["job"]["load_seed"] == seed


@pytest.mark.parametrize(
    "study", sorted((Path(__file__).parents[2] / "studies").glob("*.toml")), ids=lambda p: p.stem
)
def test_every_ready_made_study_is_right(
    igen: Igen, tmp_path: Path, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Instead of that of an instance that does not run here.
    monkeypatch.setenv("LDAP_PASSWORD", "unused")
    # Instead of arrays that are not up here: folders.
    for kind in ("raid10", "raid5"):
        (tmp_path / "arrays" / kind / "mount").mkdir(parents=True)
    text = study.read_text(encoding="utf-8").replace("/var/tmp/igen-arrays/", f"{tmp_path}/arrays/")
    copy = tmp_path / study.name
    copy.write_text(text, encoding="utf-8")
    done = igen(f"study check {copy}")
    if "placement.scheduling" in done.err and "cannot use the scheduling" in done.err:
        pytest.skip(done.err)  # not everybody may have a fixed priority
    assert done.code == 0, done.err


def test_workloads_and_monitors_are_listed(igen: Igen) -> None:
    workloads = igen("list workloads").out
    assert all(name in workloads for name in ("noop", "model", "cpu", "ram", "oltp"))
    assert "pressure" in igen("list monitors").out
