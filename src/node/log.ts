/** What happened, in a small file: one JSON object a line, and one older file beside it. */
import { mkdirSync, renameSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { redactSecrets } from './redact-secrets.ts'

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
