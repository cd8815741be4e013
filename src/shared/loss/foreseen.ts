/** The losses of a job's results, as far as they are known before the job starts. */
import type { MediaItem } from '../model/media-item.ts'
import { formatThatKeeps, type KeepingFormat, type Loss, type LossCode, type LossReason } from './loss.ts'

export type Foreseen = {
  /** Number of files that will lose something. */
  readonly files: number
  /** At least one entry, the most frequent one first. */
  readonly kinds: readonly {
    readonly code: LossCode
    readonly why: LossReason
    readonly files: number
  }[]
  /**
   * The format that avoids a loss in the most files; missing if there is no such format, if there are several presets, or if files already
   * have another format.
   */
  readonly keeping?: { readonly format: KeepingFormat; readonly files: number }
}

/** What one result of a file will lose. */
export type ForeseenFile = { readonly path: string; readonly losses: readonly Loss[] }

/** What a file contains in addition to its first image, and the format of its result. */
export type Holdings = {
  readonly pages: number
  readonly chapters: number
  /** Whether the file has HDR and its result keeps that. */
  readonly keepsHdr: boolean
  readonly resultFormat: string
}

/** Facts about a file's result that are known before it is created. */
export type Foresight = { readonly losses: readonly Loss[]; readonly holds: Holdings }

/** Used for files that can't be read, and for results that aren't compared. */
export const NOTHING_FORESEEN: Foresight = {
  losses: [],
  holds: { pages: 1, chapters: 0, keepsHdr: false, resultFormat: '' },
}

/** Contents of a draft's file that the window mentions before the start. */
export type FileContents = { readonly path: string } & (
  | {
      readonly code: 'pages' | 'chapters'
      readonly count: number
      /** Name of the format whose results keep the pages or chapters; null if they will be lost. */
      readonly keptBy: string | null
    }
  | { readonly code: 'hdr'; readonly keptBy: string }
)

export function contentsOf(
  path: string,
  { pages, chapters, keepsHdr, resultFormat }: Holdings,
  losses: readonly Loss[],
): readonly FileContents[] {
  const counted = (code: 'pages' | 'chapters', count: number): FileContents => {
    const keptBy = losses.some((one) => one.code === code) ? null : resultFormat
    return { path, code, count, keptBy }
  }
  return [
    ...(pages > 1 ? [counted('pages', pages)] : []),
    ...(chapters > 0 ? [counted('chapters', chapters)] : []),
    ...(keepsHdr ? [{ path, code: 'hdr', keptBy: resultFormat } as const] : []),
  ]
}

/** Counts the files that will lose something, by what they lose and why. @returns null if nothing is known to be lost */
export function countForeseen(files: readonly ForeseenFile[]): Foreseen | null {
  const lost = files.flatMap(({ path, losses }) => losses.map(({ code, why }) => ({ path, code, why })))
  if (lost.length === 0) return null
  const kinds = Map.groupBy(lost, ({ code, why }) => JSON.stringify([code, why]))
  return {
    files: countPaths(lost),
    kinds: [...kinds.values()]
      .flatMap((all) => {
        const [first] = all
        return first === undefined ? [] : [{ code: first.code, why: first.why, files: countPaths(all) }]
      })
      .toSorted((a, b) => b.files - a.files),
  }
}

/** A format that keeps what files would lose. */
export type Keeping = {
  readonly format: KeepingFormat
  readonly paths: readonly string[]
  /** Name of the format in the reason for the first of these losses; undefined if that reason doesn't name a format. */
  readonly others?: string | undefined
}

/** Returns the format that avoids a loss in the most files; undefined if there is none. */
export function keepingFormatOf(
  files: readonly ForeseenFile[],
  items: readonly Pick<MediaItem, 'path' | 'kind'>[],
): Keeping | undefined {
  const kinds = new Map(items.map(({ path, kind }) => [path, kind]))
  const kept = files.flatMap(({ path, losses }) => {
    const kind = kinds.get(path)
    return losses.flatMap((one) => {
      const format = kind && formatThatKeeps(one, kind, '')
      const { values } = one.why
      return format === undefined
        ? []
        : { format, path, others: 'format' in values ? values.format : undefined }
    })
  })
  const byFormat = [...Map.groupBy(kept, ({ format }) => format)].map(([format, all]) => ({
    format,
    paths: [...new Set(all.map(({ path }) => path))],
    others: all[0]?.others,
  }))
  return byFormat.toSorted((one, other) => other.paths.length - one.paths.length)[0]
}

const countPaths = (files: readonly { readonly path: string }[]): number =>
  new Set(files.map(({ path }) => path)).size
