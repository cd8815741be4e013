/** Saves the photo that a command reads from stdin. */
import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Line } from '../core/index.ts'
import { findMedia } from '../intake/index.ts'
import type { Context } from './context.ts'
import { type Environment, dataFolder } from './environment.ts'
import { usageError } from './exit-code.ts'
import { endWith, type Report } from './output/events.ts'
import { t } from './output/language.ts'

/** Argument that stands for stdin or stdout. */
export const STREAM = '-'

/** Name of the photo's file. Results are named after it. */
const NAME = 'stdin'

export type TakenPhoto =
  | { readonly ok: true; readonly item: MediaItem }
  | { readonly ok: false; readonly code: ExitCode }

/** Folders of running commands. Other folders belong to jobs, or were left by a killed owner. */
const inUse = new Set<string>()

const streamsIn = (environment: Environment, kind: 'jobs' | 'pipes'): string =>
  join(dataFolder(environment), 'streams', kind)

/**
 * Returns the path of a new folder for a photo from stdin or for a result that will be written to stdout.
 * @param kind `jobs` are kept while a submission needs them, `pipes` only while the command runs
 */
export function streamFolder(environment: Environment, kind: 'jobs' | 'pipes'): string {
  const folder = join(streamsIn(environment, kind), randomUUID())
  inUse.add(folder)
  return folder
}

/**
 * Reads a photo from stdin to its end, or up to the limit. Reports why the input can't be used.
 * @param folder a new one; the caller removes it
 * @param most limit in bytes
 */
export async function takeFromStdin(
  context: {
    readonly environment: Pick<Environment, 'stdin' | 'stderr' | 'interrupted'>
    readonly report: Pick<Report, 'say'>
    readonly waits: Context['waits']
  },
  folder: string,
  most = MAX_UPLOAD_BYTES,
): Promise<TakenPhoto> {
  const { environment, report, waits } = context
  const { stdin, interrupted } = environment
  if (stdin === null) return { ok: false, code: usageError(environment, t().usage.stdinTerminal) }
  const path = join(folder, NAME)
  const message = t().waits.stdin
  const bytes = await waits.during({ reason: 'files', message }, () =>
    save(stdin(), path, { most, interrupted }),
  )
  if (interrupted.aborted) return { ok: false, code: EXIT.interrupted }
  const item = bytes > 0 && bytes <= most ? await recognized(path) : undefined
  if (item?.kind === 'image') return { ok: true, item }
  const why =
    bytes === 0
      ? t().rejections.empty
      : bytes > most
        ? t().answers.stdinTooLarge({ size: t().size(most) })
        : t().answers.stdinNoPhoto
  return { ok: false, code: endWith(report, t().answers.stdinUnusable({ why })) }
}

/** @returns the number of bytes; one more than the limit if there are more */
async function save(
  source: AsyncIterable<Uint8Array>,
  path: string,
  { most, interrupted }: { readonly most: number; readonly interrupted: AbortSignal },
): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await using file = await open(path, 'wx', 0o600)
  let bytes = 0
  for await (const chunk of source) {
    bytes = Math.min(most + 1, bytes + chunk.length)
    if (bytes > most || interrupted.aborted) break
    await file.writeFile(chunk)
  }
  return bytes
}

async function recognized(path: string): Promise<MediaItem | undefined> {
  for await (const { items } of findMedia([path], { takesBuiltInFormats: true })) {
    const [item] = items
    if (item !== undefined) return item
  }
  return undefined
}

/** Removes photos and results left by killed commands that were to write a result to stdout. */
export async function removeDeadPipes(environment: Environment): Promise<void> {
  for (const one of await foldersIn(streamsIn(environment, 'pipes')))
    if (!inUse.has(one)) await rm(one, { recursive: true, force: true })
}

export async function removeStream(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  // Removing a parent folder fails while another command has files in it.
  const kind = dirname(folder)
  for (const parent of [kind, dirname(kind)]) await rmdir(parent).catch(() => undefined)
  inUse.delete(folder)
}

/** Removes photos from stdin whose jobs have ended, unless another command is still reading them. @param own folder of this command */
export async function removeUnusedPhotos(
  environment: Environment,
  { outbox, history }: Pick<Line, 'outbox' | 'history'>,
  own: string,
): Promise<void> {
  inUse.delete(own)
  const folders = await foldersIn(streamsIn(environment, 'jobs'))
  if (folders.length === 0) return
  const needed = new Set<string>()
  for (const page of outbox.pages())
    for (const { plan, state } of page)
      if (state.kind !== 'accepted') for (const { path } of plan.items) needed.add(dirname(path))
  for (const { id } of history.openJobs())
    for (const { path } of history.details(id)?.inputs ?? []) needed.add(dirname(path))
  for (const one of folders)
    if (!needed.has(one) && !inUse.has(one)) await rm(one, { recursive: true, force: true })
}

const foldersIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).map((name) => join(folder, name))
