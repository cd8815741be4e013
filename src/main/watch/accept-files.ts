/** Accepts files of a watched folder immediately before they are submitted. */
import { basename } from 'node:path'
import { examineFile } from '../../node/recognize-media.ts'
import { failure } from '../../shared/failure/failure.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import type { DraftProblem } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { knownPreset, type PresetOffer } from '../../shared/preset/known-preset.ts'
import { fingerprintFiles, type FoundFile, isUntouched } from './fingerprint.ts'

export type Accepted = {
  readonly file: FoundFile
  /** undefined for a raw photo, or if the file isn't a photo or video despite its name. */
  readonly item: MediaItem | undefined
}

export type AcceptanceOptions = {
  /** Returns what the folder's service offers. */
  readonly service: () => PresetOffer
  /** Called for a file that changed while it was waiting for other files. */
  readonly onChanged: (file: FoundFile) => void
  /** Called with files that may not have been submitted and must be checked again. */
  readonly onNotStarted: (files: readonly FoundFile[]) => void
  /** Reports why files couldn't be submitted, for example because the disk is full. The folder retries them. @param what for the log */
  readonly onFailed: (what: string, error: unknown) => void
  /** Reports why a draft can't be started, for example because a preset is missing. A repeated failure is reported once. */
  readonly onProblems: (problems: readonly DraftProblem[]) => void
}

/** Creates a function that accepts the files that can be submitted with the presets now, and reports the others. */
export function createFileAcceptance(options: AcceptanceOptions) {
  const kinds = createUnhandledKinds(options.service, options.onProblems)
  return async (compared: readonly FoundFile[], presets: readonly string[]): Promise<readonly Accepted[]> => {
    const { accepted, failed } = await acceptFiles(await unchanged(compared, options.onChanged))
    if (failed.length > 0) {
      options.onFailed('could not accept watched files', failed[0]?.error)
      options.onNotStarted(failed.map(({ file }) => file))
    }
    const isHandled = ({ item }: Accepted) => item === undefined || kinds.isHandled(item, presets)
    const { handled = [], unhandled = [] } = Object.groupBy(accepted, (one) =>
      isHandled(one) ? 'handled' : 'unhandled',
    )
    if (unhandled.length > 0) {
      const items = unhandled.flatMap(({ item }) => item ?? [])
      kinds.report(items, presets)
      options.onNotStarted(unhandled.map(({ file }) => file))
    }
    return handled
  }
}

/** Returns the files that haven't changed or disappeared since they were compared, for example while they waited. */
async function unchanged(
  files: readonly FoundFile[],
  onChanged: AcceptanceOptions['onChanged'],
): Promise<readonly FoundFile[]> {
  const before = new Map(files.map((file) => [file.path, file]))
  const same: FoundFile[] = []
  for (const now of await fingerprintFiles([...before.keys()])) {
    const file = before.get(now.path)
    if (file !== undefined && isUntouched(file.fingerprint, now.fingerprint)) same.push(file)
    else onChanged(now)
  }
  return same
}

/** Accepts each file with its identity, so that no other file is read at its path later. */
async function acceptFiles(files: readonly FoundFile[]) {
  const accepted: Accepted[] = []
  const failed: { readonly file: FoundFile; readonly error: unknown }[] = []
  const results = await Promise.allSettled(files.map(itemOf))
  for (const [index, file] of files.entries()) {
    const result = results[index]
    if (result?.status === 'fulfilled') accepted.push({ file, item: result.value })
    else failed.push({ file, error: result?.reason })
  }
  return { accepted, failed }
}

/** @throws if another file is now at this path, or if a link has replaced one of its folders */
async function itemOf({ path, fingerprint }: FoundFile): Promise<MediaItem | undefined> {
  // Watched folders don't follow links, so the path doesn't contain any.
  const { recognized: as, identity } = await examineFile(path, path)
  if (!identity.startsWith(`${fingerprint.device}:${fingerprint.inode}:`))
    throw new FailureError(failure('fileReplaced', { name: basename(path) }))
  if (as.kind === 'raw' || as.kind === 'unknown') return undefined
  return { path, name: basename(path), ...as, size: fingerprint.size, identity }
}

const KINDS = [
  ['image', 'photos'],
  ['video', 'videos'],
] as const

const keyOf = (kind: MediaItem['kind'], presets: readonly string[]) => JSON.stringify([kind, presets])

/**
 * Finds photos and videos that none of the chosen presets handles. They must not be processed with other settings.
 * @param offer returns what the folder's service offers
 */
function createUnhandledKinds(
  offer: () => PresetOffer,
  onProblems: (problems: readonly DraftProblem[]) => void,
) {
  const reported = new Set<string>()
  return {
    isHandled: ({ kind }: MediaItem, presets: readonly string[]): boolean => {
      const service = offer()
      const isHandled =
        presets.length === 0 ||
        service.presets === null ||
        presets.some((preset) => knownPreset(service, preset)?.[kind] === true)
      if (isHandled) reported.delete(keyOf(kind, presets))
      return isHandled
    },
    /** Reports files that aren't handled, once for each kind and choice of presets until a preset handles that kind. */
    report: (items: readonly MediaItem[], presets: readonly string[]): void => {
      const [first, ...more] = presets
      const problems = KINDS.flatMap(([kind, word]): readonly DraftProblem[] => {
        const count = items.filter((item) => item.kind === kind).length
        if (count === 0 || first === undefined || reported.has(keyOf(kind, presets))) return []
        reported.add(keyOf(kind, presets))
        return more.length === 0
          ? [{ code: 'presetNotFor', preset: first, kind: word }]
          : [{ code: 'noPresetFor', kind: word, count }]
      })
      if (problems.length > 0) onProblems(problems)
    },
  }
}
