/** Finds the first rule that matches a file on disk, reading only as much of the file as the rules ask for. */
import { withMedia } from '../../node/media-header/open-media.ts'
import type { FileFacts } from '../../shared/model/file-facts.ts'
import type { RuleMatch, RuleMatcher } from './match-rule.ts'

/** The matching rule, and the facts that were read to find it. */
export type FileMatch = Omit<Extract<RuleMatch, { readonly kind: 'matched' }>, 'kind'> & {
  readonly facts: FileFacts
}

/**
 * Returns the first matching rule. Facts that can't be read match no condition.
 * @param path absolute
 * @param now in milliseconds since 1970
 */
export async function matchFile(
  path: string,
  known: FileFacts,
  match: RuleMatcher,
  now: number,
): Promise<FileMatch> {
  const first = match(known, now)
  if (first.kind === 'matched') return { ...first, facts: known }
  return withMedia(path, async (media) => {
    let facts = known
    let result: RuleMatch = first
    while (result.kind === 'needs') {
      facts =
        result.fact === 'kind'
          ? { ...facts, kind: await media.kind() }
          : { ...facts, header: await media.header() }
      result = match(facts, now)
    }
    return { ...result, facts }
  })
}
