/** Sends a thousand submissions from the draft to the history, with the same durability as in the app. */
import { openAliases } from '../src/main/aliases/index.ts'
import { join } from 'node:path'
import { openHistory } from '../src/main/history/index.ts'
import { createSender, openOutbox, planDraft, type PlannedSubmission } from '../src/main/outbox/index.ts'
import { createStateStore } from '../src/main/state/state.ts'
import type { ServiceJob } from '../src/shared/api/resources.ts'
import type { Draft } from '../src/shared/model/draft.ts'
import { newJobId } from '../test/main/outbox/drafts.ts'
import { asRecordId } from '../src/shared/model/ids.ts'
import { succeeded } from '../src/shared/service-error.ts'
import { emptyState } from '../test/main/state/empty-state.ts'
import { cpuTime } from './measure.ts'
import { nextTick, type LongestTicks, type watchTicks } from './ticks.ts'

export const SUBMISSIONS = 1_000
const DAY_MS = 24 * 60 * 60 * 1000
const UNWATCHED: LongestTicks = { ms: 0, loopMs: 0, wallMs: 0 }

/** What is sent: drafts that are started one after another, and the number of submissions that they become. */
type Drafts = { readonly drafts: readonly Draft[]; readonly submissions: number }

/** @param waiting number of other submissions that stay in the outbox */
export async function sendAll(
  folder: string,
  waiting: number,
  watch: typeof watchTicks = () => () => UNWATCHED,
  { drafts, submissions }: Drafts = { drafts: singles, submissions: SUBMISSIONS },
) {
  const service = acceptingService()
  let ids = 0
  const open = () =>
    openOutbox({
      file: join(folder, 'outbox.db'),
      clock: Date.now,
      ids: () => asRecordId(`r${(ids += 1)}`),
    })
  const others = Array.from({ length: waiting }, (_, n) => plansOf(draftOf(SUBMISSIONS + n))).flat()
  const earlier = open()
  await earlier.enqueue(others, { notBefore: Date.now() + DAY_MS })
  earlier.close()
  const openRecords = () =>
    openHistory({ file: join(folder, 'history.db'), clock: Date.now, log: () => undefined })
  // Creates the history's file before measuring, because an app with ten thousand waiting submissions already has one.
  openRecords().close()

  const longestTicks = watch()
  const outbox = open()
  const history = openRecords()
  const { promise: allAccepted, resolve } = Promise.withResolvers<void>()
  let accepted = 0
  const sender = createSender({
    outbox,
    service: () => ({ api: service.api, kind: 'external', baseUrl: 'http://127.0.0.1/api', seesFiles: true }),
    blocked: () => null,
    isOwnJob: () => false,
    sizeOf: () => Promise.resolve(1),
    aliases: openAliases({
      folder: join(folder, 'staged'),
      isOpen: () => true,
      log: () => undefined,
      beforeLinkChange: () => Promise.resolve(),
    }),
    timing: {
      clock: Date.now,
      monotonic: () => performance.now(),
      after(ms, run) {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
      random: () => 0,
    },
    onAccepted(submission, acceptance) {
      accepted += 1
      if (accepted === submissions) resolve()
      return history.recordAcceptedSubmission(submission, acceptance)
    },
    onTrouble: (error) => console.error(error.message),
    onChange: () => state.setLater(entries),
    log: () => undefined,
  })

  // The app also computes its state once per event-loop tick.
  const state = createStateStore(emptyState)
  const entries = () => ({ outbox: sender.entries() })
  state.setLater(entries)
  // The app never sends in the tick in which it opens the files.
  await nextTick()

  const start = performance.now()
  const before = cpuTime()
  for (const draft of drafts) {
    history.recordSubmissions(await outbox.enqueue(plansOf(draft)))
    await nextTick()
  }
  sender.start()
  await allAccepted
  const wallMs = performance.now() - start
  const ms = cpuTime() - before

  const longest = longestTicks()
  await sender.stop(0)
  state.get()
  const lost = submissions - new Set(history.unfinished().map(({ jobId }) => jobId)).size
  outbox.close()
  history.close()
  return { ms, wallMs, created: service.created(), lost, longest }
}

function plansOf(draft: Draft): readonly PlannedSubmission[] {
  const facts = { presets: null, drive: null, seesFiles: true, manyFolders: true }
  const plan = planDraft(draft, facts, newJobId)
  if (!plan.ok) throw new Error('The draft could not be planned.')
  return plan.submissions
}

/** Five files in one folder. */
const itemsIn = (folder: number) =>
  Array.from({ length: 5 }, (_, m) => ({
    path: `/home/me/Pictures/${folder}/IMG_${m}.jpg`,
    name: `IMG_${m}.jpg`,
    kind: 'image' as const,
    size: 4_000_000,
  }))

const draftOf = (n: number): Draft => ({
  source: { kind: 'files', items: itemsIn(n) },
  rejected: [],
  presets: ['Web 2048'],
  presetFolders: true,
  output: { kind: 'folder', path: '/home/me/Pictures/Web' },
  variations: 1,
  grouping: 'together',
  done: 'again',
  editing: null,
})

/** Drafts that each become one submission. */
const singles: readonly Draft[] = Array.from({ length: SUBMISSIONS }, (_, n) => draftOf(n))

const FOLDERS = 200

/** 1,000 files in 200 folders, whose results go next to them: one job of 200 submissions. */
export const NEXT_TO_ORIGINALS: Drafts = {
  drafts: [
    {
      ...draftOf(0),
      source: { kind: 'files', items: Array.from({ length: FOLDERS }, (_, n) => itemsIn(n)).flat() },
      output: { kind: 'beside', subfolder: null },
    },
  ],
  submissions: FOLDERS,
}

/** A service that accepts every job in a separate event-loop tick and lists the last fifty. */
function acceptingService() {
  const jobs: ServiceJob[] = []
  let created = 0
  return {
    created: () => created,
    api: {
      async jobs() {
        await nextTick()
        return succeeded({ jobs: [...jobs], queueLength: 0, processing: false })
      },
      async createJob() {
        await nextTick()
        created += 1
        const jobId = `job-${created}`
        jobs.unshift({
          jobId,
          status: 'completed',
          type: 'batch',
          preset: 'Web 2048',
          progress: {},
          createdAt: new Date().toISOString(),
          startedAt: null,
          completedAt: null,
        })
        jobs.splice(50)
        return succeeded({
          jobId,
          status: 'queued' as const,
          inputFiles: 5,
          batchCount: 1,
          totalOperations: 5,
          skipped: [],
          position: 0,
          drive: null,
        })
      },
      upload: () => Promise.reject(new Error('This benchmark uploads nothing.')),
    },
  }
}
