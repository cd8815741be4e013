import { resolve } from 'node:path'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { findMedia } from '../intake/index.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'

export type SubmitInput = { readonly files: readonly string[] } | { readonly driveInputFolder: string }

export type TakenIn = {
  /** undefined if there are no usable inputs. */
  readonly source: Draft['source'] | undefined
  readonly codes: readonly ExitCode[]
}

/** Collects the named files and the files in named folders. Reports every file that can't be used. */
export async function takeIn(
  { report, environment, service, waits }: Context,
  { input }: { readonly input: SubmitInput },
): Promise<TakenIn> {
  if ('driveInputFolder' in input) {
    return { source: { kind: 'drive', folderId: input.driveInputFolder }, codes: [] }
  }
  const items: MediaItem[] = []
  const rejected: RejectedItem[] = []
  const paths = input.files.map((file) => resolve(environment.cwd, file))
  const explain = () =>
    ({ reason: 'files', message: `Searching for files: ${items.length} found so far.` }) as const
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
