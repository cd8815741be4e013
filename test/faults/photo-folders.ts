/** The folders of one test: photos, results and the app's data, with the real command that processes them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import { COMMAND } from '../entries.ts'
import { environmentForNode, jsonLines, killOwner, killService, runProcess } from '../main/cli/command.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export const SAMPLE = resolve(import.meta.dirname, '../../assets/samples/dawn-upright.jpg')

export type PhotoFolders = ReturnType<typeof photoFolders>

/**
 * @param count number of photos, named `photo-0.jpg` and so on
 * @param more environment of the commands
 */
export function photoFolders(count: number, more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  const [photos, out, data] = [join(folder, 'photos'), join(folder, 'out'), join(folder, 'data')]
  for (const one of [photos, out, data]) mkdirSync(one)
  const files = Array.from({ length: count }, (_, n) => join(photos, `photo-${n}.jpg`))
  for (const file of files) copyFileSync(SAMPLE, file)
  const env = { ...more, MEDIATRAY_DATA_DIR: data }

  /** Runs a command to its end. */
  const command = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await runProcess([...argv, '--json'], { env, cwd: folder })
    return { code, events: jsonLines(stdout), output: stdout + stderr }
  }
  /** Starts a command, so that the test can interrupt it. */
  const start = (...argv: readonly string[]) => {
    const program = ['--disable-warning=ExperimentalWarning', COMMAND, ...argv, '--json']
    const child = spawn(process.execPath, program, {
      cwd: folder,
      env: { ...environmentForNode(), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A separate group, like a command in a terminal.
      detached: process.platform !== 'win32',
    })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part))
    const ended = once(child, 'close').then(() => ({
      code: child.exitCode,
      signal: child.signalCode,
      stdout,
      events: jsonLines(stdout),
    }))
    /** Waits until the command's events show something. */
    const until = (fits: (events: ReturnType<typeof jsonLines>) => boolean) =>
      expect
        .poll(() => fits(jsonLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1))), {
          interval: 5,
          timeout: 60_000,
        })
        .toBe(true)
    const stop = (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => {
      child.kill(signal)
      return ended
    }
    /** Signals the command and its helpers, like Ctrl-C in a terminal. */
    const stopGroup = (signal: 'SIGINT' | 'SIGTERM') => {
      process.kill(-(child.pid ?? 0), signal)
      return ended
    }
    return { pid: child.pid ?? 0, ended, until, stop, stopGroup, kill: () => stop('SIGKILL') }
  }
  const startSubmit = (inputs: readonly string[], output: string | null, ...options: readonly string[]) =>
    start('submit', ...inputs, ...(output === null ? [] : ['--output', output]), ...options)
  /** Runs `submit`, and kills it, its host and the service after some photos are done. */
  const killSubmit = async (inputs: readonly string[], output: string, ...options: readonly string[]) => {
    const { kill } = startSubmit(inputs, output, ...options)
    await someResultsIn(output)
    await Promise.all([kill(), killOwner(data)])
    killService(data)
  }
  return {
    folder,
    out,
    data,
    files,
    /** Names of the results that each photo has after one job. */
    onceEach: files.map((_, n) => `photo-${n}-basic.jpg`).toSorted(),
    command,
    start,
    startSubmit,
    killSubmit,
  }
}

/** Names of the results in a folder, without temporary files. */
export function resultsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
  } catch {
    return []
  }
}

/** Resolves while a job is under way: it has some results and most likely not all. */
export const someResultsIn = (folder: string): Promise<void> =>
  expect.poll(() => resultsIn(folder).length, { interval: 5, timeout: 60_000 }).toBeGreaterThan(2)
