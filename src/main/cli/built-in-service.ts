import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import * as z from 'zod'

export type RunningService = {
  readonly baseUrl: string
  readonly key: string
  /** Asks it to end, and after ten seconds makes it. */
  stop(): Promise<void>
}

export type Started =
  | { readonly ok: true; readonly service: RunningService }
  | { readonly ok: false; readonly why: string }

const START_MS = 20_000
const STOP_MS = 10_000
const KEPT_STDERR = 4_000

const Listening = z.object({ event: z.literal('listening'), baseUrl: z.string() })

/**
 * Starts the built-in service as a process of its own, on a free port and with a key that nobody else has seen. It holds
 * the other end of a pipe from this process, so that it ends even if this process is killed.
 */
export async function startBuiltInService(
  entry: string,
  dataFolder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Started> {
  const key = randomBytes(32).toString('base64url')
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      entry,
      '--port',
      '0',
      '--data-dir',
      dataFolder,
      '--exit-with-parent',
    ],
    { env: { ...env, MEDIATRAY_API_KEY: key }, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lastWords = keepLastWords(child)
  const stop = () => stopProcess(child, ended)

  const baseUrl = await firstLine(child)
  if (baseUrl !== undefined) return { ok: true, service: { baseUrl, key, stop } }
  await stop()
  return { ok: false, why: lastWords() || 'it ended before it was ready' }
}

function keepLastWords(child: ChildProcess): () => string {
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-KEPT_STDERR)
  })
  child.on('error', (error) => {
    words += error.message
  })
  return () => words.trim()
}

/** The address in the line that it prints once it listens; undefined where it ends or says something else instead. */
function firstLine(child: ChildProcess): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const timer = setTimeout(() => resolve(undefined), START_MS)
  child.once('error', () => resolve(undefined))
  child.once('exit', () => resolve(undefined))
  if (child.stdout) {
    // Lines after the first are read too, so that the process never blocks on a full pipe.
    createInterface({ input: child.stdout }).once('line', (line) => resolve(addressIn(line)))
  }
  return promise.finally(() => clearTimeout(timer))
}

function addressIn(line: string): string | undefined {
  try {
    const listening = Listening.safeParse(JSON.parse(line))
    return listening.success ? listening.data.baseUrl : undefined
  } catch {
    return undefined
  }
}

async function stopProcess(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(timer)
}
