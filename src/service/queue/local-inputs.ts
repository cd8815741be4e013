/** Checks which of the local files in a request are readable photos or videos. */
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { isAbsolute, resolve } from 'node:path'
import type { FileError } from '../../shared/api/resources.ts'
import { extensionOf, mediaKindOf, SUPPORTED_EXTENSIONS } from '../../shared/media-types.ts'
import type { JobInput } from './job-plan.ts'
import { weigh, type WeighedFacts } from '../processing/processing.ts'
import { type FileIdentity, openIdentified } from '../../node/file-identity.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { whyNotReadable } from '../../node/file-failure.ts'
import { inGroups } from '../../node/limited.ts'
import { fileError } from '../../shared/api/reported.ts'
import { mediaIn } from '../../node/media-header/open-media.ts'

/** An input, before its work is predicted. */
export type CheckedInput = Omit<JobInput, 'work'> & {
  readonly identity: FileIdentity
  readonly facts: WeighedFacts
}

export type Checked = { readonly input: CheckedInput } | { readonly problem: Failure }

/** Number of files to check in parallel: enough to hide a slow disk's latency, and well below the limit on open files. */
const CHECKED_TOGETHER = 16

/**
 * Checks local inputs before the job is accepted (section 4, `POST /jobs`). A repeated path counts once.
 * @param identities of the files when the client accepted them, in the same order; absent or empty if not known
 * @returns the valid inputs in order, and the other paths as they were given, with the reasons
 */
export async function checkLocalInputs(
  paths: readonly string[],
  identities: readonly FileIdentity[] = [],
): Promise<{ readonly inputs: readonly CheckedInput[]; readonly skipped: FileError[] }> {
  const distinct = [
    ...new Map(
      paths.map((given, n) => [
        isAbsolute(given) ? resolve(given) : given,
        { given, identity: identities[n] },
      ]),
    ),
  ]
  const inputs: CheckedInput[] = []
  const skipped: FileError[] = []
  for (const group of inGroups(distinct, CHECKED_TOGETHER)) {
    const results = await Promise.all(group.map(([path, { identity }]) => checkLocalInput(path, identity)))
    for (const [index, result] of results.entries()) {
      if ('input' in result) inputs.push(result.input)
      else skipped.push(fileError(group[index]?.[1].given ?? '', result.problem))
    }
  }
  return { inputs, skipped }
}

/**
 * Checks one input: its path, extension, identity, size and first bytes.
 * @param known identity of the file when the client accepted it; empty or absent if not known
 */
export async function checkLocalInput(path: string, known?: FileIdentity): Promise<Checked> {
  if (path.includes('\0')) return { problem: failure('pathInvalid') }
  if (!isAbsolute(path)) return { problem: failure('pathNotAbsolute') }
  const kind = mediaKindOf(path)
  if (!kind) return { problem: unsupported(extensionOf(path)) }
  try {
    await using opened = await openIdentified(path, known === '' ? undefined : known)
    const { file, stats, identity, realPath } = opened
    if (stats.size === 0n) return { problem: failure('fileEmpty') }
    const media = mediaIn(file, realPath)
    const actual = (await media.content())?.kind
    if (actual !== kind) return { problem: failure(MISMATCHES[kind][actual ?? 'other']) }
    return { input: { path, kind, identity, facts: await weigh(media, Number(stats.size)) } }
  } catch (error) {
    if (error instanceof FailureError) return { problem: error.failure }
    return { problem: failure('fileUnreadable', { reason: whyNotReadable(error) }) }
  }
}

/** Returns why files with this extension aren't accepted. */
export function unsupported(extension: string): Failure {
  const extensions = SUPPORTED_EXTENSIONS.join(', ')
  return extension === ''
    ? failure('extensionMissing', { extensions })
    : failure('extensionUnsupported', { extension, extensions })
}

/** Failures for a wrong extension, by the kind that the name suggests and the actual kind of the content. */
const MISMATCHES = {
  image: { image: 'photoHoldsOther', video: 'photoHoldsVideo', other: 'photoHoldsOther' },
  video: { image: 'videoHoldsPhoto', video: 'videoHoldsOther', other: 'videoHoldsOther' },
} as const
