/** The conventional ID of the unprivileged user. */
export const ORDINARY = 65_534

/**
 * Runs a function as a user with ordinary permissions. Root can read everything, so tests of unreadable files would prove nothing.
 * The folders that the function needs must be accessible to everyone.
 */
export async function asOrdinaryUser<T>(run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run()
  process.seteuid?.(ORDINARY)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}
