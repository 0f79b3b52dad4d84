"""What a node_exporter 1.9.0 said of a machine with two processors, cut to what is read and a little more."""

TEXT = """\
# HELP go_goroutines Number of goroutines that currently exist.
# TYPE go_goroutines gauge
go_goroutines 8
# HELP node_context_switches_total Total number of context switches.
# TYPE node_context_switches_total counter
node_context_switches_total 9.0432175e+07
# HELP node_cpu_guest_seconds_total Seconds the CPUs spent in guests (VMs) for each mode.
# TYPE node_cpu_guest_seconds_total counter
node_cpu_guest_seconds_total{cpu="0",mode="user"} 0
# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.
# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{cpu="0",mode="idle"} 1000
node_cpu_seconds_total{cpu="0",mode="iowait"} 2
node_cpu_seconds_total{cpu="0",mode="irq"} 0
node_cpu_seconds_total{cpu="0",mode="nice"} 1.5
node_cpu_seconds_total{cpu="0",mode="softirq"} 3.25
node_cpu_seconds_total{cpu="0",mode="steal"} 0.5
node_cpu_seconds_total{cpu="0",mode="system"} 40
node_cpu_seconds_total{cpu="0",mode="user"} 100
node_cpu_seconds_total{cpu="1",mode="idle"} 900
node_cpu_seconds_total{cpu="1",mode="system"} 60
node_cpu_seconds_total{cpu="1",mode="user"} 200.25
# TYPE node_disk_io_time_seconds_total counter
node_disk_io_time_seconds_total{device="vda"} 36.96
node_disk_io_time_seconds_total{device="dm-0"} 30
# TYPE node_disk_read_bytes_total counter
node_disk_read_bytes_total{device="vda"} 3.584570368e+09
node_disk_read_bytes_total{device="dm-0"} 3e+09
# TYPE node_disk_reads_completed_total counter
node_disk_reads_completed_total{device="vda"} 79842
# TYPE node_disk_written_bytes_total counter
node_disk_written_bytes_total{device="vda"} 1.715490816e+09
# TYPE node_forks_total counter
node_forks_total 11651
# TYPE node_memory_MemAvailable_bytes gauge
node_memory_MemAvailable_bytes 6e+09
# TYPE node_memory_MemTotal_bytes gauge
node_memory_MemTotal_bytes 8e+09
# TYPE node_memory_SwapFree_bytes gauge
node_memory_SwapFree_bytes 1e+06
# TYPE node_memory_SwapTotal_bytes gauge
node_memory_SwapTotal_bytes 3e+06
# TYPE node_network_receive_bytes_total counter
node_network_receive_bytes_total{device="eth0"} 2.68144621e+08
node_network_receive_bytes_total{device="lo"} 3193
node_network_receive_bytes_total{device="veth1a2b"} 17
# TYPE node_network_transmit_bytes_total counter
node_network_transmit_bytes_total{device="eth0"} 441825
# TYPE node_procs_running gauge
node_procs_running 3
# TYPE node_vmstat_pgfault untyped
node_vmstat_pgfault 1.2e+07
"""
