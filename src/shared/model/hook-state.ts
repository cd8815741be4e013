/** The state of what runs after jobs, and the rules about it that the window shares. */
import type { HookResult } from './after-job.ts'
import { isLoopback } from './connection.ts'

export const HOOK_ACTIONS = ['program', 'url'] as const
export type HookAction = (typeof HOOK_ACTIONS)[number]

/** How often an action is tried for a job. */
export const MOST_TRIES = 5

export const isSuccess = (result: HookResult): boolean =>
  (result.kind === 'exited' && result.code === 0) ||
  (result.kind === 'answered' && result.status >= 200 && result.status < 300)

/** An action for one job: how its last try ended, and when the next one follows. */
export type HookState = {
  readonly action: HookAction
  /** The program or URL of the last try. */
  readonly target: string
  readonly result: HookResult
  /** Start of the last try, ms since 1970. */
  readonly triedAt: number
  /** Number of tries so far, including the last one. */
  readonly tries: number
  /** Time of the next try, ms since 1970; null if none follows. */
  readonly nextAt: number | null
  /** Whether it was a test and not about a job. */
  readonly isTest: boolean
}

/** What the settings show about an action: whether it runs right now, and how it ended last. */
export type HookStatus = { readonly isRunning: boolean; readonly last: HookState | null }

export type UrlFault = Extract<HookResult, { readonly kind: 'badUrl' }>['fault']

/** Checks where job reports may be sent: over https, or within this computer. A URL is stored in the settings, so it has no password. */
export function urlFault(text: string): UrlFault | undefined {
  if (!URL.canParse(text)) return 'notAUrl'
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return text.includes('://') ? 'notSecure' : 'notAUrl'
  if (username !== '' || password !== '') return 'credentials'
  return protocol === 'https:' || isLoopback(hostname) ? undefined : 'notSecure'
}
