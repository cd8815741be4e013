import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import { resolve } from 'node:path'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { findMedia } from '../intake/index.ts'
import type { Context } from './context.ts'
import { usageError } from './exit-code.ts'
import { t } from './output/language.ts'
import type { TakenPhoto } from './stdin-photo.ts'

/**
 * Collects the named files and the files in named folders. Reports every file that can't be used.
 * @returns no source if there are no usable inputs, or if the user interrupted the search
 */
export async function takeIn(
  { report, environment, service, waits }: Context,
  files: readonly string[],
): Promise<{ readonly source: Draft['source'] | undefined; readonly codes: readonly ExitCode[] }> {
  const items: MediaItem[] = []
  const rejected: RejectedItem[] = []
  const paths = files.map((file) => resolve(environment.cwd, file))
  const explain = () => ({ reason: 'files', message: t().waits.searching({ count: items.length }) }) as const
  await waits.during(explain, async () => {
    for await (const batch of findMedia(paths, {
      signal: environment.interrupted,
      takesBuiltInFormats: service.kind === 'builtIn',
    })) {
      items.push(...batch.items)
      rejected.push(...batch.rejected)
    }
  })
  report.sayEach(rejected.map((item) => ({ event: 'notTaken', item })))
  const codes = rejected.length === 0 ? [] : [EXIT.failed]
  if (environment.interrupted.aborted) return { source: undefined, codes: [EXIT.interrupted] }
  if (items.length > 0) return { source: { kind: 'files', items }, codes }
  if (codes.length === 0) report.say({ event: 'notPossible', problem: { code: 'noInput' } })
  return { source: undefined, codes: [EXIT.failed] }
}

/** Finds a single photo, or reports why the file can't be used. */
export async function takeOnePhoto(context: Context, file: string): Promise<TakenPhoto> {
  const { source, codes } = await takeIn(context, [file])
  const items = source?.kind === 'files' ? source.items : []
  const [item] = items
  if (item === undefined) return { ok: false, code: codes[0] ?? EXIT.failed }
  if (items.length === 1 && item.kind === 'image') return { ok: true, item }
  const why =
    items.length > 1 ? t().usage.notOneFile({ file, count: items.length }) : t().usage.notAPhoto({ file })
  return { ok: false, code: usageError(context.environment, why) }
}
