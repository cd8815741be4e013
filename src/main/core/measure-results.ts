/**
 * Measures the results of a job once, when it ends, because users may move or delete them later. The same look at the files makes
 * the ledger's entries. A record stays marked until its measurement is written, so that a crash doesn't lose it.
 */
import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../node/errors.ts'
import { forEachLimited } from '../../node/limited.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'
import type { History, LedgerResult, Measurement, NewLedgerRow } from '../history/index.ts'
import { externalPresetKey, isSameFile, printFile, type PresetKeys } from '../ledger/index.ts'
import { mayNeedAlias, type Staging } from '../staging/index.ts'
import { folderOf, type FileAccess } from './file-access.ts'
import type { Modules } from './modules.ts'
import { isPending } from './replace-originals.ts'

type MeasuringDeps = Pick<Modules, 'events' | 'timing' | 'log'> & {
  readonly staging: Pick<Staging, 'namesOf' | 'sweep'>
  readonly history: Pick<History, 'unmeasured' | 'details' | 'sending' | 'recordMeasured'>
  readonly access: Pick<FileAccess, 'toResult'>
  readonly builtInKeys: () => Promise<PresetKeys>
}

/** Tolerated difference in ms between this computer's clock and that of the disk with the results. */
const CLOCK_SLACK_MS = 60_000

export type Measuring = {
  /** Resolves when the records that have finished so far are measured, including those of earlier processes. */
  readonly now: () => Promise<void>
  /** Stops measuring, and resolves when the pending measurements are in the history. */
  readonly stop: () => Promise<void>
}

/** Measures each record when it finishes. */
export function measureResults(deps: MeasuringDeps): Measuring {
  const { events, history, staging, log } = deps
  let measuring: Promise<void> | undefined

  async function measureAll(): Promise<void> {
    for (let last: RecordId | undefined; ;) {
      const [id] = history.unmeasured()
      // A record that couldn't be written is tried again after the next change.
      if (id === undefined || id === last) return
      const record = history.details(id)
      // Results that are going to replace originals are measured in their places.
      const isReady = record !== undefined && !isPending(record)
      // Removing an alias changes a time of its original, so the print is taken afterward.
      if (isReady && staging.namesOf(id).length > 0) await staging.sweep()
      const measurement = isReady ? await measurementOf(record, deps) : NOTHING
      // A result that was moved meanwhile may have been missed.
      if (isReady && !isDeepStrictEqual(history.details(id)?.results, record.results)) continue
      history.recordMeasured(id, measurement)
      last = id
    }
  }

  function measure(): void {
    measuring ??= measureAll()
      .catch((error: unknown) => log('results not measured', { error: messageOf(error) }))
      .finally(() => {
        measuring = undefined
      })
  }

  async function now(): Promise<void> {
    // A pass that has begun may have missed the newest record.
    await measuring
    measure()
    await measuring
  }

  const stops = [events.on('workFinished', measure), events.on('historyChanged', measure)]
  return {
    now,
    stop() {
      for (const stop of stops) stop()
      return now()
    },
  }
}

const NOTHING: Measurement = { sizes: [], resultBytes: null, entries: [] }

type FoundResult = { readonly result: LedgerResult; readonly print: string | undefined }

async function measurementOf(record: RecordDetails, deps: MeasuringDeps): Promise<Measurement> {
  const { output, results, inputs } = record
  if (output?.kind !== 'folder' || results.length === 0) return NOTHING
  const found = new Map<string, FoundResult>()
  await forEachLimited(results, async ({ outputPath }) => {
    const result = await lookAt(outputPath, folderOf(record, outputPath, output.path), deps)
    if (result !== undefined) found.set(outputPath, result)
  })
  const sizeOf = (path: string): number => found.get(path)?.result.size ?? 0
  const isWhole = results.every(({ outputPath }) => found.has(outputPath))
  const ofInput = resultsByInput(record)
  const sizes = inputs.flatMap((item) => {
    const own = ofInput.get(item) ?? []
    if (own.length === 0 || !own.every((path) => found.has(path))) return []
    return [{ path: item.path, input: item.size, results: own.reduce((sum, path) => sum + sizeOf(path), 0) }]
  })
  return {
    sizes,
    // A partial sum would be misleading.
    resultBytes: isWhole ? results.reduce((sum, { outputPath }) => sum + sizeOf(outputPath), 0) : null,
    entries: await entriesOf(record, found, ofInput, deps),
  }
}

/** @returns undefined if the file is on another computer, deleted, or outside the folder */
async function lookAt(
  path: string,
  folder: string,
  { access }: MeasuringDeps,
): Promise<FoundResult | undefined> {
  const allowed = await access.toResult(path, folder)
  if (allowed.kind !== 'allowed') return undefined
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  const result = { path, size: stats.size, mtime: Math.floor(stats.mtimeMs) }
  // The service has finished writing it, even if that was just now.
  return { result, print: (await printFile(path, () => Number.POSITIVE_INFINITY))?.print }
}

/** Returns the paths of each input's results. Leaves out results that could be of several inputs with the same name. */
function resultsByInput({ inputs, results }: RecordDetails): ReadonlyMap<MediaItem, readonly string[]> {
  const named = new Map<string, MediaItem | null>()
  for (const item of inputs) {
    named.set(item.path, item)
    const name = item.name.normalize('NFC')
    named.set(name, named.has(name) ? null : item)
  }
  const [only] = inputs.length === 1 ? inputs : []
  const ofInput = new Map<MediaItem, string[]>()
  for (const { file, outputPath } of results) {
    const item = only ?? named.get(file) ?? named.get(baseName(file).normalize('NFC'))
    if (item === undefined || item === null) continue
    ofInput.set(item, [...(ofInput.get(item) ?? []), outputPath])
  }
  return ofInput
}

/**
 * Returns what the ledger gains. A wrong entry would hide a file that still needs processing, so there is none if an original has
 * changed since it was submitted, a result has changed since the job ended, or the preset may have changed in between.
 */
async function entriesOf(
  record: RecordDetails,
  found: ReadonlyMap<string, FoundResult>,
  ofInput: ReadonlyMap<MediaItem, readonly string[]>,
  deps: MeasuringDeps,
): Promise<readonly NewLedgerRow[]> {
  const { id, preset: presetName, variations, endedAt } = record
  const preset = await presetKeyOf(record, deps)
  if (preset === undefined || endedAt === null) return []
  const common = { preset, presetName, variations, recordId: id, at: endedAt }
  const entries: NewLedgerRow[] = []
  await forEachLimited([...ofInput], async ([item, paths]) => {
    const made = paths.flatMap((path) => found.get(path) ?? [])
    const isAsMade = made.every(({ result }) => result.mtime <= endedAt + CLOCK_SLACK_MS)
    if (made.length !== paths.length || !isAsMade) return
    for (const { result, print } of made) {
      if (print === undefined) continue
      entries.push({ ...common, path: result.path, print, size: result.size, role: 'result', results: [] })
    }
    const now = await printFile(item.path, deps.timing.clock)
    if (item.print === undefined || now === undefined || made.length !== variations) return
    // Linking and unlinking an alias has changed the file's last time.
    const isSame = mayNeedAlias(item) ? isSameFile(now.print, item.print) : now.print === item.print
    if (!isSame) return
    const results = made.map(({ result }) => result)
    entries.push({ ...common, path: item.path, ...now, role: 'input', results })
  })
  return entries
}

/** @returns undefined if it isn't certain which settings the service used */
async function presetKeyOf(
  { id, preset, facts }: RecordDetails,
  { history, builtInKeys }: MeasuringDeps,
): Promise<string | undefined> {
  if (facts.service === 'external') return externalPresetKey(facts.baseUrl, preset)
  // The finished part of an interrupted job is a record without a service. Only the built-in service's jobs are divided like that.
  const now = (await builtInKeys())(preset)
  return now === history.sending(id).presetHash ? now : undefined
}
