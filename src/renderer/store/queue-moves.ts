/** Moves waiting jobs. Jobs can be moved until a service accepts them, and only among jobs for the same service. */
import { effect } from '@preact/signals'
import type { Job } from '../../shared/model/job.ts'
import { idOf, stateOf, titleOf } from '../../shared/model/job-state.ts'
import { jobName } from '../../shared/i18n/names.ts'
import type { App } from './app.ts'

export const canMove = (job: Job): boolean => stateOf(job) === 'waiting'

/** Returns this job and the jobs that it can change places with, in the order in which they run. */
export const movableWith = (app: App, job: Job): readonly Job[] =>
  app.jobs.value.filter((one) => canMove(one) && titleOf(one).service === titleOf(job).service)

const indexIn = (jobs: readonly Job[], job: Job): number => jobs.findIndex((one) => idOf(one) === idOf(job))

/** Whether a job can be moved up (-1) or down (1). */
export function canMoveBy(app: App, job: Job, by: -1 | 1): boolean {
  const jobs = movableWith(app, job)
  const at = indexIn(jobs, job)
  return at !== -1 && jobs[at + by] !== undefined
}

/** A chain of moves. Each starts when the list shows the previous one, so that no repeated key press is lost. */
let moves = Promise.resolve()

export function moveBy(app: App, job: Job, by: -1 | 1): Promise<void> {
  moves = moves.then(async () => {
    if (!canMoveBy(app, job, by)) return
    const to = indexIn(movableWith(app, job), job) + by
    await moveTo(app, job, to)
    await shown(app, job, to)
  })
  return moves
}

/** How long to wait until the list shows a move, in ms. The service may have accepted the job in the meantime. */
const MOST_MS = 300

/** Resolves when the job has this index in `movableWith`, or after `MOST_MS`. */
function shown(app: App, job: Job, index: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MOST_MS)
  const stop = effect(() => {
    if (indexIn(movableWith(app, job), job) === index) resolve()
  })
  return promise.finally(() => {
    clearTimeout(timer)
    stop()
  })
}

/**
 * Moves a job and announces its new place.
 * @param to its new index in `movableWith`
 */
export async function moveTo(app: App, job: Job, to: number): Promise<void> {
  const jobs = movableWith(app, job)
  const at = indexIn(jobs, job)
  const turn = jobs[to]?.turn ?? null
  if (at === -1 || at === to || turn === null) return
  const before = jobs.toSpliced(at, 1)[to]
  const move = { id: idOf(job), before: before === undefined ? null : idOf(before) }
  if (!(await app.succeeds(app.bridge.outbox.moveBefore(move)))) return
  const t = app.t.value
  const title = titleOf(job)
  const name = jobName({ ...title, files: 1 }, t)
  const count = title.driveInput === null ? (title.files ?? 1) - 1 : 0
  app.announcer.say(
    t.announcements.moved({
      name: count > 0 ? t.announcements.andMore({ name, count }) : name,
      place: t.ordinal(turn.place),
      of: turn.of,
    }),
  )
}
