//! Facts of the load and of the run: what workloads, the engine and iGen itself report.

use crate::declare::declare;
use crate::fact_type::FactType::{
    self, Boolean, Count, List, Maybe, Number, Record, Setting, Table, Text,
};

/// A rate that a workload defines over its operations.
const RATE: FactType = Record(&[
    ("name", Text),
    ("counter", Text),
    ("operations", List(&Text)),
]);
/// Blocks of a target that were read back.
const VERIFIED: FactType = Record(&[
    ("target", Text),
    ("expectation", Text),
    ("block_bytes", Count),
    ("blocks", Count),
    ("unclaimed", Count),
    ("right", Count),
    ("unflushed", Count),
    ("faults", Table(&Record(&[("blocks", Count)]))),
]);
/// Requests to a web server, and answers from it.
const REQUESTS: FactType = Record(&[("target", Text), ("requests", Count), ("answers", Count)]);
const SCENARIO: FactType = Record(&[("name", Text), ("pages", List(&Text))]);
/// Operations that were sent to a directory, and those that it counted.
const OPERATIONS: FactType = Record(&[
    ("target", Text),
    ("sent", Table(&Count)),
    ("counted", Maybe(&Table(&Count))),
    ("why", Maybe(&Text)),
]);
/// A kernel of `mem`, and the bytes of a pass.
const KERNEL: FactType = Record(&[
    ("kernel", Text),
    ("width", Maybe(&Text)),
    ("stores", Maybe(&Text)),
    ("accesses", Maybe(&Count)),
    ("bytes", Maybe(&Count)),
    ("bytes_with_allocation", Maybe(&Count)),
]);

declare! {
    /// Version of the workload: two versions do not do the same work
    WORKLOAD_VERSION = "workload.version", Count, Load;
    /// Name of transactions, in the plural
    WORKLOAD_TRANSACTIONS = "workload.transactions", Text, Run;
    /// Rates that the workload declares
    WORKLOAD_RATES = "workload.rates", List(&RATE), Run;
    /// Operations of the workload
    WORKLOAD_OPERATIONS = "workload.operations", List(&Text), Run;
    /// Transactions that a user has in flight
    WORKLOAD_IN_FLIGHT_PER_USER = "workload.in_flight_per_user", Count, Run;
    /// Memory of a user
    WORKLOAD_BYTES_PER_USER = "workload.bytes_per_user", Number, Run;
    /// Variant of the code that runs
    WORKLOAD_VARIANT = "workload.variant", Text, Run;
    /// Iterations of a fractal
    WORKLOAD_ITERATIONS_PER_FRACTAL = "workload.iterations_per_fractal", Number, Run;
    /// Tickets of a user
    WORKLOAD_TICKETS_PER_USER = "workload.tickets_per_user", Number, Run;
    /// Tickets of a draw
    WORKLOAD_TICKETS_PER_DRAW = "workload.tickets_per_draw", Number, Run;
    /// Tickets that are looked up at random
    WORKLOAD_RANDOM_LOOKUPS = "workload.random_lookups", Number, Run;
    /// The winning ticket
    WORKLOAD_WINNER = "workload.winner", List(&Count), Run;
    /// Kind of the memory's pages
    WORKLOAD_PAGES = "workload.pages", Text, Load, shows = "pages";
    /// Threads of the load, as counted on this machine
    LOAD_THREADS = "load.threads", Number, Load, shows = "threads";

    /// Boundaries of a transaction
    BANK_TRANSACTION = "bank.transaction", Text, Run;
    /// Number of the run in the history
    BANK_RUN = "bank.run", Number, Run, volatile;
    /// Durability of acknowledged commits with these settings of the database, for people
    BANK_DURABILITY = "bank.durability", Text, Run;
    /// How the log of SQLite is counted
    BANK_LOG = "bank.log", Text, Run;
    /// Size of the database by account
    BANK_BYTES_PER_ACCOUNT = "bank.bytes_per_account", Number, Run;
    /// Transactions that the database acknowledged
    BANK_ACKNOWLEDGED = "bank.acknowledged_transactions", Number, Run;
    /// Transactions of this run in the history
    BANK_STORED = "bank.stored_transactions", Number, Run;
    /// Acknowledged transactions that are not in the history
    BANK_LOST = "bank.lost_transactions", Number, Run;
    /// Boundaries of a transaction
    OLTP_TRANSACTION = "oltp.transaction", Text, Run;
    /// Databases that share the customers
    OLTP_SHARDS = "oltp.shards", Number, Run;
    /// Size of the database by customer
    OLTP_BYTES_PER_CUSTOMER = "oltp.bytes_per_customer", Number, Run;

    /// Table that is scanned
    SCAN_TABLE = "scan.table", Text, Run, changes_work;
    /// Predicate of the scan
    SCAN_PREDICATE = "scan.predicate", Text, Run, changes_work;
    /// Statement of the scan
    SCAN_SQL = "scan.sql", Text, Run;
    /// Records of the table
    SCAN_RECORDS = "scan.records", Number, Run;
    /// Records that the predicate finds
    SCAN_ZEROS = "scan.zeros", Number, Run;
    /// Size of a record
    SCAN_RECORD_BYTES = "scan.record_bytes", Number, Run;
    /// State of the cache before a scan: warm, cold, or cold in part
    SCAN_CACHE = "scan.cache", Text, Run;
    /// Why the cache is in this state, for people
    SCAN_CACHE_REASON = "scan.cache_reason", Text, Run;
    /// Processes whose processor time is counted
    SCAN_CPU = "scan.cpu", Text, Run;
    /// Time of loading
    SCAN_LOAD_S = "scan.load_s", Number, Run;
    /// Speed of loading in rows
    SCAN_LOAD_ROWS = "scan.load_rows_per_s", Number, Run;
    /// Speed of loading in MB
    SCAN_LOAD_MB = "scan.load_mb_per_s", Number, Run;
    /// Threads or processes that scan at most
    SCAN_THREADS = "scan.threads", Number, Load, shows = "threads";

    /// Boundaries of a transaction
    IO_TRANSACTION = "io.transaction", Text, Run;
    /// Size of an I/O
    IO_BLOCK_BYTES = "io.block_bytes", Number, Run, changes_work;
    /// How I/Os are issued
    IO_ENGINE = "io.engine", Text, Load, shows = "engine";
    /// Data that I/Os reach
    IO_SIZE_BYTES = "io.size_bytes", Number, Load, shows = "size_bytes";
    /// True if I/Os bypass the page cache
    IO_DIRECT = "io.direct", Boolean, Load, shows = "direct";
    /// True if the file system of a target has no direct I/O although it was wanted
    IO_DIRECT_REFUSED = "io.direct_refused", Boolean, Run;
    /// Share of the data in the page cache before the load, 0 to 1
    IO_RESIDENT_BEFORE = "io.resident_before", Number, Run;
    /// Share of the data in the page cache after the load, 0 to 1
    IO_RESIDENT_AFTER = "io.resident_after", Number, Run;
    /// Share of the data that was written before the load, 0 to 1: reads of the rest reach no storage
    IO_WRITTEN_BEFORE = "io.written_before", Number, Run;
    /// True if a target is kept in memory: a file system in memory, or a RAM disk
    IO_IN_MEMORY = "io.in_memory", Boolean, Run;
    /// What was found when the data was read back
    IO_VERIFIED = "io.verified", List(&VERIFIED), Run;

    /// Standard output of the program: pipe, null or file
    COMMAND_OUTPUT = "command.output", Text, Run, changes_work;
    /// Executions that left processes behind
    COMMAND_LEAVING_EXECUTIONS = "command.leaving_executions", Count, Run, together(Sum);
    /// Processes that executions left behind
    COMMAND_PROCESSES_LEFT = "command.processes_left", Count, Run, together(Sum);
    /// Some of their programs
    COMMAND_PROGRAMS_LEFT = "command.programs_left", List(&Text), Run;

    /// Boundaries of a transaction
    HTTP_TRANSACTION = "http.transaction", Text, Run;
    /// Addresses of the servers
    HTTP_ADDRESS = "http.address", List(&Text), Run;
    /// TLS sessions that connections resume
    HTTP_RESUMED_TLS_SESSIONS = "http.resumed_tls_sessions", Text, Run;
    /// Requests sent and answers received, by server
    HTTP_REQUESTS = "http.requests", List(&REQUESTS), Run;
    /// Boundaries of a transaction
    WEB_TRANSACTION = "web.transaction", Text, Run;
    /// The scenario and its pages
    WEB_SCENARIO = "web.scenario", SCENARIO, Run;
    /// Addresses of the servers
    WEB_ADDRESS = "web.address", List(&Text), Run;
    /// Requests sent and answers received, by server
    WEB_REQUESTS = "web.requests", List(&REQUESTS), Run;

    /// Boundaries of a transaction
    LDAP_TRANSACTION = "ldap.transaction", Text, Run;
    /// The entries of the tree, for people
    LDAP_TREE = "ldap.tree", Text, Run;
    /// Entries of the tree that a load may ask for
    LDAP_ENTRIES = "ldap.entries", Number, Run;
    /// Entries of the tree that this load asks for
    LDAP_ACCESSED_ENTRIES = "ldap.accessed_entries", Number, Run;
    /// Attributes that searches return: all, or their names
    LDAP_ATTRIBUTES = "ldap.attributes", Text, Run, changes_work;
    /// Operations that were sent and that the directory counted, by target
    LDAP_OPERATIONS = "ldap.operations", List(&OPERATIONS), Run;

    /// Size of an array
    MEM_ARRAY_BYTES = "mem.array_bytes", Number, Run;
    /// Memory of a user
    MEM_USER_BYTES = "mem.user_bytes", Number, Run;
    /// Passes of a transaction
    MEM_PASSES_PER_TRANSACTION = "mem.passes_per_transaction", Number, Run;
    /// Kernels, and the bytes that a pass of each moves
    MEM_KERNELS = "mem.kernels", Table(&KERNEL), Run, changes_work;
    /// Kind of the memory's pages
    MEM_PAGES = "mem.pages", Text, Load, shows = "pages";
    /// NUMA nodes of the memory
    MEM_MEMORY_ON = "mem.memory_on", Text, Load, shows = "memory_node";

    /// How far the processor's clock drifted from the system clock
    ENGINE_CLOCK_DRIFT_PPM = "engine.clock_drift_ppm", Number, Run, volatile, together(Largest);
    /// Processor time of the agent's threads that do not drive users
    ENGINE_ASIDE_S = "engine.aside_s", Number, Run, volatile, together(Sum);
    /// Time in which the agent did not run
    ENGINE_STOOD_STILL_S = "engine.stood_still_s", Number, Run, volatile, together(First);
    /// Processor time that threads spun to be punctual
    ENGINE_SPUN_S = "engine.spun_s", Number, Run, volatile, together(Sum);
    /// End of the first transaction
    ENGINE_FIRST_TRANSACTION_S = "engine.first_transaction_s", Number, Run, volatile, together(First);

    /// Agents of the fleet
    FLEET_AGENTS = "fleet.agents", Count, Run;
    /// Hosts of the agents
    FLEET_HOSTS = "fleet.hosts", List(&Text), Run;
    /// Machines of the fleet
    FLEET_MACHINES = "fleet.machines", Count, Run;
    /// Processes of agents that share a machine with an earlier agent
    FLEET_PROCESS_IDS = "fleet.process_ids", List(&Count), Run, volatile;
    /// True if the agents were told to begin at the same time, false if each began as soon as it could
    FLEET_BEGAN_TOGETHER = "fleet.began_together", Boolean, Run;
    /// Clock offsets of the agents' machines, in s
    FLEET_CLOCK_OFFSETS_S = "fleet.clock_offsets_s", List(&Maybe(&Number)), Run, volatile;
    /// Largest errors of these offsets, in s
    FLEET_CLOCK_ERRORS_S = "fleet.clock_errors_s", List(&Maybe(&Number)), Run, volatile;
    /// Largest of these errors in all runs of a system
    FLEET_CLOCK_ERROR_S = "fleet.clock_error_s", Number, Run, volatile;
    /// What happens when an agent is lost
    FLEET_ON_LOSS = "fleet.on_loss", Text, Run;
    /// Agents that were lost, and why
    FLEET_LOST = "fleet.lost", List(&Text), Run;
    /// Agents of the run with the fewest
    FLEET_FEWEST_AGENTS = "fleet.fewest_agents", Count, Run;
    /// Agents of the run with the most
    FLEET_MOST_AGENTS = "fleet.most_agents", Count, Run;
    /// Other runs on this machine while this one was measured
    ENVIRONMENT_CONCURRENT_RUNS = "environment.concurrent_runs", Setting, Run, volatile;
    /// Who started the run in a console
    ENVIRONMENT_CONSOLE = "environment.console", Table(&Text), Run;
}
