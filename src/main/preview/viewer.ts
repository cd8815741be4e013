/**
 * The process that shows what a recipe does to a photo or a film. It does one thing at a time, so that a newer request takes the place
 * of one that still waits. A running one is awaited where it is about the same file, whose decoded pixels the newer one needs
 * as well; for another file, or while it works on a film, the process is ended.
 */
import type { PreviewAnswer, PreviewRequest } from '../../media/protocol.ts'
import type { PreviewWorker } from '../../media/start-worker.ts'

type Unnumbered<Request> = Request extends unknown ? Omit<Request, 'id' | 'givesWay'> : never
export type ViewerRequest = Unnumbered<PreviewRequest>

/** Overtaken by a newer request, or the process has ended on the way. */
export type ViewerEnd = { readonly kind: 'overtaken' } | { readonly kind: 'ended' }

export interface Viewer {
  /** Never rejects. */
  ask(request: ViewerRequest): Promise<PreviewAnswer | ViewerEnd>
  /** Everything asked for is overtaken; the next request starts a new process. */
  end(): void
}

type Asked = {
  readonly request: PreviewRequest
  readonly resolve: (answer: PreviewAnswer | ViewerEnd) => void
}

/** What is decoded of a photo serves the next request as well; a film would only be in the way for a long time. */
const isWorthAwaiting = (running: PreviewRequest, { path }: ViewerRequest): boolean =>
  running.path === path && (running.kind === 'part' || running.kind === 'whole')

const OVERTAKEN = { kind: 'overtaken' } as const

/** @param isWorking whether there are jobs that it has to give way to */
export function createViewer(start: () => PreviewWorker, isWorking: () => boolean): Viewer {
  let viewer: PreviewWorker | undefined
  let current: Asked | undefined
  let waiting: Asked | undefined
  let nextId = 1

  function next(): void {
    if (current !== undefined || waiting === undefined) return
    current = waiting
    waiting = undefined
    viewer ??= follow(start())
    viewer.send({ ...current.request, givesWay: isWorking() })
  }

  function settle(answer: PreviewAnswer | ViewerEnd): void {
    const settled = current
    current = undefined
    settled?.resolve(answer)
    next()
  }

  function follow(started: PreviewWorker): PreviewWorker {
    started.onMessage((answer) => {
      if (viewer === started && current?.request.id === answer.id) settle(answer)
    })
    started.onExit(() => {
      if (viewer !== started) return
      viewer = undefined
      settle({ kind: 'ended' })
    })
    return started
  }

  function drop(): void {
    const ended = viewer
    viewer = undefined
    ended?.kill()
    settle(OVERTAKEN)
  }

  return {
    ask(request) {
      waiting?.resolve(OVERTAKEN)
      const { promise, resolve } = Promise.withResolvers<PreviewAnswer | ViewerEnd>()
      waiting = { request: { ...request, id: nextId++, givesWay: false }, resolve }
      if (current !== undefined && !isWorthAwaiting(current.request, request)) drop()
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
