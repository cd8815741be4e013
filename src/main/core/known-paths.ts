/**
 * The files and folders that the page may name: what people brought in, what came of it, and the folders that they chose. A
 * page that names another one, because something was injected into it, gets nothing, and so does a service that calls
 * another file its result.
 */
import type { AppState } from '../../shared/model/app-state.ts'
import type { RecordDetails, WorkTitle } from '../../shared/model/work.ts'

export type KnownPath =
  /** Came from a person: dropped, picked in a dialog, pasted, or found in a watched folder. */
  | { readonly kind: 'input' }
  /** A service says that it made this file; true only below the folder that the job was given. */
  | { readonly kind: 'result'; readonly below: string }
  /** Where results go, or what is watched. It can be shown, and never makes a file known. */
  | { readonly kind: 'folder' }

export interface KnownPaths {
  find(path: string): KnownPath | undefined
  learnDetails(record: RecordDetails): void
  learnTitles(titles: readonly WorkTitle[]): void
}

export function createKnownPaths(state: () => AppState): KnownPaths {
  const files = new Map<string, KnownPath>()
  const folders = new Set<string>()

  const learnInput = (path: string | null) => {
    if (path !== null && path !== '') files.set(path, { kind: 'input' })
  }
  function learnTitles(titles: readonly WorkTitle[]): void {
    for (const { firstPath, output } of titles) {
      learnInput(firstPath)
      if (output?.kind === 'folder') folders.add(output.path)
    }
  }
  const isInDraft = (path: string): boolean => {
    const { source } = state().draft
    return source.kind === 'files' && source.items.some((item) => item.path === path)
  }
  const isFolder = (path: string): boolean => {
    const { draft, settings } = state()
    return (
      folders.has(path) ||
      (draft.output.kind === 'folder' && draft.output.path === path) ||
      settings.watchFolders.some((watched) => watched.path === path)
    )
  }

  const isInNotice = (path: string): boolean =>
    state().notices.some((notice) => notice.kind === 'diskFull' && notice.folder === path)

  return {
    find(path) {
      if (isInDraft(path)) return { kind: 'input' }
      if (!files.has(path) && !folders.has(path)) learnTitles([...state().jobs, ...state().outbox])
      return files.get(path) ?? (isFolder(path) || isInNotice(path) ? { kind: 'folder' } : undefined)
    },
    learnTitles,
    learnDetails(record) {
      learnTitles([record])
      for (const { path } of record.inputs) learnInput(path)
      const { output } = record
      if (output?.kind !== 'folder') return
      for (const { outputPath } of record.results)
        if (files.get(outputPath)?.kind !== 'input')
          files.set(outputPath, { kind: 'result', below: output.path })
    },
  }
}
