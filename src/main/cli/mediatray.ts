#!/usr/bin/env node
/** The `mediatray` command: hands the process's own environment to the command line, and its code back. */
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { systemTiming } from '../../node/timing.ts'
import type { Sink } from './environment.ts'
import { runCli } from './index.ts'

// Compiling a schema pays off after some hundred readings, which a command does not have.
z.config({ jitless: true })

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

function sinkOf(stream: NodeJS.WriteStream): Sink {
  // Whoever read this has gone (`| head`): then there is nobody to go on for.
  stream.on('error', () => interruption.abort())
  return {
    write: (text) => void stream.write(text),
    get columns() {
      // Some terminals don't know their own width and call it 0.
      return stream.isTTY ? stream.columns || 80 : undefined
    },
  }
}

async function readKey(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  process.stdin.destroy()
  return typeof line === 'string' ? line.trim() : undefined
}

// From the sources, or from a bundle beside that of the service.
const isSource = import.meta.filename.endsWith('.ts')
const builtInEntry = isSource
  ? join(import.meta.dirname, '../../service/main.ts')
  : join(import.meta.dirname, '../service/main.js')
const noticesFile = join(import.meta.dirname, isSource ? '../../..' : '../..', 'THIRD-PARTY-NOTICES.txt')

// npm runs scripts in the project's folder and tells here where the person was.
const startedByNpm = process.env['npm_lifecycle_event'] === 'cli'

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: (startedByNpm ? process.env['INIT_CWD'] : undefined) ?? process.cwd(),
  home: homedir(),
  platform: process.platform,
  stdout: sinkOf(process.stdout),
  stderr: sinkOf(process.stderr),
  readKey,
  timing: systemTiming,
  interrupted: interruption.signal,
  builtInEntry,
  noticesFile,
})
