/**
 * The files and folders that the page may name: what it was told of itself. A page that names another one, because something
 * was injected into it, gets nothing.
 */
import type { AppState } from '../../shared/model/app-state.ts'
import type { RecordDetails, WorkTitle } from '../../shared/model/work.ts'

export interface KnownFiles {
  has(path: string): boolean
  learnDetails(record: RecordDetails): void
  learnTitles(titles: readonly WorkTitle[]): void
}

export function createKnownFiles(state: () => AppState): KnownFiles {
  const told = new Set<string>()

  const tell = (path: string | null | undefined) => {
    if (typeof path === 'string' && path !== '') told.add(path)
  }
  function learnTitles(titles: readonly WorkTitle[]): void {
    for (const { firstPath, output } of titles) {
      tell(firstPath)
      if (output?.kind === 'folder') tell(output.path)
    }
  }
  const inDraft = (path: string): boolean => {
    const { source, output } = state().draft
    return (
      (source.kind === 'files' && source.items.some((item) => item.path === path)) ||
      (output.kind === 'folder' && output.path === path)
    )
  }

  return {
    has(path) {
      if (told.has(path) || inDraft(path)) return true
      learnTitles([...state().jobs, ...state().outbox])
      return told.has(path)
    },
    learnTitles,
    learnDetails(record) {
      learnTitles([record])
      for (const { path } of record.inputs) tell(path)
      for (const { outputPath } of record.results) tell(outputPath)
    },
  }
}
