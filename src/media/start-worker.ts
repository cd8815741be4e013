/** Starts workers with the limits and the priority that each kind needs. */
import {
  type ConfinedWorker,
  type ConfinedWorkerStart,
  startConfinedWorker,
} from '../node/confined-worker.ts'
import { WORKER_MEMORY } from '../node/memory-limit.ts'
import type { ToWorker, WorkerKind } from './protocol.ts'

/** A worker's process. `superviseWorker` checks what it sends. */
export type WorkerProcess = ConfinedWorker<ToWorker>
export type WorkerStart = Omit<ConfinedWorkerStart, 'args' | 'isBatch'>

const LIMITS: { readonly [Kind in WorkerKind]: Partial<ConfinedWorkerStart> } = {
  jobs: { isBatch: true },
  trials: { isBatch: true },
  thumbnails: { memory: WORKER_MEMORY.photo },
  previews: {},
}

export const startWorker = (kind: WorkerKind, start: WorkerStart): WorkerProcess =>
  startConfinedWorker({ ...LIMITS[kind], ...start, args: [kind] })
