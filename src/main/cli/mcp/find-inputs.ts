import type { MediaItem, RejectedItem } from '../../../shared/model/media-item.ts'
import { shownText } from '../../../shared/paths.ts'
import { findMedia } from '../../intake/index.ts'
import { t } from '../output/language.ts'
import type { AssistantRequest, AssistantSession } from './assistant-session.ts'
import { Refused } from './access.ts'

/** Maximum number of paths in a call, and of files that these paths may lead to. */
export const MAX_PATHS = 1_000
export const MAX_FILES = 5_000

export type Inputs = { readonly items: readonly MediaItem[]; readonly rejected: readonly RejectedItem[] }

/**
 * Resolves the paths and searches the folders among them. The items' paths contain no links. A link that appears later is therefore noticed
 * before the files are sent.
 * @throws Refused if any path isn't allowed, or if there are too many or no usable files
 */
export async function findInputs(
  { access, context }: AssistantSession,
  paths: readonly string[],
  { signal }: Pick<AssistantRequest, 'signal'>,
): Promise<Inputs> {
  const tooMany = (count: number, most: number, what: string): Refused =>
    access.refuse(
      paths[0] ?? '',
      'tooManyFiles',
      `${count} ${what} are too many for one job. Submit at most ${most} at once.`,
    )
  if (paths.length > MAX_PATHS) throw tooMany(paths.length, MAX_PATHS, 'paths')
  const real: string[] = []
  for (const path of paths) real.push(await access.input(path))
  const items: MediaItem[] = []
  const rejected: RejectedItem[] = []
  /** Real paths of links in folders. */
  const linked: string[] = []
  const search = async (at: readonly string[]): Promise<void> => {
    const found = findMedia(at, {
      signal,
      already: items.map(({ path }) => path),
      takesBuiltInFormats: context.service.kind === 'builtIn',
      cap: MAX_FILES,
      ask: ({ found: count }) => {
        throw tooMany(count, MAX_FILES, 'or more files')
      },
    })
    for await (const batch of found) {
      for (const item of batch.items)
        if (item.isLink === true) linked.push(await access.input(item.path))
        else items.push(item)
      rejected.push(...batch.rejected)
    }
  }
  await search([...new Set(real)])
  await search([...new Set(linked)])
  signal.throwIfAborted()
  if (items.length > 0) return { items, rejected }
  const [first] = rejected
  throw new Refused(
    first === undefined
      ? 'There are no photos or videos at these paths.'
      : `None of these files can be used. The first one: ${reasonOf(first)}`,
  )
}

export const reasonOf = ({ name, reason }: RejectedItem): string =>
  t().labeled(shownText(name), t().rejections[reason])
