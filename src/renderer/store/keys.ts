import type { AppFacts } from '../../shared/ipc/contract.ts'

/** A key with the platform's main modifier, as it is written there: "Ctrl N", "⌘N". */
export const withModifier = (facts: AppFacts, key: string): string =>
  facts.platform === 'darwin' ? `⌘${key}` : `Ctrl ${key}`

export const hasModifier = (facts: AppFacts, event: KeyboardEvent): boolean =>
  facts.platform === 'darwin' ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
