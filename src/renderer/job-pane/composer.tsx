import { useEffect } from 'preact/hooks'
import type { Draft, DraftProblem } from '../../shared/model/draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { withModifier, type App, viewTranslation, useView } from '../store/app.ts'
import { DoneNote } from './done-note.tsx'
import { DraftFiles } from './draft-files.tsx'
import { DraftOptions } from './draft-options.tsx'
import { ForeseenNote } from './foreseen-note.tsx'
import { draftProblemSentence } from '../../shared/i18n/problem-sentences.ts'
import { contentsOf, unhandledKinds } from '../store/draft-contents.ts'
import { clearDraft, start, subjectOf } from '../store/start-draft.ts'
import { pressStart, startStatusOf } from '../store/start-status.ts'
import { presetsForBoth } from '../pickers/preset-options.ts'
import { chosenTile, tilesOf } from '../pickers/tiles.ts'
import './composer.css'

export function Composer({ draft }: { readonly draft: Draft }) {
  const { app, t } = useView()
  const items = draft.source.kind === 'files' ? draft.source.items : []
  const size = items.reduce((sum, item) => sum + item.size, 0)
  return (
    <>
      <PaneHeader
        title={
          <>
            {t.emptyTray.title}
            {items.length > 0 && (
              <span class="file-total numeric hide-narrow">
                {t.newJob.total({
                  files: t.count.files({ count: items.length }),
                  size: t.size(size),
                })}
              </span>
            )}
          </>
        }
      >
        <button
          type="button"
          class="button quiet"
          aria-haspopup="menu"
          onClick={(event) => openAddMenu(app, event.currentTarget)}
        >
          <Icon name="plus" />
          {t.newJob.add}
        </button>
        <Button label={t.newJob.clear} kind="quiet" onPress={() => void clearDraft(app)} />
      </PaneHeader>
      <DraftFiles draft={draft} />
      <form
        class="draft-options"
        onSubmit={(event) => {
          event.preventDefault()
          void pressStart(app)
        }}
      >
        <div class="draft-options-grid">
          <DoneNote draft={draft} />
          <MixedNote draft={draft} onSplit={() => void start(app, true)} />
          <ForeseenNote draft={draft} />
          <DraftOptions draft={draft} />
        </div>
      </form>
      <StartBar />
    </>
  )
}

function openAddMenu(app: App, anchor: HTMLElement): void {
  const t = viewTranslation(app)
  const { draft } = app.bridge
  app.overlays.menu.value = {
    label: t.newJob.add,
    anchor,
    entries: [
      {
        label: t.newJob.addFiles,
        icon: 'photo',
        keys: withModifier(app.facts, 'O'),
        run: () => void app.attempt(draft.chooseFiles()),
      },
      {
        label: t.newJob.addFolder,
        icon: 'folder',
        keys: withModifier(app.facts, 'Shift O'),
        run: () => void app.attempt(draft.chooseFolder()),
      },
      {
        label: t.newJob.paste,
        icon: 'copy',
        keys: withModifier(app.facts, 'V'),
        run: () => void app.attempt(draft.pasteFromClipboard()),
      },
      { kind: 'divider' },
      { label: t.emptyTray.addDrive, icon: 'drive', run: () => (app.overlays.folderPicker.value = {}) },
    ],
  }
}

/** Explains that the draft's only preset doesn't handle both photos and videos, and offers to split the draft into two jobs. */
function MixedNote({ draft, onSplit }: { readonly draft: Draft; readonly onSplit: () => void }) {
  const { app, t } = useView()
  const { photos, videos } = contentsOf(draft)
  const service = app.state.draftConnection.value
  const { presets } = service
  if (photos === 0 || videos === 0 || presets === null) return null
  // With several presets, the list of files shows which files no preset handles, and why.
  if (draft.presets.length > 1 || unhandledKinds(draft, service).length === 0) return null
  const count = presetsForBoth(presets).length
  return (
    <div class="callout" role="status">
      <Icon name="warn" />
      <span>{count === 0 ? t.newJob.mixedNone : t.newJob.mixed({ count })}</span>
      <LinkButton label={t.newJob.makeTwo} onPress={onSplit} />
    </div>
  )
}

/** Returns the problems of the last start; none once the user has changed the draft. */
function useStartProblems({ refusedStart, state }: App): readonly DraftProblem[] {
  const refused = refusedStart.value
  // The window receives the response and the draft separately, so the draft may arrive later.
  const shown = refused !== null && subjectOf(refused.draft) === subjectOf(state.draft.value) ? refused : null
  useEffect(
    () => () => {
      if (shown !== null && refusedStart.peek() === shown) refusedStart.value = null
    },
    [shown],
  )
  return shown?.problems ?? []
}

function StartBar() {
  const { app, t } = useView()
  const startStatus = startStatusOf(app)
  const isTiled = chosenTile(app.state.draft.value, tilesOf(app)) !== undefined
  const problems = useStartProblems(app)
  const sentences = problems.map((problem) => draftProblemSentence(problem, t))
  const isAnnounced = sentences.length > 0 || startStatus.announced
  // If the number of folders is the only problem, ask the user to confirm it.
  const [folders] = problems.length === 1 ? problems.filter(({ code }) => code === 'manyFolders') : []
  return (
    <div class="action-bar">
      <div class="action-bar-content">
        <p
          id="start-outlook"
          class={`hint ${sentences.length > 0 ? 'error' : ''}`}
          role="status"
          aria-live={isAnnounced ? undefined : 'off'}
        >
          {sentences.length > 0 ? (
            <>
              <Icon name="warn" />
              <span>
                {t.sentences(sentences)}
                {t.punctuation.betweenSentences}
                {folders !== undefined && (
                  <LinkButton
                    label={t.newJob.startAnyway}
                    onPress={() => void start(app, false, ['manyFolders'])}
                  />
                )}
              </span>
            </>
          ) : (
            startStatus.sentence
          )}
        </p>
        <Button
          label={t.newJob.start}
          kind="primary"
          large
          keys={isTiled ? '↵' : withModifier(app.facts, '↵')}
          disabled={startStatus.blocked}
          describedBy="start-outlook"
          onPress={() => void pressStart(app)}
        />
      </div>
    </div>
  )
}
