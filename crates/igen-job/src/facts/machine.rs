//! Facts of the machine that runs the agent, of its kernel's settings, and of devices below the targets.

use crate::declare::declare;
use crate::fact_type::FactType::{Boolean, Count, List, Number, Setting, Text};

declare! {
    /// Name of the machine
    HOST_NAME = "host.name", Text, Machine;
    /// Operating system
    HOST_OPERATING_SYSTEM = "host.operating_system", Text, Machine;
    /// Maker of the machine
    HOST_MAKER = "host.maker", Text, Machine;
    /// Product name of the machine
    HOST_PRODUCT = "host.product", Text, Machine;
    /// Version of the firmware
    HOST_FIRMWARE = "host.firmware", Text, Machine;
    /// Time since the machine started
    HOST_UPTIME_S = "host.uptime_s", Number, Machine, volatile;
    /// Time zone
    HOST_TIME_ZONE = "host.time_zone", Text, Machine;

    /// Model of the processors
    CPU_MODEL = "cpu.model", Text, Machine;
    /// Maker of the processors
    CPU_VENDOR = "cpu.vendor", Text, Machine;
    /// Part number (ARM)
    CPU_PART = "cpu.part", Text, Machine;
    /// Processor family
    CPU_FAMILY = "cpu.family", Number, Machine;
    /// Model number
    CPU_MODEL_NUMBER = "cpu.model_number", Number, Machine;
    /// Stepping
    CPU_STEPPING = "cpu.stepping", Number, Machine;
    /// Version of the microcode
    CPU_MICROCODE = "cpu.microcode", Text, Machine;
    /// Clock frequency of the first processor when the agent started
    CPU_CURRENT_MHZ = "cpu.current_mhz", Number, Machine, volatile;
    /// Instruction sets that matter for benchmarks
    CPU_FLAGS = "cpu.flags", List(&Text), Machine;
    /// Logical processors that are online
    CPU_PROCESSORS = "cpu.processors", Number, Machine;
    /// Cores
    CPU_CORES = "cpu.cores", Number, Machine;
    /// Clusters of cores, if they are neither cores nor sockets
    CPU_CLUSTERS = "cpu.clusters", Number, Machine;
    /// Sockets
    CPU_SOCKETS = "cpu.sockets", Number, Machine;
    /// Logical processors of a core
    CPU_THREADS_PER_CORE = "cpu.threads_per_core", Number, Machine;
    /// Size of one cache of a level
    CPU_CACHE_BYTES = "cpu.{level}_cache_bytes", Number, Machine;
    /// Caches of a level
    CPU_CACHES = "cpu.{level}_caches", Number, Machine;
    /// Highest frequency
    CPU_MAX_MHZ = "cpu.max_mhz", Number, Machine;
    /// Base frequency
    CPU_BASE_MHZ = "cpu.base_mhz", Number, Machine;
    /// Driver that sets the frequency
    CPU_FREQUENCY_DRIVER = "cpu.frequency_driver", Text, Machine;
    /// Governor of the frequency
    CPU_GOVERNOR = "cpu.governor", Text, Machine;
    /// Preference of the frequency driver between energy and performance
    CPU_ENERGY_PREFERENCE = "cpu.energy_performance_preference", Text, Machine;
    /// True if turbo is on
    CPU_TURBO = "cpu.turbo", Boolean, Machine;
    /// State of simultaneous multithreading
    CPU_SMT = "cpu.smt", Text, Machine;
    /// Driver of idle states
    CPU_IDLE_DRIVER = "cpu.idle_driver", Text, Machine;
    /// Governor of idle states
    CPU_IDLE_GOVERNOR = "cpu.idle_governor", Text, Machine;
    /// NUMA nodes
    CPU_NUMA_NODES = "cpu.numa_nodes", Number, Machine;
    /// Processors that the scheduler leaves alone
    CPU_ISOLATED = "cpu.isolated", Text, Machine;
    /// Mitigations of vulnerabilities
    CPU_MITIGATIONS = "cpu.mitigations", List(&Text), Machine;

    /// Memory of the machine
    MEMORY_TOTAL_BYTES = "memory.total_bytes", Number, Machine;
    /// Swap space
    MEMORY_SWAP_TOTAL_BYTES = "memory.swap_total_bytes", Number, Machine;
    /// Size of a huge page
    MEMORY_HUGE_PAGE_BYTES = "memory.huge_page_bytes", Number, Machine;
    /// Huge pages in the pool
    MEMORY_HUGE_PAGES = "memory.huge_pages", Number, Machine;
    /// Transparent huge pages: always, madvise or never
    MEMORY_TRANSPARENT_HUGE_PAGES = "memory.transparent_huge_pages", Text, Machine;
    /// When the kernel makes room for transparent huge pages
    MEMORY_TRANSPARENT_HUGE_PAGES_DEFRAG = "memory.transparent_huge_pages_defrag", Text, Machine;
    /// Policy of overcommit
    MEMORY_OVERCOMMIT = "memory.overcommit", Text, Machine;
    /// Preference of the kernel for swapping
    MEMORY_SWAPPINESS = "memory.swappiness", Number, Machine;
    /// True if the kernel moves pages between NUMA nodes
    MEMORY_NUMA_BALANCING = "memory.numa_balancing", Boolean, Machine;
    /// Share of memory that may be dirty before writers wait
    MEMORY_DIRTY_PERCENT = "memory.dirty_percent", Number, Machine;
    /// Memory that may be dirty before writers wait
    MEMORY_DIRTY_BYTES = "memory.dirty_bytes", Number, Machine;
    /// Share of memory that may be dirty before it is written
    MEMORY_DIRTY_BACKGROUND_PERCENT = "memory.dirty_background_percent", Number, Machine;
    /// Memory that may be dirty before it is written
    MEMORY_DIRTY_BACKGROUND_BYTES = "memory.dirty_background_bytes", Number, Machine;
    /// Memory of each NUMA node
    MEMORY_NUMA_NODES_BYTES = "memory.numa_nodes_bytes", List(&Count), Machine;

    /// Architecture
    KERNEL_ARCHITECTURE = "kernel.architecture", Text, Machine;
    /// Release of the kernel
    KERNEL_RELEASE = "kernel.release", Text, Machine;
    /// Version of the build
    KERNEL_VERSION = "kernel.version", Text, Machine;
    /// Preemption model
    KERNEL_PREEMPTION = "kernel.preemption", Text, Machine;
    /// Command line of the kernel, without secrets
    KERNEL_COMMAND_LINE = "kernel.command_line", Text, Machine;
    /// Clock source
    KERNEL_CLOCK_SOURCE = "kernel.clock_source", Text, Machine;
    /// Who may use performance counters: the higher, the fewer
    KERNEL_PERF_EVENT_PARANOID = "kernel.perf_event_paranoid", Number, Machine;
    /// Who may use `io_uring`: 0 is everybody
    KERNEL_IO_URING_DISABLED = "kernel.io_uring_disabled", Number, Machine;

    /// Mount point of the working directory's file system
    WORKING_DIRECTORY_MOUNT_POINT = "storage.working_directory.mount_point", Text, Machine;
    /// File system of the working directory
    WORKING_DIRECTORY_FILE_SYSTEM = "storage.working_directory.file_system", Text, Machine;
    /// Device of the working directory
    WORKING_DIRECTORY_DEVICE = "storage.working_directory.device", Text, Machine;
    /// Mount options of the working directory's file system
    WORKING_DIRECTORY_OPTIONS = "storage.working_directory.options", Text, Machine;
    /// Size of the working directory's file system
    WORKING_DIRECTORY_SIZE_BYTES = "storage.working_directory.size_bytes", Number, Machine;
    /// Free space of the working directory's file system
    WORKING_DIRECTORY_FREE_BYTES = "storage.working_directory.free_bytes", Number, Machine, volatile;
    /// Model of a block device
    STORAGE_MODEL = "storage.{device}.model", Text, Machine;
    /// Driver of a block device
    STORAGE_DRIVER = "storage.{device}.driver", Text, Machine;
    /// Size of a block device
    STORAGE_SIZE_BYTES = "storage.{device}.size_bytes", Number, Machine;
    /// True if a block device rotates
    STORAGE_ROTATIONAL = "storage.{device}.rotational", Boolean, Machine;
    /// I/O scheduler of a block device
    STORAGE_SCHEDULER = "storage.{device}.scheduler", Text, Machine;
    /// Requests that the queue of a block device holds
    STORAGE_QUEUE_DEPTH = "storage.{device}.queue_depth", Number, Machine;
    /// Write cache of a block device
    STORAGE_WRITE_CACHE = "storage.{device}.write_cache", Text, Machine;
    /// Read-ahead of a block device
    STORAGE_READ_AHEAD_BYTES = "storage.{device}.read_ahead_bytes", Number, Machine;

    /// Largest packet of a network interface
    NETWORK_MTU_BYTES = "network.{interface}.mtu_bytes", Number, Machine;
    /// Speed of a network interface
    NETWORK_SPEED = "network.{interface}.speed_bits_per_s", Number, Machine;
    /// Driver of a network interface
    NETWORK_DRIVER = "network.{interface}.driver", Text, Machine;
    /// Receive queues of a network interface
    NETWORK_RECEIVE_QUEUES = "network.{interface}.receive_queues", Number, Machine;
    /// Congestion control of TCP
    NETWORK_TCP_CONGESTION_CONTROL = "network.tcp_congestion_control", Text, Machine;
    /// Ports of outgoing connections
    NETWORK_LOCAL_PORTS = "network.local_ports", Text, Machine;
    /// Longest queue of connections that a server has not accepted yet
    NETWORK_LISTEN_BACKLOG = "network.listen_backlog", Number, Machine;

    /// Hypervisor
    ENVIRONMENT_VIRTUALIZATION = "environment.virtualization", Text, Machine;
    /// Container
    ENVIRONMENT_CONTAINER = "environment.container", Text, Machine;
    /// Processors that the control groups of the agent may keep busy
    ENVIRONMENT_CPU_LIMIT = "environment.cpu_limit_processors", Number, Machine;
    /// Memory that the agent may use, by its control groups and its own limits
    ENVIRONMENT_MEMORY_LIMIT_BYTES = "environment.memory_limit_bytes", Number, Machine;
    /// Memory that the agent could still take, within its limits and of the machine
    ENVIRONMENT_AVAILABLE_MEMORY_BYTES = "environment.available_memory_bytes", Number, Machine, volatile;
    /// Processes that the kernel killed because memory ran out: in the control group of the agent, or on the machine
    ENVIRONMENT_OUT_OF_MEMORY_KILLS = "environment.out_of_memory_kills", Number, Machine, volatile;
    /// Processors that the agent may use
    ENVIRONMENT_ALLOWED_PROCESSORS = "environment.allowed_processors", Number, Machine;
    /// Numbers of the processors that the agent may use
    ENVIRONMENT_ALLOWED_PROCESSOR_LIST = "environment.allowed_processor_list", Text, Machine;
    /// Load average of the last minute
    ENVIRONMENT_LOAD_AVERAGE_1 = "environment.load_average_1_minute", Number, Machine, volatile;
    /// Load average of 5 minutes
    ENVIRONMENT_LOAD_AVERAGE_5 = "environment.load_average_5_minutes", Number, Machine, volatile;
    /// Load average of 15 minutes
    ENVIRONMENT_LOAD_AVERAGE_15 = "environment.load_average_15_minutes", Number, Machine, volatile;
    /// Processes of the machine
    ENVIRONMENT_PROCESSES = "environment.processes", Number, Machine, volatile;
    /// Files that a process may open
    ENVIRONMENT_OPEN_FILES_LIMIT = "environment.open_files_limit", Setting, Machine;
    /// Memory that a process may lock, in bytes
    ENVIRONMENT_LOCKED_MEMORY_LIMIT = "environment.locked_memory_limit_bytes", Setting, Machine;
    /// Processes that a user may start
    ENVIRONMENT_PROCESSES_LIMIT = "environment.processes_limit", Setting, Machine;
    /// Priority of the agent: its nice value
    ENVIRONMENT_NICE = "environment.nice", Number, Machine;
    /// True if the agent runs as root
    ENVIRONMENT_ROOT = "environment.root", Boolean, Machine;
    /// Locale
    ENVIRONMENT_LOCALE = "environment.locale", Text, Machine;

    /// Power limit of a domain
    POWER_LIMIT_W = "power.{domain}.limit_w", Number, Machine;
    /// Domains with an energy counter that can be read
    POWER_ENERGY_DOMAINS = "power.energy_domains", List(&Text), Machine;
    /// True if a power supply is connected
    POWER_ONLINE = "power.{supply}.online", Boolean, Machine;
    /// State of a battery
    POWER_STATUS = "power.{supply}.status", Text, Machine;

    /// Hash of all settings of the kernel that checks know
    TUNABLES_HASH = "tunables.hash", Text, Run;
    /// A setting of the kernel, by the name that sysctl uses
    TUNABLES_SETTING = "tunables.{setting}", Setting, Tunable;

    /// Size of a device below the targets
    DEVICE_SIZE_BYTES = "device.{device}.size_bytes", Number, Device;
    /// Model of a device below the targets
    DEVICE_MODEL = "device.{device}.model", Text, Device;
    /// File behind a loop device below the targets
    DEVICE_BACKING_FILE = "device.{device}.backing_file", Text, Device;
}
