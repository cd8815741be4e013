/**
 * Sends requests to a worker process, which it starts on demand. If the process ends, only its own requests fail or are repeated, and the
 * next request starts a new process. Replaces a process that may not see a disk, because its sandbox was created before the disk was
 * mounted.
 */
import type * as z from 'zod'
import type { WorkerEnding } from '../node/child-process.ts'
import { wasEndedFromOutside } from '../node/ended-from-outside.ts'
import { ranOutOfMemory } from '../node/memory-limit.ts'
import { startStallLimit, type StallLimit } from '../node/stall-limit.ts'
import { failed, FailureError } from '../shared/failure/failure-error.ts'
import type { MediaKind } from '../shared/media-types.ts'
import type { Step } from './lower-priority.ts'
import {
  type Ask,
  DoesNotFit,
  type InputOf,
  type ProcessingProgress,
  type RequestName,
  type ResultOf,
} from './protocol.ts'
import type { WorkerProcess } from './start-worker.ts'
import { FromWorker, RESULTS } from './worker-answers.ts'

/** The process has ended without an answer. */
export class WorkerEnded extends Error {
  readonly ending: WorkerEnding
  constructor(ending: WorkerEnding) {
    super('A worker has ended.')
    this.ending = ending
  }
}

export type RequestOptions = {
  /** Stops the request, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Limits the time without progress for this kind of file. */
  readonly media?: MediaKind
  readonly onProgress?: (progress: ProcessingProgress) => void
  /** Called when the process has ended without an answer. The request is repeated or rejected after that. */
  readonly onEnded?: (ending: WorkerEnding) => Promise<void> | void
}

export type SuperviseOptions = {
  /** How long an idle process is kept, in ms; by default until it is discarded. */
  readonly idleMs?: number
  /**
   * How long a stopped request may take before its process is killed, in ms. The request rejects once no process uses its files.
   * By default, the process is killed and the request rejects immediately.
   */
  readonly graceMs?: number
  /**
   * Whether to repeat a request, once, after its process has ended this way. By default, true only if the process was ended from outside
   * and didn't run out of memory.
   */
  readonly repeats?: (ending: WorkerEnding) => boolean
  /** How often the time limit of a request is checked, in ms. */
  readonly tickMs?: number | undefined
}

export type SupervisedWorker = ReturnType<typeof superviseWorker>

type Request = {
  readonly name: RequestName
  readonly input: object
  readonly options: RequestOptions
  readonly limit: StallLimit | undefined
  /** Resolves the request and returns true unless the result is malformed. */
  readonly accept: (result: unknown) => boolean
  readonly reject: (why: unknown) => void
  child?: Child
  wasRepeated?: true
  stopped?: { readonly why: unknown }
}

type Child = {
  readonly worker: WorkerProcess
  readonly isFree: () => boolean
  readonly give: (request: Request) => void
  /** Stops a request. The process is killed if that takes too long. */
  readonly cancel: (request: Request) => void
  /** Lets the process exit, or kills it if that takes too long. */
  readonly end: () => void
  /** Kills the process and ignores any messages still on their way. */
  readonly kill: () => void
}

type ChildOptions = {
  /** How long a canceled request or the exit may take, in ms. */
  readonly patience: number
  readonly onFree: (child: Child) => void
  readonly onExit: (child: Child, unanswered: readonly Request[], ending: WorkerEnding) => void
}

function openChild(start: () => WorkerProcess, { patience, onFree, onExit }: ChildOptions): Child {
  const requests = new Map<number, Request>()
  let killing: NodeJS.Timeout | undefined
  let isKilled = false
  let lastId = 0

  function kill(): void {
    isKilled = true
    child.worker.kill()
  }
  function killLater(): void {
    killing ??= setTimeout(kill, patience)
  }
  const distrust = () => child.worker.kill('It sent a message that no worker of ours sends.')

  function receive(message: unknown): void {
    if (isKilled) return
    const { data } = FromWorker.safeParse(message)
    if (data === undefined) return distrust()
    const request = requests.get(data.id)
    // A decoder may report progress after its request has failed.
    if (request === undefined) return
    if (data.kind === 'progress') {
      request.limit?.progressed(data.progress.pixels)
      if (request.stopped === undefined) request.options.onProgress?.(data.progress)
      return
    }
    if (data.kind === 'failed') request.reject(request.stopped?.why ?? failureOf(data))
    else if (!request.accept(data.result)) return distrust()
    requests.delete(data.id)
    if (requests.size > 0) return
    clearTimeout(killing)
    killing = undefined
    onFree(child)
  }

  const child: Child = {
    worker: start(),
    isFree: () => requests.size === 0,
    give(request) {
      const { name, input } = request
      const id = ++lastId
      request.child = child
      requests.set(id, request)
      request.limit?.progressed()
      child.worker.send({ kind: 'ask', id, name, input } as Ask)
    },
    cancel(request) {
      for (const [id, asked] of requests) if (asked === request) child.worker.send({ kind: 'cancel', id })
      killLater()
    },
    end() {
      child.worker.terminate()
      killLater()
    },
    kill,
  }
  child.worker.onMessage(receive)
  void child.worker.ended.then((ending) => {
    clearTimeout(killing)
    onExit(child, [...requests.values()], ending)
  })
  return child
}

const SCHEMAS: { readonly [Name in RequestName]: z.ZodType<ResultOf<Name>> } = RESULTS

/** How long a process may take to exit, in ms. */
const EXIT_MS = 2_000

/** Returns whether the process was ended from outside without running out of memory, so its file isn't to blame. */
const wasInterrupted = (ending: WorkerEnding): boolean =>
  wasEndedFromOutside(ending) && !ranOutOfMemory(ending)

const failureOf = ({ failure: why, detail, least }: Extract<FromWorker, { readonly kind: 'failed' }>) =>
  least === undefined ? new FailureError(why, { cause: detail }) : new DoesNotFit(why, least)

export function superviseWorker(
  start: () => WorkerProcess,
  { idleMs, graceMs, repeats = wasInterrupted, tickMs }: SuperviseOptions = {},
) {
  /** All processes that haven't exited. Only `current` gets new requests. */
  const children = new Set<Child>()
  let current: Child | undefined
  const requests = new Set<Request>()
  let leaving: NodeJS.Timeout | undefined

  function running(): Child {
    clearTimeout(leaving)
    if (current?.isFree() === true && current.worker.mayMissDisk()) renew()
    if (current !== undefined) return current
    current = openChild(start, { patience: graceMs ?? EXIT_MS, onFree, onExit })
    children.add(current)
    return current
  }

  function onFree(child: Child): void {
    if (child !== current) return child.end()
    clearTimeout(leaving)
    if (idleMs !== undefined) leaving = setTimeout(renew, idleMs).unref()
  }

  function onExit(child: Child, unanswered: readonly Request[], ending: WorkerEnding): void {
    children.delete(child)
    if (current === child) current = undefined
    for (const request of unanswered) void afterEnd(request, ending)
  }

  async function afterEnd(request: Request, ending: WorkerEnding): Promise<void> {
    await request.options.onEnded?.(ending)
    const { stopped, wasRepeated, reject } = request
    if (stopped !== undefined) return reject(stopped.why)
    if (wasRepeated === true || !repeats(ending)) return reject(new WorkerEnded(ending))
    request.wasRepeated = true
    running().give(request)
  }

  /** Gives no further requests to the running process, which ends when it has answered its last one. */
  function renew(): void {
    clearTimeout(leaving)
    const earlier = current
    current = undefined
    if (earlier?.isFree() === true) earlier.end()
  }

  function kill(child: Child | undefined): void {
    if (current === child) current = undefined
    child?.kill()
  }

  /** Kills the process of a request. Rejects the request immediately if there is no grace period. */
  function giveUp(request: Request, why: unknown): void {
    request.stopped ??= { why }
    kill(request.child)
    if (graceMs === undefined) request.reject(why)
  }

  function stop(request: Request, why: unknown): void {
    if (graceMs === undefined) return giveUp(request, why)
    request.stopped ??= { why }
    request.child?.cancel(request)
  }

  /**
   * Repeats the request once if `repeats` allows that.
   * @throws FailureError with the worker's text for the log as its cause, DoesNotFit, WorkerEnded, the signal's reason, or Error after
   * `discard`
   */
  async function ask<Name extends RequestName>(
    name: Name,
    input: InputOf<Name>,
    options: RequestOptions = {},
  ): Promise<ResultOf<Name>> {
    const { signal, media } = options
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<ResultOf<Name>>()
    const tooLong = () => giveUp(request, failed('tookTooLong'))
    const limit = media && startStallLimit(media, tooLong, tickMs)
    function accept(result: unknown): boolean {
      const { success, data } = SCHEMAS[name].safeParse(result)
      if (success) resolve(data)
      return success
    }
    const request: Request = { name, input, options, limit, accept, reject }
    const onAbort = () => stop(request, signal?.reason)
    signal?.addEventListener('abort', onAbort)
    requests.add(request)
    running().give(request)
    try {
      return await promise
    } finally {
      requests.delete(request)
      limit?.stop()
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    prepare: (): void => {
      const child = running()
      if (child.isFree()) onFree(child)
    },
    ask,
    /** Pauses videos between two frames, or resumes them. */
    hold(isHeld: boolean): void {
      for (const { worker } of children) worker.send({ kind: 'hold', isHeld })
      for (const { limit } of requests) limit?.hold(isHeld)
    },
    /** Lowers the priority of the running processes permanently. */
    stepBack(step: Step): void {
      for (const { worker } of children) worker.send({ kind: 'stepBack', step })
    },
    renew,
    /** Kills all processes. Their requests reject. */
    discard: (): void => {
      clearTimeout(leaving)
      for (const request of requests) giveUp(request, new Error('The worker was ended.'))
      for (const child of children) kill(child)
    },
    /** Ends the process after its last request. Resolves when all processes have exited. */
    async close(): Promise<void> {
      renew()
      await Promise.all([...children].map(({ worker }) => worker.ended))
    },
  }
}
