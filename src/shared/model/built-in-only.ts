/** Separates files that only the built-in service processes. */
import { builtInOnlyReason, isBuiltInFormat } from '../media-types.ts'
import type { Draft } from './draft.ts'
import type { MediaItem, RejectedItem } from './media-item.ts'

/** Returns the rejection of a file by other services; undefined if they process it, too. */
export function builtInOnly(item: MediaItem): RejectedItem | undefined {
  const { path, name, format } = item
  return isBuiltInFormat(format) ? { path, name, reason: builtInOnlyReason(format), item } : undefined
}

/**
 * Adapts a draft to another service: rejects files that the new service doesn't process, or accepts files that the previous one didn't
 * process.
 */
export function fitToService(draft: Draft, takesBuiltInFormats: boolean): Draft {
  const { source, rejected } = draft
  if (source.kind !== 'files') return draft
  const items = source.items
  if (takesBuiltInFormats) {
    const accepted = rejected.flatMap(({ item }) => item ?? [])
    if (accepted.length === 0) return draft
    return {
      ...draft,
      source: { kind: 'files', items: [...items, ...accepted] },
      rejected: rejected.filter(({ item }) => item === undefined),
    }
  }
  const refused = items.flatMap((item) => builtInOnly(item) ?? [])
  if (refused.length === 0) return draft
  return {
    ...draft,
    source: { kind: 'files', items: items.filter((item) => builtInOnly(item) === undefined) },
    rejected: [...rejected, ...refused],
  }
}
