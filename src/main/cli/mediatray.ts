#!/usr/bin/env node
/** Entry point of the `mediatray-cli` command: passes the process environment to the command line and sets its exit code. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { hasCode } from '../../node/errors.ts'
import { systemTiming } from '../../node/timing.ts'
import { USER_CANCEL } from './environment.ts'
import { EXIT } from './exit-code.ts'
import { closedSink, isClosed, sinkOf } from './output-stream.ts'
import { createStandby, startsService } from './standby-service.ts'

// Compiling a schema pays off only after several hundred parses, which is more than a command performs. Schemas read this setting
// when they are created, so the command line is loaded afterward.
z.config({ jitless: true })

/** `timeout` signals a program and then its group. Signals within this many ms count as one. A later one ends the command at once. */
const SAME_SIGNAL_MS = 200

const interruption = new AbortController()
const end = () => interruption.abort()
const cancel = () => interruption.abort(USER_CANCEL)
const stopListening = () => process.off('SIGTERM', end).off('SIGINT', cancel)
process.on('SIGTERM', end).on('SIGINT', cancel)
interruption.signal.addEventListener('abort', () => setTimeout(stopListening, SAME_SIGNAL_MS).unref())

const outputClosed = new AbortController()
let wasOutputReported = false

/** Output may be lost, but the work isn't: the command continues, and its exit code shows the failure. */
function outputFailed(error: Error): void {
  process.exitCode ||= EXIT.problems
  // The reader has closed the pipe (`| head`), so no further output is needed. A full disk is another matter.
  if (hasCode(error, 'EPIPE')) outputClosed.abort()
  else if (!wasOutputReported) stderr.write(`Couldn’t write the output: ${error.message}\n`)
  wasOutputReported = true
}
const stdout = isJsonLost() ? closedSink(outputFailed) : sinkOf(process.stdout, outputFailed)
const stderr = sinkOf(process.stderr, () => void (process.exitCode ||= EXIT.problems))

/** Without `--json`, a closed stdout only discards the text, like the null device, from which it can't be distinguished. */
function isJsonLost(): boolean {
  return process.argv.includes('--json') && !process.stdout.isTTY && isClosed(process.stdout.fd)
}

async function writeBinary(content: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const chunk of content) {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      process.stdout.write(chunk, resolve)
    })
    if (error) {
      if (hasCode(error, 'EPIPE')) return false
      throw error
    }
  }
  return true
}

async function* readBinary(): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of process.stdin) {
      if (interruption.signal.aborted) return
      if (chunk instanceof Uint8Array) yield chunk
    }
  } finally {
    process.stdin.destroy()
  }
}

async function readKey(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  process.stdin.destroy()
  return typeof line === 'string' ? line.trim() : undefined
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = new Promise<string>((resolve) => terminal.question(`${question} [y/N] `, resolve))
  const interrupted = once(interruption.signal, 'abort')
  const [given] = await Promise.race([answer.then((text) => [text]), once(terminal, 'close'), interrupted])
  terminal.close()
  return typeof given === 'string' && /^y(es)?$/i.test(given.trim())
}

// The command line runs either from its sources or from a bundle next to the service's bundle.
const isSource = import.meta.filename.endsWith('.ts')
const builtInEntry = isSource
  ? join(import.meta.dirname, '../../service/main.ts')
  : join(import.meta.dirname, '../service/main.js')
const noticesFile = join(import.meta.dirname, isSource ? '../../..' : '../..', 'THIRD-PARTY-NOTICES.txt')

function startDetached(argv: readonly string[]): void {
  const program = [...process.execArgv, import.meta.filename, ...argv]
  const child = spawn(process.execPath, program, { detached: true, stdio: 'ignore', windowsHide: true })
  // Its work stays in the outbox.
  child.on('error', () => undefined)
  child.unref()
}

// npm runs scripts in the project folder and passes the user's folder in INIT_CWD.
const startedByNpm = process.env['npm_lifecycle_event'] === 'cli'

const argv = process.argv.slice(2)
const place = {
  env: process.env,
  cwd: (startedByNpm ? process.env['INIT_CWD'] : undefined) ?? process.cwd(),
  home: homedir(),
  platform: process.platform,
}
const standby = startsService(argv, place) ? createStandby(builtInEntry) : undefined

const { runCli } = await import('./index.ts')
const { POWER_SUPPLIES } = await import('../quiet/index.ts')
const code = await runCli({
  ...place,
  argv,
  stdout: {
    write: (text) => stdout.write(text),
    get columns() {
      return stdout.columns
    },
    binary: process.stdout.isTTY || isClosed(process.stdout.fd) ? null : writeBinary,
    closed: outputClosed.signal,
  },
  stdin: process.stdin.isTTY ? null : readBinary,
  stderr,
  readKey,
  confirm: process.stdin.isTTY && process.stderr.isTTY ? confirm : null,
  startDetached,
  timing: systemTiming,
  interrupted: interruption.signal,
  builtInEntry,
  standby,
  noticesFile,
  powerSupplies: POWER_SUPPLIES,
})
standby?.end()
// The output may have failed.
if (code !== EXIT.done) process.exitCode = code
