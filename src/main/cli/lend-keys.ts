/** Provides commands with lines to services, and lends the commands' keys to these lines. */
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { GivenKeys } from '../connection/index.ts'
import type { Core, Line } from '../core/index.ts'

type Use = {
  /** The key that a command has lent to the line. Kept while a command or a job uses the line. */
  lent: string | undefined
  users: number
}

type Used = { readonly service: string; readonly line: Line; readonly use: Use }

export function lendingKeys(core: Core, keys: GivenKeys) {
  const uses = new Map<string, Use>()

  function lend({ service, line, use }: Used, key: string | undefined): void {
    if (use.lent === key) return
    use.lent = key
    keys.lend(service, key)
    line.connection.reload()
  }

  async function keptKey(service: string): Promise<string | undefined> {
    const kept = await keys.kept(service)
    return kept.ok ? (kept.value ?? undefined) : undefined
  }

  /**
   * Whether a command may use the line. A line has one key at a time. If the line doesn't switch to the command's key now, tests that key
   * or, if the command has none, the saved key.
   * @returns false if the service rejects the tested key, or if there is neither key
   */
  async function takesKey(used: Used, key: string | undefined): Promise<boolean> {
    const { service, line, use } = used
    const isOnline = () => line.connection.view().state.status === 'online'
    if (key === use.lent) {
      if (key !== undefined && !isOnline()) line.connection.retry()
      return true
    }
    const isFree = use.users === 1 && !hasWork(line)
    if (isFree && (use.lent !== undefined || !isOnline())) {
      lend(used, key)
      return true
    }
    const own = key ?? (await keptKey(service))
    if (own === undefined) return false
    const tested = await line.connection.testKey({ baseUrl: service, key: own })
    if (!tested.ok && (tested.why === 'keyRefused' || tested.why === 'badKey')) return false
    // If the service can't be reached, the newest key that a command has lent is the best guess.
    if (!isOnline() && (tested.ok || key !== undefined)) lend(used, key)
    return true
  }

  return async (service: string, key: string | undefined) => {
    const use = uses.get(service) ?? { lent: undefined, users: 0 }
    uses.set(service, use)
    const isMain = serviceIdOf(core.connection.view()) === service
    if (!isMain && core.lines.to(service) === undefined) {
      // A line reads its key when it opens.
      use.lent = key
      keys.lend(service, key)
    }
    const { line, release } = isMain ? { line: core, release: () => undefined } : core.lines.use(service)
    const used = { service, line, use }
    use.users++
    const mayUse = await takesKey(used, key)
    return {
      line: mayUse ? line : refusedBy(line),
      /** Whether this is the core's own line, which leads to the service in the settings. */
      isMain,
      isRefused: !mayUse,
      /** Returns the command's key, or the saved key if the command has none; undefined if there is neither. */
      key: async () => key ?? (await keptKey(service)),
      release: (): void => {
        use.users--
        if (use.users === 0 && !hasWork(line)) lend(used, undefined)
        release()
      },
    }
  }
}

const hasWork = (line: Line): boolean => line.busy() || line.tracker.jobs().length > 0

/** Returns a copy of the line that reports a rejected key. For commands without a valid key, even if the line works with another key. */
const refusedBy = (line: Line): Line => ({
  ...line,
  connection: {
    ...line.connection,
    view: () => ({ ...line.connection.view(), state: { status: 'keyRefused' } }),
    api: () => undefined,
  },
})
