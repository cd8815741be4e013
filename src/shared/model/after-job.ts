/** What runs after a job: a program, and a request to a URL. Both get the same JSON report. */
import * as z from 'zod'
import { isLoopback } from './connection.ts'

export const HOOK_ACTIONS = ['program', 'url'] as const
export type HookAction = (typeof HOOK_ACTIONS)[number]

/** The program's absolute path and the URL; null for an action that isn't used. */
export const Hooks = z.object({ program: z.string().nullable(), url: z.string().nullable() })
export type Hooks = Readonly<z.infer<typeof Hooks>>

export const NO_HOOKS: Hooks = { program: null, url: null }

/** How often an action is tried for a job. */
export const MOST_TRIES = 5

/** How one try ended. */
export const HookResult = z.discriminatedUnion('kind', [
  /** The program's exit code, its duration in ms, and the last line of its stderr. */
  z.object({ kind: z.literal('exited'), code: z.int(), ms: z.number(), detail: z.string().optional() }),
  z.object({ kind: z.literal('signaled'), signal: z.string() }),
  /** The program ran for too long and was killed, or the server didn't answer in time. */
  z.object({ kind: z.literal('timedOut') }),
  /** The program can't be run; `fault` is a `ProgramFault` or a system error's code. */
  z.object({ kind: z.literal('notStarted'), fault: z.string() }),
  z.object({ kind: z.literal('answered'), status: z.int(), ms: z.number() }),
  /** The server can't be reached, or the connection was lost; `code` is the error's code. */
  z.object({ kind: z.literal('notReached'), code: z.string() }),
  z.object({ kind: z.literal('badUrl'), fault: z.enum(['notAUrl', 'notSecure', 'credentials']) }),
  /** The signing key can't be read from the keychain. Nothing was sent. */
  z.object({ kind: z.literal('noKey'), trouble: z.enum(['missing', 'locked']) }),
  /** Mediatray ended during the try. */
  z.object({ kind: z.literal('interrupted') }),
])
export type HookResult = Readonly<z.infer<typeof HookResult>>

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
