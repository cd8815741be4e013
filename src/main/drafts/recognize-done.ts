/** Skips files that are already done, and records how to recognize the other files when their jobs have ended. */
import { openIdentified } from '../../node/file-identity.ts'
import { forEachLimited } from '../../node/limited.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { DoneCheck } from '../ledger/index.ts'
import type { PlannedSubmission, PlanningFacts } from '../outbox/index.ts'

/** Creates a function that checks whether a file is already done with a preset; undefined if the draft doesn't skip such files. */
export async function doneIn(
  draft: Draft,
  done: DoneCheck,
  { target }: { readonly target?: string | undefined },
): Promise<PlanningFacts['isDone']> {
  if (draft.done === 'again' || draft.source.kind !== 'files') return undefined
  // A photo that returns from an archive isn't processed again just because its results were moved, for example to an album.
  const mayBeMoved = draft.watched !== undefined && draft.output.kind !== 'replace'
  const found = await done.find(draft, { target, mayBeMoved })
  const presets = new Map(found.map((file) => [file.path, new Set(file.presets)]))
  return (path, preset) => presets.get(path)?.has(preset) === true
}

/** Adds the prints and identities of the files, and the hashes of the presets, to submissions. */
export async function recognizable(
  submissions: readonly PlannedSubmission[],
  done: DoneCheck,
): Promise<readonly PlannedSubmission[]> {
  const hashOf = await done.presetHashes()
  const all = await withIdentities(await done.withPrints(submissions.flatMap(({ items }) => items)))
  let taken = 0
  return submissions.map((submission) => {
    const items = all.slice(taken, taken + submission.items.length)
    taken += items.length
    const presetHash = hashOf(submission.preset)
    return { ...submission, items, ...(presetHash === undefined ? {} : { presetHash }) }
  })
}

/** Adds missing identities, for example to the files of a record that runs again. This accepts the files that are at their paths now. */
async function withIdentities(items: readonly MediaItem[]): Promise<readonly MediaItem[]> {
  const known = new Map<string, string>()
  const unknown = items.filter(({ identity }) => identity === undefined).map(({ path }) => path)
  await forEachLimited([...new Set(unknown)], async (path) => {
    // A file that can't be read is reported when it is sent.
    await using file = await openIdentified(path).catch(() => undefined)
    if (file !== undefined) known.set(path, file.identity)
  })
  return items.map((item) => ({ ...item, identity: item.identity ?? known.get(item.path) }))
}

/** Returns how many of the draft's files aren't in any submission because they are done. */
export function skippedIn(
  { source }: Draft,
  submissions: readonly PlannedSubmission[],
  leftOut: readonly unknown[],
): number {
  if (source.kind !== 'files') return 0
  const planned = new Set(submissions.flatMap(({ items }) => items.map(({ path }) => path)))
  return source.items.length - planned.size - leftOut.length
}
