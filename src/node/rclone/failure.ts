/** What went wrong at the drive, in words for a person, made of what rclone writes for experts. */

import type { DriveTrouble } from '../../shared/model/built-in-service.ts'

export type FailureKind = DriveTrouble['kind']

const MESSAGES: Readonly<Record<Exclude<FailureKind, 'other'>, string>> = {
  quota: 'The cloud drive is full: its storage quota is used up',
  busy: 'The cloud drive takes no more requests for now. Try again later',
  locked: 'The configuration of rclone is encrypted. Give its password in RCLONE_CONFIG_PASS',
  signIn: 'The cloud drive does not accept the sign-in any more. Run “rclone config reconnect” for it',
  permission: 'The account has no permission for this in the cloud drive',
  notFound: 'It is not in the cloud drive',
  network: 'The cloud drive can’t be reached',
}

/** The first that fits. Numbers count only where they are said to be a status, because sizes and ports are numbers too. */
const SIGNS: readonly (readonly [Exclude<FailureKind, 'other'>, RegExp])[] = [
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

/** Exit codes of rclone that need no reading. */
const BY_EXIT_CODE: ReadonlyMap<number, Exclude<FailureKind, 'other'>> = new Map([
  [3, 'notFound'],
  [4, 'notFound'],
])

export const troubleOf = (kind: Exclude<FailureKind, 'other'>): DriveTrouble => ({
  kind,
  message: MESSAGES[kind],
})

/**
 * @param complaint what rclone wrote to stderr, with the JSON lines reduced to their messages
 * @param exitCode null where it was ended by a signal
 */
export function explainTrouble(complaint: string, exitCode: number | null): DriveTrouble {
  // Names of files and folders stand in quotes; what they happen to say is not to be taken for a reason.
  const reasons = complaint.replace(/"[^"\n]*"/g, '""')
  const found = SIGNS.find(([, sign]) => sign.test(reasons))?.[0] ?? BY_EXIT_CODE.get(exitCode ?? -1)
  if (found) return troubleOf(found)
  const last = complaint.trim().split('\n').at(-1) ?? ''
  const said = redactOutput(last).slice(0, 300)
  return { kind: 'other', message: said === '' ? 'rclone failed without a reason' : `rclone says: ${said}` }
}

/** Addresses lose their names, passwords and parameters; anything that looks like a key is blotted out. */
export function redactOutput(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s"'/@]*@/gi, '$1')
    .replace(/\?[^\s"']*/g, '')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(
      /((?:token|pass(?:word)?|secret|key|sig(?:nature)?|code)["']?\s*[:=]\s*)["']?[^\s"',}]+/gi,
      '$1…',
    )
    .replace(/[A-Za-z0-9_+/=.~-]{24,}/g, (run) => (/\d/.test(run) && /[A-Za-z]/.test(run) ? '…' : run))
}

const TIMESTAMP = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /

/** The messages among the lines of rclone's log; lines that are not JSON stand as they are, without their time. */
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

export type LogEntry = {
  readonly level: string
  readonly msg: string
  /** The file that it is about, as its path in the folder. */
  readonly object?: string
  /** How far the transfer is, 0..1, in the lines that tell. */
  readonly share: number | undefined
}

export function parseLogLine(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return undefined
    const level: unknown = Reflect.get(value, 'level')
    const msg: unknown = Reflect.get(value, 'msg')
    const object: unknown = Reflect.get(value, 'object')
    const about = typeof object === 'string' ? { object } : {}
    return { level: String(level), msg: String(msg), ...about, share: shareIn(Reflect.get(value, 'stats')) }
  } catch {
    return undefined
  }
}

function shareIn(stats: unknown): number | undefined {
  if (typeof stats !== 'object' || stats === null) return undefined
  const bytes: unknown = Reflect.get(stats, 'bytes')
  const total: unknown = Reflect.get(stats, 'totalBytes')
  if (typeof bytes !== 'number' || typeof total !== 'number' || total <= 0) return undefined
  return Math.min(1, Math.max(0, bytes / total))
}
