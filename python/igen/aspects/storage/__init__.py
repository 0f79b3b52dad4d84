"""Files and block devices: what reached the devices, beside what the workload asked for."""
