/**
 * The permissions that this process's umask takes away. Read when the module is loaded, before anything else runs: reading it means
 * setting it, and nothing may be created with fewer permissions taken away.
 */
export const UMASK = process.umask(0o077)
process.umask(UMASK)
