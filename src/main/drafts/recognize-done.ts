/** Skips files that are already done, and records how to recognize the others when their jobs have ended. */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { forEachLimited } from '../../node/limited.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { DoneCheck } from '../ledger/index.ts'
import type { PlannedSubmission, PlanningFacts } from '../outbox/index.ts'
import { mayNeedAlias } from '../staging/index.ts'

/** Returns whether a file is already done with a preset, if the draft skips such files. */
export async function doneIn(
  draft: Draft,
  done: DoneCheck,
  target: string | undefined,
): Promise<PlanningFacts['isDone']> {
  if (draft.done === 'again' || draft.source.kind !== 'files') return undefined
  const found = await done.find(draft, { target })
  const presets = new Map(found.map((file) => [file.path, new Set(file.presets)]))
  return (path, preset) => presets.get(path)?.has(preset) === true
}

/** Adds the prints and folders of the files, and the hashes of the presets, to submissions. */
export async function recognizable(
  submissions: readonly PlannedSubmission[],
  done: DoneCheck,
): Promise<readonly PlannedSubmission[]> {
  const hashOf = await done.presetHashes()
  const all = await withRealFolders(await done.withPrints(submissions.flatMap(({ items }) => items)))
  let taken = 0
  return submissions.map((submission) => {
    const items = all.slice(taken, taken + submission.items.length)
    taken += items.length
    const presetHash = hashOf(submission.preset)
    return { ...submission, items, ...(presetHash === undefined ? {} : { presetHash }) }
  })
}

/** A folder that becomes a link to another one before the file is sent must not lead to another file. */
async function withRealFolders(items: readonly MediaItem[]): Promise<readonly MediaItem[]> {
  const folders = [...new Set(items.filter(mayNeedAlias).map(({ path }) => dirname(path)))]
  const real = new Map<string, string>()
  await forEachLimited(folders, async (folder) => {
    const found = await realpath(folder).catch(() => undefined)
    if (found !== undefined) real.set(folder, found)
  })
  return items.map((item) => {
    const realFolder = mayNeedAlias(item) ? real.get(dirname(item.path)) : undefined
    return realFolder === undefined ? item : { ...item, realFolder }
  })
}

/** Returns how many of the draft's files are in no submission because they are done. */
export function skippedIn(
  { source }: Draft,
  submissions: readonly PlannedSubmission[],
  leftOut: readonly unknown[],
): number {
  if (source.kind !== 'files') return 0
  const planned = new Set(submissions.flatMap(({ items }) => items.map(({ path }) => path)))
  return source.items.length - planned.size - leftOut.length
}
