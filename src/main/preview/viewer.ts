/**
 * The process that shows the effect of a recipe on a photo or a video. It handles one request at a time, and a newer request
 * replaces a waiting one. A running request is awaited if it decodes the same photo, because the newer one needs the pixels as
 * well. For another file or a video, the process is killed.
 */
import type { PreviewAnswer, PreviewRequest } from '../../media/protocol.ts'
import type { PreviewWorker } from '../../media/start-worker.ts'
import { wasEndedFromOutside } from '../../node/ended-from-outside.ts'
import { keepWorker } from '../../node/keep-worker.ts'
import { type StallLimit, startStallLimit } from '../../node/stall-limit.ts'
import { failure } from '../../shared/failure/failure.ts'
import {
  OVERTAKEN,
  type PreviewFailed,
  type PreviewOvertaken,
  UNKNOWN_FAILURE,
} from '../../shared/model/preview.ts'

type Unnumbered<Request> = Request extends unknown ? Omit<Request, 'id' | 'givesWay'> : never
type NotShown = PreviewFailed | PreviewOvertaken

export interface Viewer {
  /** Shows the result of a request. Never rejects. */
  show(request: Unnumbered<PreviewRequest>): Promise<PreviewAnswer | NotShown>
  /** Cancels all requests. The next request starts a new process. */
  end(): void
}

type Pending = {
  readonly request: PreviewRequest
  readonly resolve: (answer: PreviewAnswer | NotShown) => void
  /** Whether a process was ended from outside during this request. */
  wasInterrupted: boolean
}

/**
 * Whether to wait for a running request. The next request reuses a decoded photo, whereas a video would block it for a long time.
 */
const isWorthAwaiting = (running: PreviewRequest, { path }: Pick<PreviewRequest, 'path'>): boolean =>
  running.path === path && (running.kind === 'part' || running.kind === 'whole')

/** @param answer an answer of an unexpected kind */
export function notShown(answer: PreviewAnswer | NotShown): NotShown {
  if (answer.kind === 'failed') return { kind: 'failed', failure: answer.failure }
  return answer.kind === 'overtaken' ? answer : UNKNOWN_FAILURE
}

/**
 * @param isWorking whether jobs are being processed, which take priority
 * @param tickMs how often the time limit of a request is checked, in ms
 */
export function createViewer(start: () => PreviewWorker, isWorking: () => boolean, tickMs?: number): Viewer {
  let current: Pending | undefined
  let limit: StallLimit | undefined
  let waiting: Pending | undefined
  let nextId = 1
  const worker = keepWorker(start, {
    onMessage(answer) {
      if (current?.request.id === answer.id) settle(answer)
    },
    onExit(ending) {
      if (current === undefined || current.wasInterrupted || !wasEndedFromOutside(ending))
        return settle(UNKNOWN_FAILURE)
      current.wasInterrupted = true
      send(current)
    },
  })

  const send = ({ request }: Pending): void => worker.send({ ...request, givesWay: isWorking() })

  function next(): void {
    if (current !== undefined || waiting === undefined) return
    current = waiting
    waiting = undefined
    const isPhoto = current.request.kind === 'part' || current.request.kind === 'whole'
    limit = startStallLimit(isPhoto ? 'image' : 'video', giveUp, tickMs)
    send(current)
  }

  function settle(answer: PreviewAnswer | NotShown): void {
    const settled = current
    limit?.stop()
    current = undefined
    settled?.resolve(answer)
    next()
  }

  function giveUp(): void {
    worker.discard()
    settle({ kind: 'failed', failure: failure('tookTooLong') })
  }

  function drop(): void {
    worker.discard()
    settle(OVERTAKEN)
  }

  return {
    show(request) {
      waiting?.resolve(OVERTAKEN)
      const { promise, resolve } = Promise.withResolvers<PreviewAnswer | NotShown>()
      waiting = { request: { ...request, id: nextId++, givesWay: false }, resolve, wasInterrupted: false }
      if (current !== undefined && !isWorthAwaiting(current.request, waiting.request)) drop()
      else next()
      return promise
    },
    end() {
      waiting?.resolve(OVERTAKEN)
      waiting = undefined
      drop()
    },
  }
}
