/**
 * The process that shows the effect of a recipe on a photo or a video. It handles one request at a time, and a newer request
 * replaces a waiting one. A running request is awaited if it decodes the same photo, because the newer one needs the pixels as
 * well. For another file or a video, the process is killed.
 */
import type { InputOf, ResultOf } from '../../media/protocol.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import { superviseWorker } from '../../media/supervise-worker.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import {
  OVERTAKEN,
  type PreviewFailed,
  type PreviewOvertaken,
  UNKNOWN_FAILURE,
} from '../../shared/model/preview.ts'

type Name = 'part' | 'whole' | 'quality' | 'sample' | 'compare'
type Shown<N extends Name> = { readonly kind: 'shown'; readonly result: ResultOf<N> }
type NotShown = PreviewFailed | PreviewOvertaken

export type Viewer = ReturnType<typeof createViewer>

type Running = {
  readonly name: Name
  readonly path: string
  readonly stopping: AbortController
  readonly ended: Promise<unknown>
}

/**
 * Whether to wait for a running request. The next request reuses a decoded photo, whereas a video would block it for a long time.
 */
const isWorthAwaiting = (running: Running, path: string): boolean =>
  running.path === path && isPhoto(running.name)

const isPhoto = (name: Name): boolean => name !== 'sample' && name !== 'compare'

/**
 * @param isWorking whether jobs are being processed, which take priority
 * @param tickMs how often the time limit of a request is checked, in ms
 */
export function createViewer(start: () => WorkerProcess, isWorking: () => boolean, tickMs?: number) {
  const worker = superviseWorker(startViewer, { tickMs })
  let running: Running | undefined
  /** Counts requests. After the running request, only the newest one is carried out. */
  let newest = 0

  function startViewer(): WorkerProcess {
    const started = start()
    if (isWorking()) started.send({ kind: 'stepBack', step: 'half' })
    return started
  }

  async function carryOut<N extends Name>(
    name: N,
    input: InputOf<N>,
    signal: AbortSignal,
  ): Promise<Shown<N> | NotShown> {
    try {
      if (isWorking()) worker.stepBack('half')
      const media = isPhoto(name) ? 'image' : 'video'
      return { kind: 'shown', result: await worker.ask(name, input, { signal, media }) }
    } catch (error) {
      if (signal.aborted) return OVERTAKEN
      return error instanceof FailureError ? { kind: 'failed', failure: error.failure } : UNKNOWN_FAILURE
    } finally {
      running = undefined
    }
  }

  return {
    /** Carries out a request, unless a newer one replaces it. Never rejects. */
    async show<N extends Name>(name: N, input: InputOf<N>): Promise<Shown<N> | NotShown> {
      const mine = ++newest
      if (running !== undefined && !isWorthAwaiting(running, input.path)) running.stopping.abort()
      if (running !== undefined) await running.ended
      if (mine !== newest) return OVERTAKEN
      const stopping = new AbortController()
      const shown = carryOut(name, input, stopping.signal)
      running = { name, path: input.path, stopping, ended: shown }
      return shown
    },
    /** Cancels all requests. The next request starts a new process. */
    end(): void {
      newest++
      running?.stopping.abort()
      worker.discard()
    },
  }
}
