#!/usr/bin/env node
/**
 * Entry point of the `mediatray-cli` command. It only connects the terminal to the process that owns the data folder. The command runs
 * there, so this process loads little.
 */
import { once } from 'node:events'
import { devNull, homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isatty } from 'node:tty'
import { codeOf, hasCode } from '../node/errors.ts'
import { NotReached, type Reached } from '../node/owner-link/connect-owner.ts'
import type { Continued, FromOwner } from '../node/owner-link/messages.ts'
import { UMASK } from '../node/umask.ts'
import { EXIT } from '../shared/command-end.ts'
import { closedSink, isClosed, sinkOf } from './output-stream.ts'
import { endOwner, reachOwner, silentWords, t, watchSilence } from './reach-owner.ts'

/**
 * `timeout` signals a program and then its group. Signals within this many ms count as one. A later signal ends this process immediately.
 */
const SAME_SIGNAL_MS = 200

/**
 * The only argument that the Windows installer passes. Afterward, the installer ends every process whose program it replaces or removes.
 */
const END_FOR_UPDATE = '--end-for-update'

const isSource = import.meta.filename.endsWith('.ts')
const argv = process.argv.slice(2)
// npm runs scripts in the project folder and passes the user's folder in INIT_CWD.
const startedByNpm = process.env['npm_lifecycle_event'] === 'cli'
const place = {
  env: process.env,
  cwd: (startedByNpm ? process.env['INIT_CWD'] : undefined) ?? ownFolder(),
  home: home(),
  platform: process.platform,
}

function ownFolder(): string {
  try {
    return process.cwd()
  } catch {
    process.stderr.write(`${t().client.folderGone}\n`)
    // No path inside the null device exists or can be created.
    return devNull
  }
}

function home(): string {
  try {
    return homedir()
  } catch {
    process.stderr.write(`${t().client.homeUnknown}\n`)
    process.exit(EXIT.failed)
  }
}

let owner: Reached | undefined
let wasOutputReported = false
/** Whether the command is moving to another owner. */
let hasMoved = false
let exitCode: number | undefined

/** Handles output that couldn't be written. The command continues, and its exit code shows the failure. */
function outputFailed(error: Error): void {
  process.exitCode ||= EXIT.problems
  // EPIPE means that the reader has closed the pipe (`| head`). Other errors, for example a full disk, are shown.
  if (hasCode(error, 'EPIPE')) owner?.link.send({ type: 'closed' })
  else if (!wasOutputReported) stderr.write(`${t().client.outputFailed({ detail: error.message })}\n`)
  wasOutputReported = true
}
/**
 * Whether stdout is closed. Only `--json` treats that as a failure. Otherwise, the output is discarded, because a null device can look the
 * same as a closed stdout.
 */
const isStdoutClosed = !process.stdout.isTTY && isClosed(process.stdout.fd)
const stdout =
  isStdoutClosed && argv.includes('--json') ? closedSink(outputFailed) : sinkOf(process.stdout, outputFailed)
const stderr = sinkOf(process.stderr, () => void (process.exitCode ||= EXIT.problems))

function hear(message: FromOwner): void {
  silence.heard()
  switch (message.type) {
    case 'out':
      stdout.write(message.text)
      return holdOutput()
    case 'err':
      return stderr.write(message.text)
    case 'bytes':
      return void writeBytes(message.bytes)
    case 'read':
      return void readPart()
    case 'readLine':
      return void readLine()
    case 'ask':
      return void ask(message.question)
    case 'exit':
      exitCode = message.code
      return end()
    case 'moved':
      // The signal that interrupted this process has also ended the owner, so nothing continues the command.
      if (isInterrupted !== undefined) {
        exitCode = EXIT.interrupted
        return end()
      }
      hasMoved = true
      return void begin(message.argv)
    case 'stored':
      stored = message.continued
      return
    case 'pong':
    case 'proof':
    case 'accepted':
    case 'working':
  }
}

let isHeld = false
/** Pauses the owner's output until the reader, for example a pager, has read the buffered output. */
function holdOutput(): void {
  if (isHeld || !process.stdout.writableNeedDrain) return
  const held = owner
  const goOn = () => {
    isHeld = false
    silence.heard()
    held?.link.resume()
  }
  isHeld = true
  held?.link.pause()
  process.stdout.once('drain', goOn).once('close', goOn)
}

const widths = () => ({ stdout: stdout.columns ?? null, stderr: stderr.columns ?? null })
for (const stream of [process.stdout, process.stderr])
  stream.on('resize', () => owner?.link.send({ type: 'resized', widths: widths() }))

async function writeBytes(bytes: Uint8Array): Promise<void> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(bytes, resolve)
  })
  const failed = error ? { code: codeOf(error), message: error.message } : null
  owner?.link.send({ type: 'written', failed })
}

const input = process.stdin.isTTY ? undefined : process.stdin[Symbol.asyncIterator]()

let nextPart: Promise<IteratorResult<Uint8Array<ArrayBuffer>> | undefined> | undefined
async function readPart(): Promise<void> {
  const asking = owner
  nextPart ??= input?.next().catch(() => undefined)
  const part = await nextPart
  // The command has moved. The next owner requests this part of stdin again.
  if (owner !== asking) return
  nextPart = undefined
  wasInputRead ||= part?.done === false
  if (part === undefined || part.done === true) return owner?.link.send({ type: 'stdin', bytes: null })
  owner?.link.send({ type: 'stdin', bytes: part.value })
}

let keyLine: Promise<string | null> | undefined
/** Reads the key from stdin once, and sends it to each owner that requests it. */
async function readLine(): Promise<void> {
  keyLine ??= firstLine()
  const text = await keyLine
  owner?.link.send({ type: 'line', text })
}

async function firstLine(): Promise<string | null> {
  const lines = createInterface({ input: process.stdin })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  process.stdin.destroy()
  return typeof line === 'string' ? line.trim() : null
}

async function ask(question: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = new Promise<string>((resolve) => terminal.question(`${question} [y/N] `, resolve))
  const [given] = await Promise.race([answer.then((text) => [text]), once(terminal, 'close')])
  terminal.close()
  owner?.link.send({ type: 'answer', isYes: typeof given === 'string' && /^y(es)?$/i.test(given.trim()) })
}

/** Tells the user if the owner doesn't respond, for example because its process was stopped. */
const silence = watchSilence(
  () => stderr.write(`${silentWords(owner?.pid)}\n`),
  () => {
    if (owner === undefined || hasMoved || isHeld) return false
    owner.link.send({ type: 'ping' })
    return true
  },
)

/** true if the user interrupted the command, false for any other interruption; undefined if it wasn't interrupted. */
let isInterrupted: boolean | undefined
function interrupt(isUsers: boolean): void {
  if (isInterrupted !== undefined) return
  // No owner has received the command yet.
  if (owner === undefined) process.exit(EXIT.interrupted)
  isInterrupted = isUsers
  owner?.link.send({ type: 'interrupt', isUsers })
  setTimeout(() => process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM'), SAME_SIGNAL_MS).unref()
}

function end(): void {
  silence.stop()
  process.stdin.destroy()
  owner?.link.close()
  // When the first process of a container ends, all others are killed. Let the owner save its work first.
  if (process.pid === 1) void endOwner(place, 'end').catch(() => undefined)
  // An exit code of 0 must not hide that output failed.
  if (exitCode !== undefined && exitCode !== 0) process.exitCode = exitCode
}

/** The stored work that the next owner can continue; undefined if there is none. */
let stored: Continued | undefined
let wasInputRead = false

/** Reports that the connection to the owner was lost while the command ran. */
function closed(): void {
  if (exitCode !== undefined || hasMoved) return
  exitCode = EXIT.failed
  const next = t().continued[stored ?? 'nothing']
  const isInputLost = stored === undefined && wasInputRead
  stderr.write(`${t().client.ended({ next: isInputLost ? t().client.inputLost({ next }) : next })}\n`)
  end()
}

const host = join(import.meta.dirname, isSource ? '../host/host.ts' : 'host.js')

async function begin(args: readonly string[]): Promise<void> {
  owner = await reachOwner(place, host, { hear, closed }, (words) => stderr.write(`${words}\n`)).catch(
    (error: unknown) => {
      if (!(error instanceof NotReached)) throw error
      process.stderr.write(`${error.message}\n`)
      process.exit(error.code)
    },
  )
  hasMoved = false
  silence.heard()
  const env = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  owner.link.send({
    type: 'run',
    argv: [...args],
    env: Object.fromEntries(env),
    cwd: place.cwd,
    home: place.home,
    umask: UMASK,
    stdout: process.stdout.isTTY ? 'terminal' : isStdoutClosed ? 'closed' : 'pipe',
    widths: widths(),
    hasTerminal: isatty(process.stdin.fd),
    canConfirm: isatty(process.stdin.fd) && isatty(process.stderr.fd),
  })
  if (isInterrupted !== undefined) owner?.link.send({ type: 'interrupt', isUsers: isInterrupted })
}

process.on('SIGTERM', () => interrupt(false)).on('SIGINT', () => interrupt(true))
if (argv[0] === END_FOR_UPDATE) {
  await endOwner(place, 'update').catch(() => undefined)
  process.exit(0)
}
await begin(argv)
