/** A thread that still runs while the runner's own one is busy. Kills the whole run if no test has ended for too long. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { Beat, Monitored } from './watchdog.ts'

const { limitMs, pid, notes }: Monitored = workerData
let timer: NodeJS.Timeout | undefined

parentPort?.on('message', (beat: Beat) => {
  clearTimeout(timer)
  if (beat === 'alive') timer = setTimeout(endRun, limitMs)
})

function endRun(): void {
  const running = readdirSync(notes).map((name) => `  ${readFileSync(join(notes, name), 'utf8')}\n`)
  const seconds = limitMs / 1000
  writeSync(
    2,
    `\nNo test has ended for ${seconds} seconds, so the run was ended. Running:\n${running.join('')}`,
  )
  rmSync(notes, { recursive: true, force: true })
  if (process.platform === 'win32') spawnSync('taskkill', ['/T', '/F', '/PID', String(pid)])
  for (const descendant of descendantsOf(pid)) kill(descendant)
  kill(pid)
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function descendantsOf(ancestor: number): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const found = [ancestor]
  for (const parent of found) {
    for (const [id = 0, of] of processes) if (of === parent) found.push(id)
  }
  return found.slice(1)
}
