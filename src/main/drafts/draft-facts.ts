/** Reads what the window shows about the folders of a draft whose results go next to the originals. */
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import { isNextToOriginals, NO_FACTS, type Draft, type DraftFacts } from '../../shared/model/draft.ts'
import { subfolderProblem } from '../../shared/subfolder.ts'
import { itemsOf } from './draft-changes.ts'
import { unwritableFolders } from './original-folders.ts'

/** Delay in ms, so that typing a subfolder's name or adding many files causes a single check. */
const REST_MS = 150

export function createDraftFacts(deps: {
  readonly timing: Pick<Timing, 'after'>
  readonly onFacts: (facts: DraftFacts) => void
  readonly log: Log
}) {
  const { timing, onFacts, log } = deps
  let cancel: (() => void) | undefined
  let last: Pick<Draft, 'source' | 'output'> | undefined
  let shown = NO_FACTS

  function show(facts: DraftFacts): void {
    if (facts === shown) return
    shown = facts
    onFacts(facts)
  }

  async function read(draft: Draft): Promise<void> {
    const { output } = draft
    if (!isNextToOriginals(output)) return
    const subfolder = output.kind === 'beside' ? output.subfolder : null
    const items = itemsOf(draft)
    const isNamed = subfolder === null || subfolderProblem(subfolder) === undefined
    const unwritable = isNamed ? await unwritableFolders(items, subfolder) : new Set<string>()
    // The draft has changed in the meantime.
    if (last?.source !== draft.source || last.output !== output) return
    show({ unwritable: [...unwritable] })
  }

  return {
    draftChanged(draft: Draft): void {
      const { source, output } = draft
      if (last?.source === source && last.output === output) return
      last = { source, output }
      cancel?.()
      cancel = undefined
      if (!isNextToOriginals(output) || itemsOf(draft).length === 0) return show(NO_FACTS)
      cancel = timing.after(REST_MS, () => {
        cancel = undefined
        read(draft).catch((error: unknown) => log('folders not checked', { error: messageOf(error) }))
      })
    },
    close(): void {
      cancel?.()
      last = undefined
    },
  }
}
