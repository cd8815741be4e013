/** Finds the files that earlier jobs have already processed with the same preset, and files that are results themselves. */
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { onceFor } from '../../shared/once.ts'
import { exists } from '../../node/exists.ts'
import { createTurns } from '../../node/serial-queue.ts'
import { wholeMs } from '../../node/whole-ms.ts'
import { mapLimited } from '../../node/limited.ts'
import type { DoneFile } from '../../shared/model/done-files.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { History, LedgerResult, LedgerRow } from '../history/index.ts'
import { hashContent } from './hash-content.ts'
import type { PresetKeys } from './preset-keys.ts'
import { isSameFile, type Printed, printFile } from './print.ts'

export type FindDoneDeps = {
  readonly history: Pick<History, 'ledger'>
  readonly clock: () => number
}

export type DoneQuestion = {
  readonly items: readonly MediaItem[]
  /** The presets that handle files of each kind; null stands for the basic defaults. */
  readonly presets: Readonly<Record<MediaItem['kind'], readonly (string | null)[]>>
  readonly keys: PresetKeys
  readonly variations: number
  /** Whether a file with the name and content of a processed file is done even if the results were moved or deleted. */
  readonly mayBeMoved?: boolean | undefined
  /** Whether an unfinished submission will process the file with this preset; by default, none will. */
  readonly isPending?: PendingCheck | undefined
}

/** @param print undefined if the file has none, for example because it was written just now */
export type PendingCheck = (path: string, preset: string | null, print: string | undefined) => boolean

export type FindDoneOptions = {
  readonly signal?: AbortSignal | undefined
  /** Called with the number of files compared so far. */
  readonly onProgress?: ((checked: number) => void) | undefined
}

/** Number of files compared at a time. Comparing one takes less than a millisecond of CPU time unless its content is read. */
const AT_ONCE = 32
const HASHING_LANES = 2

/**
 * Compares files with the ledger. Reads a file's content only if the ledger has another file of its size, and at most once.
 * @returns the files that are done or pending with any of the presets or are results, in order; incomplete if the signal aborts
 */
export async function findDone(
  deps: FindDoneDeps,
  question: DoneQuestion,
  { signal, onProgress }: FindDoneOptions = {},
): Promise<readonly DoneFile[]> {
  const contents = createContents(deps, signal)
  let checked = 0
  const found = await mapLimited(
    question.items,
    async (item) => {
      const done = await compare(item, question, deps, contents)
      checked += 1
      onProgress?.(checked)
      return done
    },
    { atOnce: AT_ONCE, signal },
  )
  return found.filter((file) => file !== undefined)
}

async function compare(
  item: MediaItem,
  { presets, keys, variations, mayBeMoved = false, isPending = () => false }: DoneQuestion,
  deps: FindDoneDeps,
  contents: Contents,
): Promise<DoneFile | undefined> {
  const { path, kind } = item
  const printed = await printFile(path, deps.clock)
  const wanted = presets[kind].map((preset) => ({ preset, key: keys(preset) }))
  const timesIn = (rows: readonly LedgerRow[]) =>
    Promise.all(
      wanted.map(({ key }) => doneAt(rows, key, variations, mayBeMoved ? basename(path) : undefined)),
    )
  let rows = printed === undefined ? [] : rowsAt(path, printed, deps)
  let times = await timesIn(rows)
  if (printed !== undefined && (wanted.length === 0 || times.includes(undefined))) {
    const more = await rowsOfContent(path, printed, rows, deps, contents)
    if (more.length > 0) {
      rows = [...rows, ...more]
      times = await timesIn(rows)
    }
  }
  const result = resultIn(rows)
  const at = Math.max(...times.map((time) => time ?? 0), 0)
  const pending = wanted
    .filter(({ preset }, index) => times[index] === undefined && isPending(path, preset, printed?.print))
    .map(({ preset }) => preset)
  if (at === 0 && result === undefined && pending.length === 0) return undefined
  const done = wanted.filter((_, index) => times[index] !== undefined).map(({ preset }) => preset)
  return {
    path,
    size: printed?.size ?? item.size,
    presets: done,
    isDone: wanted.length > 0 && done.length === wanted.length,
    at: at === 0 ? null : at,
    resultOf: result === undefined ? null : { preset: result.presetName, at: result.at },
    ...(pending.length === 0 ? {} : { pending, isPending: done.length + pending.length === wanted.length }),
  }
}

const rowsAt = (
  path: string,
  { print }: Printed,
  { history: { ledger } }: Pick<FindDoneDeps, 'history'>,
): readonly LedgerRow[] => ledger.at(path).filter((row) => row.print === print)

/** Returns rows with this file's content, at its own path or at others. */
async function rowsOfContent(
  path: string,
  printed: Printed,
  rows: readonly LedgerRow[],
  { history: { ledger } }: Pick<FindDoneDeps, 'history'>,
  contents: Contents,
): Promise<readonly LedgerRow[]> {
  const { print, size } = printed
  if (!ledger.hasSizeElsewhere(size, path, print)) return []
  await contents.hashRowsOfSize(size)
  const known = rows.find(({ content }) => content !== null)?.content
  const content = known ?? ledger.cachedContent(path, print) ?? (await contents.of(path, printed))
  if (content === undefined) return []
  const own = ledger
    .at(path)
    .filter((row) => row.content !== null && Buffer.compare(row.content, content) === 0)
  return [...own, ...contents.rowsOf(content)]
}

/**
 * Returns when a preset processed or created this content; undefined if it didn't, if it created fewer variations, or if the results are
 * gone or have changed.
 * @param name if a file with this name was processed, its results don't matter
 */
async function doneAt(
  rows: readonly LedgerRow[],
  key: string | undefined,
  variations: number,
  name: string | undefined,
): Promise<number | undefined> {
  const ofPreset = rows.filter(({ preset }) => preset === key)
  const inputs = ofPreset.filter(({ role }) => role === 'input')
  for (const row of inputs)
    if (row.variations >= variations && (basename(row.path) === name || (await areUnchanged(row.results))))
      return row.at
  // A kept original is equal to its result. The original is done only if that result still exists.
  return inputs.length > 0 ? undefined : ofPreset.find(({ role }) => role === 'result')?.at
}

async function areUnchanged(results: readonly LedgerResult[]): Promise<boolean> {
  const all = await Promise.all(
    results.map(async ({ path, size, mtime }) => {
      const found = await stat(path, { bigint: true }).catch(() => undefined)
      return found?.isFile() === true && Number(found.size) === size && wholeMs(found.mtimeNs) === mtime
    }),
  )
  return results.length > 0 && all.every(Boolean)
}

function resultIn(rows: readonly LedgerRow[]): LedgerRow | undefined {
  const isInput = (key: string) => rows.some(({ role, preset }) => role === 'input' && preset === key)
  return rows
    .filter(({ role, preset }) => role === 'result' && !isInput(preset))
    .toSorted((a, b) => b.at - a.at)[0]
}

type Contents = ReturnType<typeof createContents>

/** Reads a limited number of files at a time. */
function createContents({ history: { ledger }, clock }: FindDoneDeps, signal: AbortSignal | undefined) {
  const lanes = Array.from({ length: HASHING_LANES }, createTurns)
  let turn = 0
  async function inTurn<T>(work: () => Promise<T>): Promise<T | undefined> {
    turn += 1
    return await lanes[turn % HASHING_LANES]?.(work)
  }
  /** Hashes the files of ledger rows of this size that haven't been hashed, up to 200, once. */
  const hashRowsOfSize = onceFor((size: number) => inTurn(() => hashRows(size)))
  const rowsFound = new Map<string, readonly LedgerRow[]>()

  async function hashRows(size: number): Promise<void> {
    for (const row of ledger.pendingOfSize(size)) {
      if (signal?.aborted === true) return
      await hashRow(row, { ledger, clock, signal })
    }
  }

  return {
    /**
     * Returns a file's content hash and caches it; undefined if the file has changed or can't be read, or if the signal is aborted.
     */
    of: (path: string, { print }: Printed): Promise<Uint8Array | undefined> =>
      inTurn(async () => {
        const content = await hashContent(path, print, { clock, signal })
        if (content !== undefined) ledger.cacheContent(path, print, content)
        return content
      }),
    /** Returns the newest ledger rows with this content, and keeps them for the next file with the same content. */
    rowsOf: (content: Uint8Array): readonly LedgerRow[] => {
      const key = Buffer.from(content).toString('base64')
      const rows = rowsFound.get(key) ?? ledger.of(content)
      rowsFound.set(key, rows)
      return rows
    },
    hashRowsOfSize,
  }
}

type HashingDeps = Pick<History, 'ledger'> & {
  readonly clock: () => number
  readonly signal?: AbortSignal | undefined
}

/**
 * Adds the content's hash to a ledger row. Removes the row if its file has changed, has disappeared or can't be read, unless the whole
 * folder has disappeared.
 */
export async function hashRow(row: LedgerRow, { ledger, clock, signal }: HashingDeps): Promise<void> {
  const { path, print, id } = row
  const content = ledger.cachedContent(path, print) ?? (await hashContent(path, print, { clock, signal }))
  if (content !== undefined) ledger.putContent(row, content)
  else if (signal?.aborted !== true && (await exists(dirname(path)))) ledger.drop(id)
}

/**
 * Hashes a file whose content the ledger hasn't hashed, and keeps its rows. Call this before a change of the file's ctime that keeps its
 * content, for example a new link. Afterward, the change can't be distinguished from an edit.
 * @param path any of the file's paths
 */
export async function hashBeforeChange(path: string, { ledger, clock, signal }: HashingDeps): Promise<void> {
  const print = (await printFile(path, clock))?.print
  const rows = print === undefined ? [] : ledger.pendingWith(print)
  const [first] = rows
  if (first === undefined) return
  const content =
    ledger.cachedContent(first.path, first.print) ?? (await hashContent(path, first.print, { clock, signal }))
  if (content !== undefined) for (const row of rows) ledger.putContent(row, content)
}

/**
 * Finds files that are results of earlier jobs, by their paths. Reads only files whose ctime has changed, so it takes little time.
 * @returns the files that are results of one of the presets, in order; incomplete if the signal aborts
 */
export async function findResults(
  { history: { ledger }, clock }: FindDoneDeps,
  { items, presets, keys }: Pick<DoneQuestion, 'items' | 'presets' | 'keys'>,
  { signal }: Pick<FindDoneOptions, 'signal'> = {},
): Promise<readonly DoneFile[]> {
  const found = await mapLimited(
    items,
    async ({ path, kind }): Promise<DoneFile | undefined> => {
      const wanted = new Map(presets[kind].map((preset) => [keys(preset), preset]))
      const results = ledger.at(path).filter(({ role, preset }) => role === 'result' && wanted.has(preset))
      if (results.length === 0) return undefined
      const printed = await printFile(path, clock)
      if (printed === undefined) return undefined
      const result =
        results.find(({ print }) => print === printed.print) ??
        (await firstWithContent(
          results.filter(({ print }) => isSameFile(print, printed.print)),
          () =>
            ledger.cachedContent(path, printed.print) ?? hashContent(path, printed.print, { clock, signal }),
        ))
      if (result === undefined) return undefined
      const { presetName: preset, at } = result
      const resultOf = { preset, at }
      const presetsDone = [wanted.get(result.preset) ?? null]
      return { path, size: printed.size, presets: presetsDone, isDone: true, at, resultOf }
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
