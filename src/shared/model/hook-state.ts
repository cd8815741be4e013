/** The state of the program, the URL and the messages that follow jobs, with the rules that the window and the main process share. */
import type { HookResult } from './after-job.ts'
import { isLoopback } from './connection.ts'

export const HOOK_ACTIONS = ['program', 'url', 'message'] as const
export type HookAction = (typeof HOOK_ACTIONS)[number]
/** The actions that aren't messages. */
export const DIRECT_ACTIONS = ['program', 'url'] as const
export type DirectAction = (typeof DIRECT_ACTIONS)[number]

/** An action, and the ID of the receiver of a message; '' for other actions. */
export type HookUse = { readonly action: HookAction; readonly receiver: string }

/** Maximum number of attempts of an action for a job. */
export const MOST_TRIES = 5

export const isSuccess = (result: HookResult): boolean =>
  (result.kind === 'exited' && result.code === 0) ||
  (result.kind === 'answered' && !result.isRefused && result.status >= 200 && result.status < 300)

/** An action for one job: the result of its last attempt, and when the next attempt follows. */
export type HookState = HookUse & {
  /** The program or URL of the last attempt, or the host that got the message. */
  readonly target: string
  readonly result: HookResult
  /** Start of the last attempt, ms since 1970. */
  readonly triedAt: number
  /** Number of attempts so far, including the last one. */
  readonly tries: number
  /** Time of the next attempt, ms since 1970; null if none follows. */
  readonly nextAt: number | null
  /** Whether the attempt was a test, which isn't about a job. */
  readonly isTest: boolean
}

/** What the settings show about an action: whether it is running, and its last attempt. */
export type HookStatus = { readonly isRunning: boolean; readonly last: HookState | null }

export type UrlFault = Extract<HookResult, { readonly kind: 'badUrl' }>['fault']

/**
 * Checks that a URL may get job reports: it uses https or stays on this computer, and doesn't contain a user name or password, which the
 * settings would store.
 */
export function urlFault(text: string): UrlFault | undefined {
  if (!URL.canParse(text)) return 'notAUrl'
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return text.includes('://') ? 'notSecure' : 'notAUrl'
  if (username !== '' || password !== '') return 'credentials'
  return protocol === 'https:' || isLoopback(hostname) ? undefined : 'notSecure'
}
