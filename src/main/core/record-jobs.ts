/**
 * Makes everything about a job durable before it is shown: its acceptance, its progress and its end. Uses calls rather than events, because
 * callers must notice failed writes.
 */
import { readersOfAll } from '../../node/file-identity.ts'
import type { ServiceJob, JobList } from '../../shared/api/resources.ts'
import { resultsOf } from '../../shared/model/outcome.ts'
import type { PartAt, PartDetails } from '../../shared/model/job.ts'
import type { Fetched } from '../downloads/index.ts'
import type { History } from '../history/index.ts'
import type { JobEvent, Tracker } from '../jobs/index.ts'
import type { Acceptance, Submission } from '../outbox/index.ts'
import { fetchesResults } from './fetch-results.ts'
import type { Modules } from './modules.ts'

export type EndRecorder = ReturnType<typeof recordEnds>

/** @param onEnd called once per record, after its end has been written */
export function recordEnds(history: History, onEnd: (record: PartDetails) => void) {
  /** Records the end of a job, and calls `onEnd`. */
  function ended(...end: Parameters<History['recordOutcome']>): void {
    const [id] = end
    history.recordOutcome(...end)
    const record = history.details(id)
    if (record !== undefined) onEnd(record)
  }
  return {
    ended,
    /** Records the end of a job whose results have been downloaded or are no longer available. */
    fetched: ({ id, outcome, endedAt, results, problems, again }: Fetched): void => {
      history.recordResults(id, results, problems)
      // The end was already reported; this only adds a result that was missing.
      if (again) history.recordOutcome(id, outcome, endedAt)
      else ended(id, outcome, endedAt)
    },
  }
}

export type JobRecorder = ReturnType<typeof recordJobs>

/** @param keepsForeign returns whether to store jobs of other clients instead of only tracking them */
export function recordJobs(
  modules: Pick<Modules, 'history' | 'downloads' | 'connection' | 'aliases' | 'timing'>,
  ends: EndRecorder,
  keepsForeign: () => boolean,
) {
  const { history, downloads, connection, aliases, timing } = modules

  function record(event: JobEvent): void {
    if (event.kind === 'adopted') return history.forget(event.foreignId)
    const { id, jobId, title, job, from, outcome, startedAt, unaccounted } = event
    // The built-in service has reported the end itself.
    if (outcome !== null && (history.details(id)?.outcome ?? null) !== null) return
    if (from === null && title.origin === 'other' && keepsForeign()) {
      const { baseUrl, kind } = connection.view()
      history.recordForeign({ title, jobId, baseUrl, connection: kind ?? 'external' })
    }
    if (unaccounted.length > 0) {
      history.recordSkipped(id, [...(history.details(id)?.skipped ?? []), ...unaccounted])
    }
    if (job !== null) history.recordJob(id, job, startedAt)
    if (outcome === null) return
    const endedAt = event.endedAt ?? timing.clock()
    const isFetched = fetchesResults(modules, event, outcome, endedAt)
    if (!isFetched) ends.ended(id, outcome, endedAt)
  }

  /** Whether this is the service in use. The user may have chosen another service since the submission was sent. */
  function isInUse(kind: Acceptance['connection'] | null, baseUrl: string | null): boolean {
    const inUse = connection.view()
    return kind === inUse.kind && (kind === 'builtIn' || baseUrl === inUse.baseUrl)
  }

  /** The number of results of each canceled job in the list when they were last compared with its records. */
  const compared = new Map<string, number>()

  /** Records results that appear after a job was reported as canceled. The service may still finish the file in progress (section 3). */
  function recordLate(job: ServiceJob): void {
    const results = resultsOf(job)
    const key = `${job.jobId} ${job.createdAt}`
    if (job.status !== 'cancelled' || results.length === 0 || compared.get(key) === results.length) return
    let isEach = true
    for (const id of history.cancelledJobs(job)) {
      const record = history.details(id)
      if (record === undefined) continue
      if (record.endedAt === null || !isInUse(record.facts.service, record.facts.baseUrl)) {
        isEach = false
        continue
      }
      // Known results have the user's own names, which the service may not know.
      const known = new Map(record.results.map((result) => [result.outputPath, result]))
      const all = results.map((result) => known.get(result.outputPath) ?? result)
      if (all.length <= record.results.length) continue
      history.recordResults(id, all, record.problems)
      history.recordOutcome(id, { kind: 'cancelled', results: all.length }, record.endedAt)
    }
    if (isEach) compared.set(key, results.length)
  }

  return {
    record,
    /**
     * Stores the results of unfinished jobs, because the service may disappear before a job completes. Also stores results that a service
     * adds to a canceled job.
     */
    recordList(list: JobList, followed: readonly PartAt<'service'>[]): void {
      const records = new Map(followed.map((job) => [job.jobId, job]))
      for (const job of list.jobs) {
        const known = records.get(job.jobId)
        if (known !== undefined) history.recordJob(known.id, job, known.startedAt)
        else recordLate(job)
      }
    },
    /**
     * Writes the acceptance to the history, then starts tracking if its service is in use. Idempotent, because it may run twice for the
     * same acceptance after a crash.
     */
    recordAcceptance:
      (tracker: Pick<Tracker, 'follow'>) =>
      (submission: Submission, acceptance: Acceptance): Promise<void> => {
        const { id, title, plan } = submission
        if (acceptance.remote === true && plan.output.kind === 'folder') {
          const readers = readersOfAll(plan.items.map(({ identity }) => identity))
          downloads.expect(id, plan.output.path, { mount: plan.mount, readers })
        }
        // The preset may have been edited since the submission was planned.
        const presetHash = acceptance.connection === 'builtIn' ? acceptance.presetHash : plan.presetHash
        const onDisk = history.recordAcceptedSubmission({ title, plan: { ...plan, presetHash } }, acceptance)
        if (!isInUse(acceptance.connection, acceptance.baseUrl)) return onDisk
        const { jobId, createdAt = null, skipped, acceptedAt, remote = false } = acceptance
        tracker.follow({
          title,
          jobId,
          skipped,
          acceptedAt,
          inputs: plan.items.map(({ path }) => path),
          remote,
          names: aliases.namesOf(id),
          jobCreatedAt: createdAt,
        })
        return onDisk
      },
  }
}
