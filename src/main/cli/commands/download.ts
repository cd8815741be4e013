import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Verb } from '../context.ts'
import type { DownloadTarget } from '../../service-api/index.ts'
import { ask } from './ask.ts'

export type DownloadVerbOptions = { readonly jobId: string; readonly index: number; readonly to?: string }

/** Saves one output: under the name the service gives it in a folder, or as the file that was named. Never over another. */
export const download: Verb<DownloadVerbOptions> = async (context, { jobId, index, to }) => {
  const { cwd, timing, interrupted } = context.surroundings
  const target = await targetOf(resolve(cwd, to ?? '.'))
  const label = 'file' in target ? basename(target.file) : `${jobId} ${index}`
  const began = timing.monotonic()
  return ask(
    context,
    (api) =>
      api.download(jobId, {
        index,
        to: target,
        signal: interrupted,
        onProgress: ({ received, total }) => {
          const share = total === undefined || total === 0 ? null : received / total
          const elapsed = timing.monotonic() - began
          const remaining = share === null || elapsed < 1000 ? null : (elapsed / share) * (1 - share)
          context.report.progress([
            { what: { kind: 'transfer', file: label }, label, share, remaining, detail: 'Downloading' },
          ])
        },
      }),
    ({ path, bytes }) => [{ event: 'downloaded', jobId, index, path, bytes }],
  )
}

async function targetOf(path: string): Promise<DownloadTarget> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  return isFolder ? { folder: path } : { file: path }
}
