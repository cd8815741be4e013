/** Leaves out files that don't need another job, and reports them. */
import type { DoneFile } from '../../shared/model/done-files.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import type { Context } from './context.ts'
import { t } from './output/language.ts'
import { pendingFiles } from './pending-files.ts'
import { bringUpToDate, settled } from './reach-service.ts'

export type LeavingOut = {
  /**
   * `results` leaves out results of earlier jobs. `done` also leaves out files that jobs have processed or that submissions will process.
   */
  readonly what: 'done' | 'results'
  /** The paths of the files that the user named. They stay, even if they are results. */
  readonly named: ReadonlySet<string>
}

/** Compares and submits one draft at a time. Otherwise, two commands could submit the same file. */
const turns = createSerialQueue(() => undefined)

/**
 * Leaves out files before the command needs the service.
 * @returns undefined if nothing is left, or if the user interrupted the comparison
 */
export async function withoutDone(
  context: Context,
  draft: Draft,
  leaving: LeavingOut,
): Promise<Draft | undefined> {
  const { source } = draft
  if (source.kind !== 'files') return draft
  if (leaving.what === 'results' && source.items.every(({ path }) => leaving.named.has(path))) return draft
  if (leaving.what === 'done') {
    // A killed command may have left results that aren't in its record yet.
    await settled(context)
    await bringUpToDate(context)
  }
  return leftOf(context, draft, leaving)
}

/**
 * Repeats the comparison and submits the rest of a draft. Only one command does this at a time.
 * @param start submits a draft
 * @returns undefined if nothing is left, or if the user interrupted the comparison
 */
export async function startUndone<T>(
  context: Context,
  draft: Draft,
  leaving: LeavingOut,
  start: (left: Draft) => Promise<T>,
): Promise<T | undefined> {
  let started: T | undefined
  await context.waits.during({ reason: 'files', message: t().waits.otherCompares }, () =>
    turns.next(async () => {
      if (context.environment.interrupted.aborted) return
      const left = await leftOf(context, draft, leaving)
      started = left && (await start(left))
    }),
  )
  return started
}

async function leftOf(context: Context, draft: Draft, leaving: LeavingOut): Promise<Draft | undefined> {
  const { environment, report } = context
  const items = itemsOf(draft)
  const found = await compared(context, draft, leaving)
  if (environment.interrupted.aborted) return undefined
  const files = found.filter(isLeftOut)
  const paths = new Set(files.map(({ path }) => path))
  const left = items.filter(({ path }) => !paths.has(path))
  if (files.length > 0) report.say({ event: 'skipped', files, left: left.length })
  if (left.length === 0) return undefined
  const except = found.flatMap(({ path, presets, pending = [] }) =>
    paths.has(path)
      ? []
      : [...presets, ...pending].flatMap((preset) => (preset === null ? [] : [{ preset, path }])),
  )
  return {
    ...draft,
    source: { kind: 'files', items: left },
    ...(except.length === 0 ? {} : { except: [...(draft.except ?? []), ...except] }),
  }
}

/** Returns the files that are done or pending with any of the presets. A result counts as done with all of them. */
async function compared(
  context: Context,
  draft: Draft,
  { what, named }: LeavingOut,
): Promise<readonly DoneFile[]> {
  const { service, environment, waits, line } = context
  const items = itemsOf(draft)
  const options = { target: service.identity, signal: environment.interrupted }
  let checked = 0
  const explain = () =>
    ({ reason: 'files', message: t().waits.comparing({ count: checked, total: items.length }) }) as const
  return waits.during(explain, async () => {
    // Check pending files first: if a job ends after this line, the ledger contains it once its results are measured.
    const isPending = what === 'done' ? pendingFiles(context, draft.variations) : undefined
    await line.measured()
    const done =
      what === 'results'
        ? []
        : await line.done.find(draft, {
            ...options,
            isPending,
            onProgress: (count) => void (checked = count),
          })
    const known = new Set(done.filter(isLeftOut).map(({ path }) => path))
    const others = items.filter(({ path }) => !named.has(path) && !known.has(path))
    const results = await line.done.findResults(
      { ...draft, source: { kind: 'files', items: others } },
      options,
    )
    const paths = new Set(results.map(({ path }) => path))
    return [...done.filter(({ path }) => !paths.has(path)), ...results]
  })
}

const isLeftOut = ({ isDone, isPending }: DoneFile): boolean => isDone || isPending === true

const itemsOf = ({ source }: Draft) => (source.kind === 'files' ? source.items : [])
