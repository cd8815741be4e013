/** Holds jobs back in quiet mode: those in the outbox, and those that the built-in service has accepted. */
import { messageOf } from '../../node/errors.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import {
  pauseFor,
  RESUMED,
  sameWait,
  type PauseLength,
  type QuietView,
  type QuietWait,
} from '../../shared/model/quiet.ts'
import type { Zone } from '../../shared/time-window.ts'
import { needsUser } from '../outbox/index.ts'
import { createQuietMode, type ComputerWatch } from '../quiet/index.ts'
import type { Modules } from './modules.ts'

/** What quiet mode needs to know. A process without it never holds jobs back. */
export type QuietSources = { readonly computer: ComputerWatch; readonly zone: () => Zone }

type Needed = 'settings' | 'connection' | 'outbox' | 'tracker' | 'events' | 'timing' | 'log'

export type JobHolding = ReturnType<typeof holdWith>

export const holdJobs = (modules: Pick<Modules, Needed>, sources: QuietSources | undefined): JobHolding =>
  sources === undefined ? NEVER : holdWith(modules, sources)

function holdWith(modules: Pick<Modules, Needed>, sources: QuietSources) {
  const { settings, connection, outbox, tracker, events, timing, log } = modules
  const exempt = new Set(outbox.exempt.all())
  const tell = events.tell('quietChanged')
  const mode = createQuietMode({ settings, timing, ...sources, onChange: changed })
  let held = heldNow()
  steer()

  /** Whether the job is still pending: at the service, or in the outbox without needing the user's decision. */
  function isOpen(id: RecordId): boolean {
    const submission = outbox.get(id)
    if (submission === undefined) return tracker.jobs().some((job) => job.id === id)
    return !needsUser(submission)
  }

  /**
   * Returns why the built-in service is paused; null if it isn't. It isn't paused while a job is exempt, because it runs its jobs in order.
   */
  function heldNow(): QuietWait | null {
    const wait = mode.wait()
    if (wait === null || connection.view().kind !== 'builtIn') return null
    return [...exempt].some(isOpen) ? null : wait
  }

  function steer(): void {
    connection.steerBuiltIn({ hold: held !== null, lowPriority: settings.view().leaveRoom })
  }

  function update(): void {
    const before = held
    held = heldNow()
    mode.setBusy(tracker.jobs().length > 0 || outbox.listSoFar().submissions.length > 0)
    steer()
    if (!sameWait(before, held)) tell()
  }

  function changed(): void {
    try {
      update()
    } catch (error) {
      log('quiet mode not applied', { error: messageOf(error) })
    }
    tell()
  }

  for (const mayEndJobs of ['connectionChanged', 'settingsChanged', 'outboxChanged', 'jobsRead'] as const)
    events.on(mayEndJobs, update)

  /** Stores which jobs are exempt. If that fails, for example because the disk is full, they are exempt only until this process ends. */
  function keep(add: readonly RecordId[], remove: readonly RecordId[]): void {
    try {
      outbox.exempt.drop(...remove)
      outbox.exempt.add(...add)
    } catch (error) {
      log('jobs started anyway not stored', { error: messageOf(error) })
    }
  }

  function partsOf(id: RecordId): readonly RecordId[] {
    const jobs = tracker.jobs()
    const { place } = outbox.get(id)?.title ?? jobs.find((job) => job.id === id) ?? {}
    if (place === undefined) return [id]
    return [
      id,
      ...outbox.partsOf(place.id),
      ...jobs.filter((part) => part.place.id === place.id).map((part) => part.id),
    ]
  }

  const allOpen = (): readonly RecordId[] => [
    ...outbox.listSoFar().submissions.map(({ id }) => id),
    ...tracker.jobs().map(({ id }) => id),
  ]

  return {
    /** Returns why submissions wait; null if they don't. */
    wait: mode.wait,
    /** Jobs that run in quiet mode until they end, even after a restart. */
    exempt: exempt as ReadonlySet<RecordId>,
    /** Returns why the built-in service has paused its jobs; null if it hasn't. */
    held: (): QuietWait | null => held,
    view: (): QuietView => ({ wait: mode.wait(), abilities: mode.abilities() }),
    /** Exempts jobs with all their parts; null exempts all unfinished jobs. */
    startAnyway(ids: readonly RecordId[] | null): void {
      const ended = [...exempt].filter((one) => !isOpen(one))
      const started = ids === null ? allOpen() : ids.flatMap(partsOf)
      for (const one of ended) exempt.delete(one)
      for (const one of started) exempt.add(one)
      keep(started, ended)
      changed()
    },
    /** Pauses all jobs that aren't exempt. */
    pause: (length: PauseLength): void =>
      void settings.update(pauseFor(length, timing.clock(), sources.zone())),
    resume: (): void => void settings.update(RESUMED),
    /** Checks the conditions immediately. Call this when the computer has woken up. */
    check: mode.check,
    close: mode.close,
  }
}

const NEVER: JobHolding = {
  wait: () => null,
  exempt: new Set(),
  held: () => null,
  view: () => ({ wait: null, abilities: { battery: 'unknown', idle: false } }),
  startAnyway: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  check: () => undefined,
  close: () => undefined,
}
