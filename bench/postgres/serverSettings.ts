/** The settings of a user who has read the manual and gives it the memory of this machine. */
export const serverSettings: Readonly<Record<string, string>> = {
  shared_buffers: '1GB',
  effective_cache_size: '8GB',
  work_mem: '64MB',
  maintenance_work_mem: '512MB',
  max_wal_size: '4GB',
  // Loading into a table of the same transaction need not be logged. Every commit is still synced.
  wal_level: 'minimal',
  max_wal_senders: '0',
  // For disks without moving heads.
  random_page_cost: '1.1',
  // Compiling takes longer than most of these queries.
  jit: 'off',
  timezone: 'UTC',
};
