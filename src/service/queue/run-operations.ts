import type { MediaKind } from '../../shared/media-types.ts'
import type { Operation } from './job-plan.ts'

/**
 * Runs the operations of one job in order: several of one kind at once up to `parallelism`, never two kinds together,
 * and none any more once the signal is aborted. Ends when everything that was started has ended.
 * @param run must not reject: what becomes of one file is its own business
 */
export async function runOperations(
  operations: Iterable<Operation>,
  parallelism: (kind: MediaKind) => number,
  signal: AbortSignal,
  run: (operation: Operation) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let runningKind: MediaKind | undefined

  const mustWait = (kind: MediaKind) =>
    running.size > 0 && (runningKind !== kind || running.size >= parallelism(kind))

  for (const operation of operations) {
    while (mustWait(operation.input.kind)) await Promise.race(running)
    if (signal.aborted) break
    runningKind = operation.input.kind
    const task: Promise<void> = run(operation).finally(() => running.delete(task))
    running.add(task)
  }
  await Promise.all(running)
}
