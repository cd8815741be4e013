/** What happened, in a small file: one JSON object a line, and one older file beside it. */
import { mkdirSync, renameSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'

export type LogOptions = {
  /** Bytes, after which a new file is begun and the one before the last is dropped. */
  readonly maxBytes?: number
  /** ms since 1970. */
  readonly clock?: () => number
}

export interface Log {
  /** Never throws: that nothing can be written must not end what is being reported. */
  readonly log: (event: string, facts?: Readonly<Record<string, unknown>>) => void
  /** From now on this text is never written, wherever it stands. */
  readonly hide: (secret: string) => void
  /** All that are hidden, for a report that has to hide them too. */
  readonly hidden: () => readonly string[]
  close(): void
}

const MAX_BYTES = 1024 * 1024

export const logFileIn = (folder: string): string => join(folder, 'mediatray.log')
const olderFileIn = (folder: string): string => join(folder, 'mediatray.1.log')

/** @param folder absolute; made when missing. Where it can't be, everything is said on stderr instead, once. */
export function openLog(folder: string, { maxBytes = MAX_BYTES, clock = Date.now }: LogOptions = {}): Log {
  const file = logFileIn(folder)
  const secrets = new Set<string>()
  let written = 0
  let hasFailed = false
  const fail = (error: unknown) => {
    if (!hasFailed) process.stderr.write(`The log can't be written: ${String(error)}\n`)
    hasFailed = true
  }

  const destination = open()
  const logger =
    destination &&
    pino({ base: null, timestamp: () => `,"time":"${new Date(clock()).toISOString()}"` }, destination)

  function open() {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const opened = pino.destination({ dest: file, sync: true, mode: 0o600 })
      opened.on('error', fail)
      written = statSync(file).size
      return opened
    } catch (error) {
      fail(error)
      return undefined
    }
  }

  function turnOver(): void {
    renameSync(file, olderFileIn(folder))
    destination?.reopen()
    written = 0
  }

  return {
    log(event, facts = {}) {
      try {
        const clean = redactSecrets({ event, ...facts }, [...secrets])
        // Windows does not rename a file that is open for writing elsewhere: then this one grows a little more.
        if (written > maxBytes) turnOver()
        written += JSON.stringify(clean).length + 60
        logger?.info(clean)
      } catch (error) {
        fail(error)
      }
    },
    hide: (secret) => void (secret.length > 0 && secrets.add(secret)),
    hidden: () => [...secrets],
    close() {
      try {
        destination?.end()
      } catch (error) {
        fail(error)
      }
    },
  }
}

const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** The last lines, the newest last; none where there is no log. */
export async function readLogTail(folder: string, lines: number): Promise<readonly string[]> {
  const [older, newer] = await Promise.all([read(olderFileIn(folder)), read(logFileIn(folder))])
  return `${older}${newer}`
    .split('\n')
    .filter((line) => line !== '')
    .slice(-lines)
}

const SECRET_NAME =
  /^(?:authorization|proxy-?authorization|cookie|set-cookie|password|passphrase|secret|token|credentials?|(?:api[-_]?|access[-_]?|private[-_]?)?key)$/i
const BEARER = /\b(bearer|basic)\s+[^\s"',;]+/gi
/** User and password in an address. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi
const DEEPEST = 8
const LONGEST_TEXT = 4_000

export const HIDDEN = '[hidden]'

/**
 * Takes out of what is about to be written whatever opens a door. A copy that can be written as JSON: no values under names
 * such as `authorization` or `key`, no bearer tokens, and none of the given secrets, wherever they stand. Errors become
 * their name, message, code and stack.
 */
export function redactSecrets(value: unknown, secrets: readonly string[] = []): unknown {
  return copy(
    value,
    secrets.filter((secret) => secret !== ''),
    0,
  )
}

function copy(value: unknown, secrets: readonly string[], depth: number): unknown {
  if (typeof value === 'string') return cleanText(value, secrets)
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (value instanceof Error) return copy(errorFacts(value), secrets, depth)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof URL) return cleanText(value.href, secrets)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (Array.isArray(value)) return value.map((one) => copy(one, secrets, depth + 1))
  const entries: [string, unknown][] = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, part]) => [
      cleanText(name, secrets),
      SECRET_NAME.test(name) && part !== null && typeof part !== 'boolean'
        ? HIDDEN
        : copy(part, secrets, depth + 1),
    ]),
  )
}

function errorFacts(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const code: unknown = Reflect.get(error, 'code')
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause }) }
}

function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(secret, HIDDEN)
  clean = clean.replace(BEARER, `$1 ${HIDDEN}`).replace(USER_INFO, `$1${HIDDEN}@`)
  return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
}
