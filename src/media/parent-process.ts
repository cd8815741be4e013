/** A worker's connection to its parent: frames on stdin and on descriptor 3. stdin closes when the worker should exit. */
import { Socket } from 'node:net'
import { messageOf } from '../node/errors.ts'
import { exitWhenTooLarge } from '../node/memory-limit.ts'
import { createFrameReader, frameOf } from '../node/message-frames.ts'
import { createPauseGate } from '../node/pause-gate.ts'
import { FailureError } from '../shared/failure/failure-error.ts'
import { failure } from '../shared/failure/failure.ts'
import { lowerPriority } from './lower-priority.ts'
import {
  type Ask,
  DoesNotFit,
  type InputOf,
  type RequestName,
  type ProcessingProgress,
  type ResultOf,
  type ToWorker,
} from './protocol.ts'
import type { FromWorker } from './worker-answers.ts'

/** File descriptor for messages to the parent. stdout isn't used, because a library may print to it. */
const TO_PARENT = 3

/**
 * Receives the parent's messages. This process exits when it uses too much memory, or when the parent exits or closes stdin.
 * @returns a function that sends a message
 */
export function connectToParent(onMessage: (message: unknown) => void): (message: object) => void {
  exitWhenTooLarge()
  // Ctrl-C, a logoff and service managers signal all processes. The parent decides what happens to its work.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const toParent = new Socket({ fd: TO_PARENT, readable: false, writable: true })
  // A write fails only if the parent has exited, so there is no one to notify.
  toParent.on('error', () => undefined)
  process.stdin.on('data', createFrameReader(onMessage))
  process.stdin.on('close', () => process.exit(0)).on('error', () => undefined)
  return (message) => {
    toParent.cork()
    for (const part of frameOf(message)) toParent.write(part)
    toParent.uncork()
  }
}

export type RequestContext = {
  readonly signal: AbortSignal
  readonly pause: Omit<ReturnType<typeof createPauseGate>, 'hold'>
  readonly onProgress: (progress: ProcessingProgress) => void
}
export type RequestHandlers = {
  readonly [Name in RequestName]: (
    input: InputOf<Name>,
    context: RequestContext,
  ) => ResultOf<Name> | Promise<ResultOf<Name>>
}

export function serveParent(handlers: Partial<RequestHandlers>): void {
  // The parent is trusted and has the same version.
  const send = connectToParent((message) => receive(message as ToWorker))
  const answer = (message: FromWorker) => send(message)
  const stopping = new Map<number, AbortController>()
  const pause = createPauseGate()

  function receive(message: ToWorker): void {
    switch (message.kind) {
      case 'ask':
        return void carryOut(message)
      case 'cancel':
        return stopping.get(message.id)?.abort(new Error('The task was stopped.'))
      case 'hold':
        return pause.hold(message.isHeld)
      case 'stepBack':
        return lowerPriority(message.step)
    }
  }

  async function carryOut<Name extends RequestName>({ id, name, input }: Ask<Name>): Promise<void> {
    const stop = new AbortController()
    stopping.set(id, stop)
    const onProgress = (progress: ProcessingProgress) => answer({ id, kind: 'progress', progress })
    try {
      const result = await handlers[name]?.(input, { signal: stop.signal, pause, onProgress })
      answer({ id, kind: 'done', result })
    } catch (error) {
      answer({ id, kind: 'failed', ...described(error) })
    }
    stopping.delete(id)
  }
}

/** Maximum length of a library message in characters. A message may quote a whole file. */
const LONGEST_WORDS = 4_000

function described(error: unknown): Omit<Extract<FromWorker, { readonly kind: 'failed' }>, 'id' | 'kind'> {
  if (error instanceof FailureError) {
    const { cause } = error
    return {
      failure: error.failure,
      detail: cause instanceof Error ? cause.message : undefined,
      least: error instanceof DoesNotFit ? error.least : undefined,
    }
  }
  const words = messageOf(error)
  return {
    failure: failure('fileUnexpected', { detail: words.slice(0, LONGEST_WORDS) }),
    detail: error instanceof Error ? error.stack : undefined,
  }
}
