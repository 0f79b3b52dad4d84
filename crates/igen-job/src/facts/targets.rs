//! Facts that systems under test report about themselves, and of private instances as iGen made them.

use crate::declare::declare;
use crate::fact_type::FactType::{
    self, Any, Boolean, Count, List, Maybe, Number, Ranges, Record, Setting, Table, Text,
};

/// The server of a target: its tier, or why it is unknown.
const SERVER: FactType = Record(&[("tier", Maybe(&Text)), ("unknown", Maybe(&Text))]);
/// Sessions of other clients on a server.
const SESSIONS: FactType = Record(&[
    ("server", Text),
    ("sees_all", Boolean),
    ("clients", List(&CLIENT)),
]);
/// Another client; the numbers of its sessions are one text.
const CLIENT: FactType = Record(&[
    ("user", Text),
    ("from", Text),
    ("application", Text),
    ("sessions", Ranges),
    ("active_percent", Number),
]);

declare! {
    /// Where the server runs, seen from the load: in process, console/server or client/server
    TARGET_PLACEMENT = "target.{kind}.placement", Text, Server;
    /// Transport of connections
    TARGET_TRANSPORT = "target.{kind}.transport", Text, Server;
    /// TLS version and cipher, or none
    TARGET_TLS = "target.{kind}.tls", Text, Server;
    /// How the load process reads and writes connections
    TARGET_CLIENT_IO = "target.{kind}.client_io", Text, Server;
    /// Protocol of the web server
    TARGET_PROTOCOL = "target.{kind}.protocol", Text, Server, shows = "protocol";
    /// Streams that the web server allows on a connection
    TARGET_STREAMS = "target.{kind}.streams", Text, Server, shows = "streams";
    /// Version of the server or the library
    TARGET_VERSION = "target.{kind}.version", Text, Server;
    /// Isolation level of transactions
    TARGET_ISOLATION = "target.{kind}.isolation", Text, Server, shows = "transaction_isolation";
    /// Size of the database, which transactions change
    TARGET_DATABASE_BYTES = "target.{kind}.database_bytes", Number, Server, volatile;
    /// True if a pooler is in front of the server
    TARGET_POOLER = "target.{kind}.pooler", Boolean, Server;

    /// How many connections read and write at once
    SQLITE_CONCURRENCY = "target.sqlite.concurrency", Text, Server;
    /// Journal mode
    SQLITE_JOURNAL_MODE = "target.sqlite.journal_mode", Text, Server;
    /// When SQLite waits for the disk: off, normal, full or extra
    SQLITE_SYNCHRONOUS = "target.sqlite.synchronous", Setting, Server, shows = "synchronous";
    /// Locking mode
    SQLITE_LOCKING_MODE = "target.sqlite.locking_mode", Text, Server;
    /// Size of a page
    SQLITE_PAGE_BYTES = "target.sqlite.page_bytes", Number, Server;
    /// Size of the page cache of a connection
    SQLITE_CACHE_BYTES = "target.sqlite.cache_bytes", Number, Server, shows = "cache_bytes";
    /// Part of the file that is mapped into memory
    SQLITE_MMAP_BYTES = "target.sqlite.mmap_bytes", Number, Server;
    /// Pages of the log after which SQLite makes a checkpoint
    SQLITE_CHECKPOINT_AFTER_PAGES = "target.sqlite.checkpoint_after_pages", Number, Server;
    /// How the library locks
    SQLITE_THREADING = "target.sqlite.threading", Text, Server;

    /// Threads of the engine
    DUCKDB_THREADS = "target.duckdb.threads", Setting, Server, shows = "threads";
    /// Memory that the engine may use
    DUCKDB_MEMORY_LIMIT = "target.duckdb.memory_limit", Setting, Server;
    /// Size of a block
    DUCKDB_BLOCK_BYTES = "target.duckdb.block_bytes", Setting, Server;

    /// On if commits wait for the log to be on disk
    POSTGRESQL_SYNCHRONOUS_COMMIT = "target.postgresql.synchronous_commit", Setting, Server, shows = "synchronous_commit";
    /// On if the server flushes to disk
    POSTGRESQL_FSYNC = "target.postgresql.fsync", Setting, Server, shows = "fsync";
    /// On if whole pages are logged after a checkpoint
    POSTGRESQL_FULL_PAGE_WRITES = "target.postgresql.full_page_writes", Setting, Server, shows = "full_page_writes";
    /// Time that a commit waits for others, in µs
    POSTGRESQL_COMMIT_DELAY_US = "target.postgresql.commit_delay_us", Setting, Server, shows = "commit_delay";
    /// Size of the server's own cache
    POSTGRESQL_SHARED_BUFFERS = "target.postgresql.shared_buffers", Setting, Server, shows = "shared_buffers";
    /// Longest time between checkpoints
    POSTGRESQL_CHECKPOINT_TIMEOUT = "target.postgresql.checkpoint_timeout", Setting, Server, shows = "checkpoint_timeout";
    /// True if the server is a replica
    POSTGRESQL_REPLICA = "target.postgresql.replica", Boolean, Server;
    /// Any other setting, by its name
    POSTGRESQL_SETTING = "target.postgresql.{setting}", Setting, Server, shows = "{setting}";

    /// MariaDB or MySQL
    MYSQL_FLAVOUR = "target.mysql.flavour", Text, Server;
    /// Commits that wait for the log to be on disk: 1 is each commit
    MYSQL_FLUSH_LOG_AT_COMMIT = "target.mysql.innodb_flush_log_at_trx_commit", Setting, Server, shows = "innodb_flush_log_at_trx_commit";
    /// Commits after which the binary log is flushed
    MYSQL_SYNC_BINLOG = "target.mysql.sync_binlog", Setting, Server, shows = "sync_binlog";
    /// On if there is a binary log
    MYSQL_LOG_BIN = "target.mysql.log_bin", Setting, Server, shows = "log_bin";
    /// On if pages are written twice
    MYSQL_DOUBLEWRITE = "target.mysql.innodb_doublewrite", Setting, Server, shows = "innodb_doublewrite";
    /// Size of the server's own cache
    MYSQL_BUFFER_POOL_BYTES = "target.mysql.innodb_buffer_pool_bytes", Setting, Server, shows = "innodb_buffer_pool_size";
    /// Size of a file of the redo log
    MYSQL_LOG_FILE_BYTES = "target.mysql.innodb_log_file_bytes", Setting, Server, shows = "innodb_log_file_size";
    /// Size of the redo log
    MYSQL_REDO_LOG_BYTES = "target.mysql.innodb_redo_log_capacity_bytes", Setting, Server,
        shows = "innodb_redo_log_capacity";
    /// Time that a commit waits for others, in µs (MariaDB)
    MYSQL_COMMIT_WAIT_US = "target.mysql.binlog_commit_wait_us", Setting, Server, shows = "binlog_commit_wait_usec";
    /// Time that a commit waits for others, in µs (MySQL)
    MYSQL_SYNC_DELAY_US = "target.mysql.binlog_group_commit_sync_delay_us", Setting, Server,
        shows = "binlog_group_commit_sync_delay";
    /// How InnoDB writes its files
    MYSQL_FLUSH_METHOD = "target.mysql.innodb_flush_method", Setting, Server, shows = "innodb_flush_method";
    /// Any other variable, by its name
    MYSQL_SETTING = "target.mysql.{setting}", Setting, Server, shows = "{setting}";

    /// Vendor of the directory
    LDAP_VENDOR = "target.ldap.vendor", Text, Server;
    /// Name that the administrator binds as, or anonymous
    LDAP_BIND = "target.ldap.bind", Text, Server;
    /// True if each modify waits for the disk; unknown if cn=config cannot be read
    LDAP_WAITS_FOR_DISK = "target.ldap.waits_for_disk", Boolean, Server, shows = "dbnosync";
    /// Level of the access log; unknown if cn=config cannot be read
    LDAP_ACCESS_LOG = "target.ldap.access_log", Text, Server, shows = "loglevel";
    /// Size of the memory map
    LDAP_MAXSIZE_BYTES = "target.ldap.maxsize_bytes", Setting, Server, shows = "maxsize";
    /// Most entries of an answer
    LDAP_SIZE_LIMIT = "target.ldap.size_limit", Setting, Server, shows = "sizelimit";
    /// Any other setting of the directory
    LDAP_SETTING = "target.ldap.{setting}", Setting, Server, shows = "{setting}";

    /// Hits of the target's cache while the load was measured
    TARGET_CACHE_HITS = "target.cache_hits", Number, Run;
    /// Misses of the target's cache while the load was measured
    TARGET_CACHE_MISSES = "target.cache_misses", Number, Run;
    /// Tier of the server of each target, or why it is unknown
    TARGETS_SERVERS = "targets.servers", List(&Maybe(&SERVER)), Run;
    /// Sessions that this agent opened, by server
    SESSIONS_OWN = "sessions.own", Table(&Ranges), Run;
    /// Sessions of other clients on a server
    SESSIONS_OTHERS = "sessions.others.{place}", SESSIONS, Run;

    /// How the private instances were made, and how the targets reach them
    INSTANCES_MADE = "instances.made", Table(&Any), Run;
    /// A setting of the private instances
    INSTANCES_SETTING = "instances.settings.{setting}", Setting, Instance;

    /// Where the figures of a tier come from
    TIER_SOURCE = "tier.{tier}.source", Text, Run;
    /// How the memory of a tier is measured
    TIER_MEMORY = "tier.{tier}.memory", Text, Run;
    /// Processors that a tier may use
    TIER_PROCESSORS = "tier.{tier}.processors", Number, Run;
    /// Processes of a tier at the start
    TIER_PROCESS_IDS = "tier.{tier}.process_ids", List(&Count), Run, volatile;
    /// Largest error of the clock offset of a machine that serves
    TIER_HOST_CLOCK_ERROR_S = "tier_host.{host}.clock_error_s", Number, Run, volatile;
    /// Clock offset of a machine that serves
    TIER_HOST_CLOCK_AHEAD_S = "tier_host.{host}.clock_ahead_s", Number, Run, volatile;
}
