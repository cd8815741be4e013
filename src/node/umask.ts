/**
 * This process's umask. Reading it means setting it for a moment. This happens when the module is loaded, before anything else runs, and
 * with a strict value, so that no file gets too many permissions.
 */
export const UMASK = process.umask(0o077)
process.umask(UMASK)
