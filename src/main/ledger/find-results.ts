/** Finds files that are results of earlier jobs, by their paths. Reads only files whose ctime has changed, so it takes little time. */
import { forEachLimited } from '../../node/limited.ts'
import type { DoneFile } from '../../shared/model/done-files.ts'
import type { LedgerRow } from '../history/index.ts'
import type { DoneQuestion, FindDoneDeps, FindDoneOptions } from './find-done.ts'
import { hashContent } from './hash-content.ts'
import { isSameFile, printFile } from './print.ts'

/** @returns the files that are results of one of the presets, in order; incomplete if the signal aborts */
export async function findResults(
  { history: { ledger }, clock }: FindDoneDeps,
  { items, presets, keys }: Pick<DoneQuestion, 'items' | 'presets' | 'keys'>,
  { signal }: Pick<FindDoneOptions, 'signal'> = {},
): Promise<readonly DoneFile[]> {
  const found: (DoneFile | undefined)[] = []
  await forEachLimited(
    items,
    async ({ path, kind }, index) => {
      const wanted = new Map(presets[kind].map((preset) => [keys(preset), preset]))
      const results = ledger.at(path).filter(({ role, preset }) => role === 'result' && wanted.has(preset))
      if (results.length === 0) return
      const printed = await printFile(path, clock)
      if (printed === undefined) return
      const result =
        results.find(({ print }) => print === printed.print) ??
        (await firstWithContent(
          results.filter(({ print }) => isSameFile(print, printed.print)),
          () =>
            ledger.cachedContent(path, printed.print) ?? hashContent(path, printed.print, { clock, signal }),
        ))
      if (result === undefined) return
      const { presetName: preset, at } = result
      const resultOf = { preset, at }
      const presetsDone = [wanted.get(result.preset) ?? null]
      found[index] = { path, size: printed.size, presets: presetsDone, isDone: true, at, resultOf }
    },
    { signal },
  )
  return found.filter((file) => file !== undefined)
}

/**
 * Returns the row with the file's content. An edit may keep the size, the date and the inode. If the content of a row was never hashed, it
 * can't be compared, and the file counts as edited.
 */
async function firstWithContent(
  rows: readonly LedgerRow[],
  read: () => Promise<Uint8Array | undefined> | Uint8Array,
): Promise<LedgerRow | undefined> {
  if (rows.every(({ content }) => content === null)) return undefined
  const now = await read()
  return rows.find(
    ({ content }) => content !== null && now !== undefined && Buffer.compare(content, now) === 0,
  )
}
