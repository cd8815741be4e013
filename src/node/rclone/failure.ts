/** Turns rclone's error output into reasons that users can read. */
import { ifPossible } from '../if-possible.ts'
import * as z from 'zod'
import { reason } from '../../shared/failure/failure.ts'
import type { DriveTrouble } from '../../shared/model/built-in-service.ts'

export type FailureKind = DriveTrouble['kind']

const REASONS = {
  quota: 'driveQuota',
  busy: 'driveBusy',
  locked: 'driveLocked',
  signIn: 'driveSignIn',
  permission: 'drivePermission',
  notFound: 'driveNotFound',
  network: 'driveNetwork',
  ended: 'rcloneEnded',
} as const

/** The first match applies. Numbers count only with a status label, because sizes and ports are numbers too. */
const SIGNS: readonly (readonly [Exclude<FailureKind, 'ended' | 'other'>, RegExp])[] = [
  [
    'locked',
    /decrypt configuration|config(uration)? (file )?(is )?encrypted|unable to decrypt|ask-password/i,
  ],
  ['busy', /rate ?limit|too many requests|(error|status|code|http)[ :]*429/i],
  [
    'quota',
    /quota|insufficient storage|no space left|not enough (free )?(space|storage)|(storage|disk|drive) (is )?full|(error|status|code|http)[ :]*507/i,
  ],
  [
    'signIn',
    /unauthori[sz]ed|invalid_grant|token (has )?expired|(fetch|get|refresh) (a )?token|empty token|(unable to|couldn't) authenticate|authentication failed|logon denied|login incorrect|(error|status|code|http)[ :]*401/i,
  ],
  [
    'permission',
    /permission|forbidden|access (is )?denied|read-only|not allowed|(error|status|code|http)[ :]*403/i,
  ],
  [
    'notFound',
    /(directory|object|file|bucket|path|item) not found|not exist|no such file|couldn't find|(error|status|code|http)[ :]*404/i,
  ],
  [
    'network',
    /(dial|read|write|lookup) (tcp|udp)|closed network connection|connection (refused|reset|closed|timed)|no such host|i\/o timeout|unreachable|unexpected EOF|: EOF|tls|deadline exceeded|broken pipe|time(d )?out|(error|status|code|http)[ :]*50[234]/i,
  ],
]

/** Exit codes of rclone that have only one meaning. */
const BY_EXIT_CODE: ReadonlyMap<number, Exclude<FailureKind, 'other'>> = new Map([
  [3, 'notFound'],
  [4, 'notFound'],
])

export const troubleOf = (kind: keyof typeof REASONS): DriveTrouble => ({
  kind,
  reason: reason(REASONS[kind]),
})

/**
 * Explains a failed rclone call.
 * @param complaint rclone's stderr, with JSON lines reduced to their messages
 * @param exitCode null if a signal ended it
 */
export function explainTrouble(complaint: string, exitCode: number | null): DriveTrouble {
  // rclone quotes file and folder names. Remove them, because a name could be mistaken for a reason.
  const reasons = complaint.replace(/"[^"\n]*"/g, '""')
  const found = SIGNS.find(([, sign]) => sign.test(reasons))?.[0] ?? BY_EXIT_CODE.get(exitCode ?? -1)
  if (found) return troubleOf(found)
  const last = complaint.trim().split('\n').at(-1) ?? ''
  const detail = redactOutput(last).slice(0, 300)
  return {
    kind: 'other',
    reason: detail === '' ? reason('driveUnexplained') : reason('driveOther', { detail }),
  }
}

/** Removes user names, passwords and parameters from URLs, and anything that looks like a key. */
export function redactOutput(text: string): string {
  return text
    .replace(/:\/\/[^\s"'/@]*@/g, '://')
    .replace(/\?[^\s"']*/g, '')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(
      /((?:token|pass(?:word)?|secret|key|sig(?:nature)?|code)["']?\s*[:=]\s*)["']?[^\s"',}]+/gi,
      '$1…',
    )
    .replace(/[A-Za-z0-9_+/=.~-]{24,}/g, (run) => (/\d/.test(run) && /[A-Za-z]/.test(run) ? '…' : run))
}

const TIMESTAMP = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /

/** Extracts the error messages from rclone's log. Lines that aren't JSON are kept without their timestamp. */
export function complaintsIn(lines: readonly string[]): string {
  return lines
    .flatMap((line) => {
      const entry = parseLogLine(line)
      if (entry === undefined) return line.trim() === '' ? [] : [line.replace(TIMESTAMP, '')]
      return entry.level === 'error' || entry.level === 'fatal' || entry.level === 'critical'
        ? [entry.msg]
        : []
    })
    .join('\n')
}

const LogLine = z.object({
  level: z.string(),
  msg: z.string(),
  /** Path of the affected file within the folder. */
  object: z.string().optional(),
  stats: z.object({ bytes: z.number(), totalBytes: z.number().positive() }).optional().catch(undefined),
})

export type LogEntry = Omit<z.infer<typeof LogLine>, 'stats'> & {
  /** Progress of the transfer, 0..1, in lines that report it. */
  readonly share: number | undefined
}

export function parseLogLine(line: string): LogEntry | undefined {
  const parsed = line.startsWith('{') ? ifPossible(() => LogLine.parse(JSON.parse(line))) : undefined
  if (parsed === undefined) return undefined
  const { stats, ...entry } = parsed
  return { ...entry, share: stats && Math.min(1, Math.max(0, stats.bytes / stats.totalBytes)) }
}
