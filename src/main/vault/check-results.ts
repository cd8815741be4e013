/** Checks in a worker whether results may replace their originals. A result that crashes a decoder isn't good. */
import type { ResultCheck } from '../../media/protocol.ts'
import type { JobWorker } from '../../media/start-worker.ts'
import { keepWorker } from '../../node/keep-worker.ts'
import { startStallLimit } from '../../node/stall-limit.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'

export type ResultChecker = {
  /** Checks one result at a time. */
  isGood(check: ResultCheck): Promise<boolean>
  close(): void
}

/**
 * @param start starts a worker that can't write to any folder
 * @param tickMs how often the time limit of a check is checked, in ms
 */
export function createResultChecker(start: () => JobWorker, tickMs?: number): ResultChecker {
  let answer: ((isGood: boolean) => void) | undefined
  const queue = createSerialQueue(() => undefined)
  const worker = keepWorker(start, {
    onMessage(message) {
      if (message.kind !== 'progress') answer?.(message.kind === 'checked' && message.isGood)
    },
    onExit: () => answer?.(false),
  })
  return {
    async isGood(check) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      await queue.next(async () => {
        answer = resolve
        // A check reports no progress, and a video is decoded in several places.
        const limit = startStallLimit('video', worker.kill, tickMs)
        worker.send({ kind: 'check', check })
        await promise
        limit.stop()
      })
      return promise
    },
    close() {
      worker.discard()
      answer?.(false)
      void queue.close()
    },
  }
}
