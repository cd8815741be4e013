/**
 * The connections to a service. undici is loaded with the first request: it is not small, and a tray that has nothing to ask
 * yet should not wait for it.
 */
import type { Pool } from 'undici'

export type ConnectionPools = {
  /** Keeps its connections. */
  reading(): Promise<Pool>
  /**
   * A fresh connection each time, which costs a fraction of a millisecond. A service may close an idle connection at the
   * moment a request is written to it; whether it was read then, nobody can tell. Harmless for reading; a submission would
   * be left in doubt for no reason.
   */
  writing(): Promise<Pool>
  /** Ends all connections; what is under way fails. */
  destroy(): Promise<void>
}

/** @param connectMs how long connecting may take */
export function openPools(origin: string, connectMs: number): ConnectionPools {
  // Time is kept by our own deadline, which knows what undici's two timers don't: the whole, and what moves.
  const timing = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: connectMs, allowH2: false }
  const pools: Partial<Record<'reading' | 'writing', Promise<Pool>>> = {}
  let destroyed = false

  async function open(options: object): Promise<Pool> {
    const { Pool } = await import('undici')
    const pool = new Pool(origin, { ...timing, ...options })
    if (destroyed) await pool.destroy()
    return pool
  }

  return {
    reading: () => (pools.reading ??= open({})),
    // `pipelining: 0` is undici's way of saying so.
    writing: () => (pools.writing ??= open({ pipelining: 0 })),
    async destroy() {
      destroyed = true
      for (const pool of Object.values(pools)) await (await pool).destroy()
    },
  }
}
