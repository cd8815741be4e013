/**
 * Checks in a worker whether results may replace their originals. A result that crashes its decoder twice isn't good. If something else
 * kills the worker, the check fails without an answer.
 */
import type { ResultCheck } from '../../media/protocol.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import { superviseWorker, WorkerEnded } from '../../media/supervise-worker.ts'
import { HelperEnded, wasKilled } from '../../node/ended-from-outside.ts'
import { createTurns } from '../../node/serial-queue.ts'

/**
 * @param start starts a worker that can't write to any folder
 * @param tickMs how often the time limit of a check is checked, in ms
 */
export function createResultChecker(start: () => WorkerProcess, tickMs?: number) {
  const closing = new AbortController()
  const { signal } = closing
  const worker = superviseWorker(start, { repeats: () => true, tickMs })
  const inTurn = createTurns()

  async function ask(check: ResultCheck): Promise<boolean> {
    try {
      // A check doesn't report progress, even while it decodes a video at several positions.
      return await worker.ask('check', check, { signal, media: 'video' })
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof WorkerEnded && wasKilled(error.ending)) throw endedWithoutAnswer()
      return false
    }
  }

  return {
    /**
     * Checks one result at a time.
     * @throws HelperEnded if the worker was ended twice without an answer, or the checker is closed
     */
    isGood: (check: ResultCheck): Promise<boolean> => inTurn(() => ask(check)),
    close(): void {
      closing.abort(endedWithoutAnswer())
      worker.discard()
    },
  }
}

const endedWithoutAnswer = () => new HelperEnded('The check of a result has ended without an answer.')
