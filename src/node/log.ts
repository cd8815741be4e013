/** A size-limited log with one JSON object per line. Rotation keeps one older file. */
import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { readRegularFile } from './open-regular.ts'

export type LogOptions = {
  /** Size in bytes at which the log rotates. Rotation replaces the older file. */
  readonly maxBytes?: number
  /** ms since 1970. */
  readonly clock?: () => number
}

/** Logs an event. Never throws, because a logging failure must not affect the caller. */
export type Log = (event: string, facts: Readonly<Record<string, unknown>>) => void

const MAX_BYTES = 1024 * 1024

export const logFileIn = (folder: string): string => join(folder, 'mediatray.log')
const olderFileIn = (folder: string): string => join(folder, 'mediatray.1.log')

/**
 * Opens the log. If it can't be opened or written, prints only the first reason to stderr.
 * @param folder absolute; created if missing
 */
export function openLog(folder: string, { maxBytes = MAX_BYTES, clock = Date.now }: LogOptions = {}) {
  const file = logFileIn(folder)
  const secrets = new Set<string>()
  let written = 0
  let hasFailed = false
  const fail = (error: unknown) => {
    if (!hasFailed) process.stderr.write(`Couldn't write the log: ${String(error)}\n`)
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

  function rotate(): void {
    renameSync(file, olderFileIn(folder))
    destination?.reopen()
    written = 0
  }

  return {
    log: (event: string, facts: Parameters<Log>[1] = {}): void => {
      try {
        const clean = redactSecrets({ event, ...facts }, [...secrets])
        // Rotation fails on Windows while another process has the file open for writing. Entries are lost until it succeeds.
        if (written > maxBytes) rotate()
        written += JSON.stringify(clean).length + 60
        logger?.info(clean)
      } catch (error) {
        fail(error)
      }
    },
    /** Redacts this text from all later entries. */
    hide: (secret: string): void => void (secret.length > 0 && secrets.add(secret)),
    /** All redacted texts, so that a report can redact them too. */
    hidden: (): readonly string[] => [...secrets],
    close(): void {
      try {
        destination?.end()
      } catch (error) {
        fail(error)
      }
    },
  }
}

const read = (file: string): Promise<string> => readRegularFile(file).catch(() => '')

/** Returns the last lines of the log, newest last. Empty if the log doesn't exist. */
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
/** User and password in a URL. The pattern doesn't match the scheme, because the search would then restart at every letter. */
const USER_INFO = /:\/\/[^\s/@"']+@/g
const DEEPEST = 8
const LONGEST_TEXT = 4_000

export const HIDDEN = '[hidden]'

/**
 * Removes credentials from a value to be logged. Returns a copy that can be serialized as JSON, without values under names such as
 * `authorization` or `key`, credentials in headers and URLs, and the given secrets. Errors become their name, message, code, stack and
 * cause.
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
  clean = clean.replace(BEARER, `$1 ${HIDDEN}`).replace(USER_INFO, `://${HIDDEN}@`)
  return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean
}
