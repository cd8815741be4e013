/** Nobody in particular. */
export const ORDINARY = 65_534

/**
 * Runs something as a user who may not read everything; root may, and then a test of what can't be read would say nothing.
 * The folders that it needs have to be open to everybody.
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
