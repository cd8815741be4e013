/** Builds the report that a program or URL gets about an ended job, from all of its parts. */
import { stat } from 'node:fs/promises'
import { forEachLimited } from '../../node/limited.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { lossInEnglish } from '../../shared/i18n/in-english.ts'
import type { JobReport } from '../../shared/model/job-report.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { endOf } from '../../shared/model/job-outcome.ts'
import type { History } from '../history/index.ts'
import { originalsByResult } from './measure-results.ts'
import { problemsInPart } from './whole-jobs.ts'

type ReportSources = {
  readonly history: Pick<History, 'details' | 'wholeJob'>
  /** Returns the path of a watched folder; undefined if it was removed. */
  readonly watchedPath: (id: string) => string | undefined
}

/** @returns undefined if the record was deleted, or if its job hasn't ended, was canceled or was forgotten by its service */
export async function reportOf(
  job: RecordId,
  id: string,
  { history, watchedPath }: ReportSources,
): Promise<JobReport | undefined> {
  const parts = history.wholeJob(job).flatMap((part) => history.details(part) ?? [])
  const [first, ...others] = parts
  if (first === undefined) return undefined
  const { outcome, endedAt, replaced } = endOf({ parts: [first, ...others] })
  if (outcome === null || endedAt === null) return undefined
  if (outcome.kind === 'cancelled' || outcome.kind === 'forgotten') return undefined
  const { watched, driveInput, createdAt } = first
  return {
    version: 1,
    id,
    test: false,
    job: {
      id: first.id,
      outcome: outcome.kind,
      error: outcome.kind === 'failed' ? outcome.reason : null,
      createdAt: timeOf(createdAt),
      startedAt: firstStart(parts),
      endedAt: timeOf(endedAt),
      presets: distinct(parts.flatMap(({ preset }) => preset ?? [])),
      watchedFolder: (typeof watched === 'string' ? watchedPath(watched) : undefined) ?? null,
      driveInput,
      output: outputOf(parts, first),
      originals: originalsOf(parts),
      results: await resultsOf(parts),
      uploaded: 'uploaded' in outcome ? outcome.uploaded : null,
      replaced,
      problems: parts.flatMap(problemsIn),
    },
  }
}

type Job = JobReport['job']

const timeOf = (ms: number): string => new Date(ms).toISOString()
const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]

function firstStart(parts: readonly PartDetails[]): string | null {
  const starts = parts.flatMap(({ facts }) => facts.startedAt ?? [])
  return starts.length === 0 ? null : timeOf(Math.min(...starts))
}

function outputOf(parts: readonly PartDetails[], { output, chosen }: PartDetails): Job['output'] {
  if (output?.kind === 'drive') return { kind: 'drive', folderId: output.folderId }
  // The output folder is in a vault, where other programs can't use it.
  if (output === null || chosen?.output?.kind === 'replace') return null
  return {
    kind: 'folders',
    paths: distinct(parts.flatMap((part) => (part.output?.kind === 'folder' ? [part.output.path] : []))),
  }
}

function originalsOf(parts: readonly PartDetails[]): Job['originals'] {
  const byPath = new Map(parts.flatMap(({ inputs }) => inputs).map((item) => [item.path, item]))
  return [...byPath.values()].map(({ path, kind, size: bytes }) => ({
    path,
    kind: kind === 'image' ? 'photo' : 'video',
    bytes,
  }))
}

async function resultsOf(parts: readonly PartDetails[]): Promise<Job['results']> {
  const results = parts.flatMap((part) => {
    // Results were uploaded from these paths, which are temporary.
    if (part.output?.kind === 'drive') return []
    const originals = originalsByResult(part)
    return part.results.map(({ outputPath: path, losses = [], quality = null }) => ({
      path,
      quality,
      losses: losses.map((loss) => ({ message: lossInEnglish(loss), code: loss.code })),
      original: originals.get(path) ?? null,
      preset: part.preset,
    }))
  })
  const sizes = new Map<string, number>()
  await forEachLimited(results, async ({ path }) => {
    const stats = await stat(path).catch(() => undefined)
    if (stats !== undefined) sizes.set(path, stats.size)
  })
  return results.map((result) => ({ ...result, bytes: sizes.get(result.path) ?? null }))
}

function problemsIn(part: PartDetails): Job['problems'] {
  if (part.outcome?.kind !== 'problems' && part.outcome?.kind !== 'failed') return []
  return problemsInPart(part).map(({ file, error: message, failure }) => ({
    file,
    message,
    ...(failure === undefined ? {} : { code: failure.code }),
  }))
}
