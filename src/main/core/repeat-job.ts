/** Prepares the draft that repeats a job, for the window, the command line and assistants. */
import { isDeepStrictEqual } from 'node:util'
import type { Draft } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Settings } from '../../shared/model/settings.ts'
import { placesIn } from '../../shared/model/watch-folder.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import type { JobScope } from '../../shared/model/job-sections.ts'
import { acceptAgain } from '../intake/index.ts'
import type { Core } from './core.ts'

export type Repeat = {
  /** Whether to repeat all files or only those without a result. */
  readonly which: 'all' | 'failed'
  readonly scope?: JobScope | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before any file is read. It may change the draft, or throw. */
  readonly check?: ((draft: Draft) => Promise<Draft>) | undefined
}

/**
 * Returns the draft that repeats a job. Uses the files that are now at the inputs' paths, because the user means those. Results of a
 * watched folder go to the folder's current output. If `which` is `failed`:
 * - Rejects originals to replace that the user has restored.
 * - Stops retrying failed downloads. They would duplicate the new results.
 *
 * If none of the repeated files has a result, assigns the job to its watched folder. Otherwise, the folder would also process these files.
 * @returns undefined if the job has no such files, or no longer exists
 */
export async function repeatJob(
  { history, downloads, replacing, settings }: Pick<Core, 'history' | 'downloads' | 'replacing' | 'settings'>,
  id: RecordId,
  { which, scope = 'job', signal, check = (draft) => Promise.resolve(draft) }: Repeat,
): Promise<Draft | undefined> {
  const made = history.draftFrom(id, which, scope)
  if (made === undefined) return undefined
  const record = history.jobDetails(id)
  const repeatsFailed =
    which === 'failed' || filesIn(history.draftFrom(id, 'failed', scope)) === filesIn(made)
  // A part can't belong to the folder, which processes its files with all presets.
  const isPart = scope === 'part' && (record?.place.presets ?? 1) > 1
  const watched = repeatsFailed && !isPart ? (record?.watched ?? undefined) : undefined
  const isInUse = settings.view().otherServices.some(({ service }) => service === record?.service)
  const service = isInUse ? record?.service : undefined
  const whole = { ...withPlaceNow(made, record, settings.view()), watched, service }
  const mayReplace = which === 'failed' && whole.output.kind === 'replace'
  const draft = mayReplace ? withoutRestored(whole, new Set(replacing.restored())) : whole
  const accepted = await acceptAgain(await check(draft), signal)
  if (which === 'failed') for (const part of history.wholeJob(id, scope)) downloads.giveUpFailed(part)
  return accepted
}

const filesIn = (draft: Draft | undefined): number =>
  draft?.source.kind === 'files' ? draft.source.items.length : 0

/**
 * Returns the draft with the watched folder's current output. Keeps the draft's output if the current one is uncertain or replaces
 * originals. The user may not want to replace the originals of an earlier job.
 */
function withPlaceNow(
  draft: Draft,
  record: PartDetails | undefined,
  { watchFolders, folderRules }: Settings,
): Draft {
  const folder = watchFolders.find((one) => one.id === record?.watched)
  const rules = folder && folderRules[folder.id]
  // Rules that can't be read may name this output.
  if (folder === undefined || rules === null || draft.output.kind !== 'folder') return draft
  const before = record?.chosen?.output ?? draft.output
  const [now, ...others] = placesIn(folder, rules)
  const isCertain = others.every((place) => isDeepStrictEqual(place, now))
  return now !== undefined && now.kind !== 'replace' && isCertain && !isDeepStrictEqual(now, before)
    ? { ...draft, output: now }
    : draft
}

function withoutRestored(draft: Draft, restored: ReadonlySet<string>): Draft {
  const { source } = draft
  if (source.kind !== 'files') return draft
  const rejected = source.items
    .filter(({ path }) => restored.has(path))
    .map(({ path, name }) => ({ path, name, reason: 'restored' }) as const)
  const items = source.items.filter(({ path }) => !restored.has(path))
  return { ...draft, source: { ...source, items }, rejected: [...draft.rejected, ...rejected] }
}
