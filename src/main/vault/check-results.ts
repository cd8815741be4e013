/**
 * Checks in a worker whether results may replace their originals. A result that crashes its decoder twice isn't good. If someone else ends
 * the worker, nothing is known about the result.
 */
import type { ResultCheck } from '../../media/protocol.ts'
import type { JobWorker } from '../../media/start-worker.ts'
import { HelperEnded, wasKilled } from '../../node/ended-from-outside.ts'
import { keepWorker } from '../../node/keep-worker.ts'
import { startStallLimit } from '../../node/stall-limit.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'

export type ResultChecker = {
  /**
   * Checks one result at a time.
   * @throws HelperEnded if the worker was ended twice without an answer, or the checker is closed
   */
  isGood(check: ResultCheck): Promise<boolean>
  close(): void
}

type Answer = 'good' | 'bad' | 'crashed' | 'ended' | 'closed'

/**
 * @param start starts a worker that can't write to any folder
 * @param tickMs how often the time limit of a check is checked, in ms
 */
export function createResultChecker(start: () => JobWorker, tickMs?: number): ResultChecker {
  let answer: ((answer: Answer) => void) | undefined
  let isClosed = false
  const queue = createSerialQueue(() => undefined)
  const worker = keepWorker(start, {
    onMessage(message) {
      if (message.kind !== 'progress') answer?.(message.kind === 'checked' && message.isGood ? 'good' : 'bad')
    },
    onExit: (ending) => answer?.(wasKilled(ending) ? 'ended' : 'crashed'),
  })

  async function askOnce(check: ResultCheck): Promise<Answer> {
    if (isClosed) return 'closed'
    const { promise, resolve } = Promise.withResolvers<Answer>()
    answer = resolve
    // A check reports no progress, even while it decodes a video at several positions.
    const stalled = (): void => {
      resolve('bad')
      worker.discard()
    }
    const limit = startStallLimit('video', stalled, tickMs)
    worker.send({ kind: 'check', check })
    const given = await promise
    limit.stop()
    return given
  }

  async function ask(check: ResultCheck): Promise<Answer> {
    const first = await askOnce(check)
    return first === 'crashed' || first === 'ended' ? askOnce(check) : first
  }

  return {
    async isGood(check) {
      let given: Answer = 'closed'
      await queue.next(async () => {
        given = await ask(check)
      })
      // Read through a function, because the compiler doesn't see the assignment above.
      return isGoodAfter(given)
    },
    close() {
      isClosed = true
      worker.discard()
      answer?.('closed')
      void queue.close()
    },
  }
}

function isGoodAfter(answer: Answer): boolean {
  if (answer === 'ended' || answer === 'closed')
    throw new HelperEnded('The check of a result has ended without an answer.')
  return answer === 'good'
}
