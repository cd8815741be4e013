/**
 * A reporter that ends a run in which no test ends anymore, and names the tests that were running. A test's own time limit can't end one
 * that keeps its process busy, or whose failure takes too long to report.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Reporter } from 'vitest/node'

/** Longer than the time limit of a test, which names it too. */
const LIMIT_MS = 8 * 60_000
const MONITOR = new URL('./monitor.ts', import.meta.url)

export type Beat = 'alive' | 'ended'
export type Monitored = { readonly limitMs: number; readonly pid: number; readonly notes: string }

export default class Watchdog implements Reporter {
  #monitor: Worker | undefined
  #notes = ''

  onTestRunStart(): void {
    this.#notes = mkdtempSync(join(tmpdir(), 'mediatray-running-'))
    // The processes of the tests inherit it.
    process.env['MEDIATRAY_RUNNING_TESTS'] = this.#notes
    const limitMs = Number(process.env['MEDIATRAY_WATCHDOG_MS'] ?? LIMIT_MS)
    const workerData: Monitored = { limitMs, pid: process.pid, notes: this.#notes }
    this.#monitor = new Worker(MONITOR, { workerData })
    // A process whose run has ended may exit.
    this.#monitor.unref()
    this.#send('alive')
  }

  onTestCaseResult(): void {
    this.#send('alive')
  }

  onTestModuleEnd(): void {
    this.#send('alive')
  }

  onTestRunEnd(): void {
    this.#send('ended')
    rmSync(this.#notes, { recursive: true, force: true })
  }

  #send(beat: Beat): void {
    this.#monitor?.postMessage(beat)
  }
}
