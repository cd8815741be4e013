/**
 * Measures the results of each job when it ends, because users may move or delete them later. Results that replaced originals are measured
 * again after each undo. Creates the ledger's entries at the same time. A record stays marked until its measurement is written, so that a
 * crash can't lose it.
 */
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../node/errors.ts'
import { forEachLimited } from '../../node/limited.ts'
import { wholeMs } from '../../node/whole-ms.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { baseName } from '../../shared/paths.ts'
import {
  failedInputs,
  type History,
  type LedgerResult,
  type Measurement,
  type NewLedgerRow,
} from '../history/index.ts'
import { dateIn, externalPresetKey, hashContent, isSameFile, printFile } from '../ledger/index.ts'
import { mayNeedAlias, type Aliases } from '../aliases/index.ts'
import { isVaultOutput, type Vault } from '../vault/index.ts'
import { folderOf, type FileAccess } from './file-access.ts'
import type { Modules } from './modules.ts'
import { isPending } from './replace-originals.ts'

type MeasuringDeps = Pick<Modules, 'events' | 'timing' | 'log'> & {
  readonly aliases: Pick<Aliases, 'sweepThen'>
  readonly history: Pick<History, 'unmeasured' | 'details' | 'sending' | 'recordMeasured'>
  readonly access: Pick<FileAccess, 'toResult'>
  readonly vault: Pick<Vault, 'contentsOf'>
}

/** Tolerated difference in ms between this computer's clock and that of the disk with the results. */
const CLOCK_SLACK_MS = 60_000

export type Measuring = ReturnType<typeof measureResults>

export function measureResults(deps: MeasuringDeps) {
  const { events, history, aliases, log } = deps
  let measuring: Promise<void> | undefined

  async function measureAll(): Promise<void> {
    for (let last: RecordId | undefined; ;) {
      const [id] = history.unmeasured()
      // If a measurement couldn't be written, try again after the next change.
      if (id === undefined || id === last) return
      let hasChanged = false
      const work = async () => {
        hasChanged = !(await measureOne(id))
      }
      // Removing an alias changes its original's ctime. Compute the print after the removal, and store it before the next one.
      await (history.details(id)?.inputs.some(mayNeedAlias) === true ? aliases.sweepThen(work) : work())
      if (!hasChanged) last = id
    }
  }

  /** Measures one record. @returns false if a result was moved in the meantime. The record must then be measured again */
  async function measureOne(id: RecordId): Promise<boolean> {
    const record = history.details(id)
    // Measure results that replace originals only after the replacement.
    const isReady = record !== undefined && !isPending(record)
    const measurement = isReady ? await measurementOf(record, deps) : NOTHING
    // A result that was moved in the meantime may have been missed.
    if (isReady && !isDeepStrictEqual(history.details(id)?.results, record.results)) return false
    history.recordMeasured(id, measurement)
    return true
  }

  function measure(): void {
    measuring ??= measureAll()
      .catch((error: unknown) => log('results not measured', { error: messageOf(error) }))
      .finally(() => {
        measuring = undefined
      })
  }

  async function now(): Promise<void> {
    // Measure again, because a running pass may have missed the newest record.
    await measuring
    measure()
    await measuring
  }

  const stops = [events.on('partFinished', measure), events.on('historyChanged', measure)]
  return {
    /** Resolves when all records that have finished so far are measured, including those from earlier processes. */
    now,
    /** Stops measuring, and resolves when the pending measurements are in the history. */
    stop(): Promise<void> {
      for (const stop of stops) stop()
      return now()
    },
  }
}

const NOTHING: Measurement = { sizes: [], resultBytes: null, entries: [] }

type FoundResult = {
  readonly result: LedgerResult
  readonly print: string | undefined
  /** Identity of the file, equal for two paths to the same file. */
  readonly file: string
}

async function measurementOf(record: PartDetails, deps: MeasuringDeps): Promise<Measurement> {
  const { output, results } = record
  if (output?.kind !== 'folder' || results.length === 0) return NOTHING
  const paths = [...new Set(results.map(({ outputPath }) => outputPath))]
  const originals = new Set(record.replaced === null ? await filesAt(record.inputs) : [])
  // Check contents, because results that replaced originals are measured again after each undo, when their paths may lead to other files.
  const contents = isVaultOutput(output.path) ? deps.vault.contentsOf(output.path) : undefined
  const found = new Map<string, FoundResult>()
  await forEachLimited(paths, async (path) => {
    const result = await lookAt(path, folderOf(record, path, output.path), deps)
    if (result === undefined || originals.has(result.file)) return
    if (contents === undefined || isInVault(path) || (await hasContent(result, contents.get(path))))
      found.set(path, result)
  })
  const ofInput = resultsByInput(record, found)
  const sizes = [...ofInput].map(([{ path, size: input }, own]) => ({
    path,
    input,
    results: sumOfSizes(own),
  }))
  return {
    sizes,
    // A partial sum would be misleading.
    resultBytes: found.size === paths.length ? sumOfSizes(uniqueFiles([...found.values()])) : null,
    entries: await entriesOf(record, found, ofInput, deps),
  }
}

async function hasContent(
  { print, result: { path } }: FoundResult,
  sha256: string | undefined,
): Promise<boolean> {
  if (print === undefined || sha256 === undefined) return false
  const content = await hashContent(path, print, { clock: () => Number.POSITIVE_INFINITY })
  return content !== undefined && Buffer.from(content).toString('hex') === sha256
}

const uniqueFiles = (found: readonly FoundResult[]): readonly FoundResult[] => [
  ...new Map(found.map((one) => [one.file, one])).values(),
]

const sumOfSizes = (found: readonly FoundResult[]): number =>
  found.reduce((sum, { result }) => sum + result.size, 0)

async function filesAt(items: readonly MediaItem[]): Promise<readonly string[]> {
  const files: string[] = []
  await forEachLimited(items, async ({ path }) => {
    const stats = await stat(path, { bigint: true }).catch(() => undefined)
    if (stats !== undefined) files.push(fileOf(stats))
  })
  return files
}

const fileOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`

/**
 * Measures a result. Returns undefined if the file can't be accessed, for example because it is on another computer, deleted or outside the
 * folder.
 */
async function lookAt(
  path: string,
  folder: string,
  { access }: MeasuringDeps,
): Promise<FoundResult | undefined> {
  const allowed = await access.toResult(path, folder)
  if (allowed.kind !== 'allowed') return undefined
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  if (stats === undefined) return undefined
  const result = { path, size: Number(stats.size), mtime: wholeMs(stats.mtimeNs) }
  // The service has finished writing the result, even if that was just now.
  const print = (await printFile(path, () => Number.POSITIVE_INFINITY))?.print
  return { result, print, file: fileOf(stats) }
}

/**
 * Returns the results of each input whose results were all found. Leaves out inputs with a problem, inputs with the same name, and inputs
 * that share a result, because the service may be wrong.
 */
function resultsByInput(
  record: PartDetails,
  found: ReadonlyMap<string, FoundResult>,
): ReadonlyMap<MediaItem, readonly FoundResult[]> {
  const failed = new Set(failedInputs(record))
  const claims = new Map<string, Set<MediaItem>>()
  const claimed = claimedPaths(record)
  for (const [item, paths] of claimed)
    for (const path of paths) {
      const file = found.get(path)?.file
      if (file !== undefined) claims.set(file, (claims.get(file) ?? new Set()).add(item))
    }
  const ofInput = new Map<MediaItem, readonly FoundResult[]>()
  for (const [item, paths] of claimed) {
    const own = paths.flatMap((path) => found.get(path) ?? [])
    const isWhole = own.length === paths.length && own.every(({ file }) => claims.get(file)?.size === 1)
    if (isWhole && !failed.has(item)) ofInput.set(item, uniqueFiles(own))
  }
  return ofInput
}

/** Returns the paths that the service named for each input. Leaves out paths that could belong to several inputs with the same name. */
export function claimedPaths({ inputs, results }: PartDetails): ReadonlyMap<MediaItem, readonly string[]> {
  const named = new Map<string, MediaItem | null>()
  for (const item of inputs) {
    named.set(item.path, item)
    const name = item.name.normalize('NFC')
    named.set(name, named.has(name) ? null : item)
  }
  const [only] = inputs.length === 1 ? inputs : []
  const claimed = new Map<MediaItem, string[]>()
  for (const { file, outputPath } of results) {
    const item = only ?? named.get(file) ?? named.get(baseName(file).normalize('NFC'))
    if (item === undefined || item === null) continue
    claimed.set(item, [...(claimed.get(item) ?? []), outputPath])
  }
  return claimed
}

/** Maps each result's path to its original's path. Omits results whose originals aren't known. */
export const originalsByResult = (part: PartDetails): ReadonlyMap<string, string> =>
  new Map([...claimedPaths(part)].flatMap(([item, paths]) => paths.map((path) => [path, item.path] as const)))

/**
 * Returns the new entries of the ledger. Skips originals that lack results or have changed since they were submitted, results that have
 * changed since the job ended, and jobs whose preset may have changed. A wrong entry would hide a file that still needs processing.
 */
async function entriesOf(
  record: PartDetails,
  found: ReadonlyMap<string, FoundResult>,
  ofInput: ReadonlyMap<MediaItem, readonly FoundResult[]>,
  deps: MeasuringDeps,
): Promise<readonly NewLedgerRow[]> {
  const { id, preset: presetName, variations, endedAt } = record
  const preset = presetKeyOf(record, deps)
  if (preset === undefined || endedAt === null) return []
  const common = { preset, presetName, variations, recordId: id, at: endedAt }
  const entries: NewLedgerRow[] = []
  // A result may have inherited its original's date, which may be in the future.
  const dates = new Set(record.inputs.flatMap(({ print }) => (print === undefined ? [] : dateIn(print))))
  const isAsMade = ({ result: { mtime } }: FoundResult) =>
    mtime <= endedAt + CLOCK_SLACK_MS || dates.has(mtime) || mtime > deps.timing.clock() + CLOCK_SLACK_MS
  for (const one of uniqueFiles([...found.values()])) {
    const { result, print } = one
    if (print === undefined || !isAsMade(one)) continue
    entries.push({ ...common, path: result.path, print, size: result.size, role: 'result', results: [] })
  }
  await forEachLimited([...ofInput], async ([item, made]) => {
    if (!made.every(isAsMade)) return
    const now = await printFile(item.path, deps.timing.clock)
    if (item.print === undefined || now === undefined || made.length !== variations) return
    // Creating and removing an alias has changed the file's ctime.
    const isSame = mayNeedAlias(item) ? isSameFile(now.print, item.print) : now.print === item.print
    if (!isSame) return
    const results = made.map(({ result }) => result)
    entries.push({ ...common, path: item.path, ...now, role: 'input', results })
  })
  return entries
}

/** Returns the key of a record's preset; undefined if it isn't certain which settings the service used. */
function presetKeyOf(
  { id, preset, facts }: PartDetails,
  { history }: Pick<MeasuringDeps, 'history'>,
): string | undefined {
  if (facts.service === 'external') return externalPresetKey(facts.baseUrl, preset)
  // The record of an interrupted job's completed files doesn't name a service. Only the built-in service's jobs are divided like that.
  return history.sending(id).presetHash
}
