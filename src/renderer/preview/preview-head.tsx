import type { MediaKind } from '../../shared/media-types.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { useApp, useViewTranslation, type App, viewTranslation, useView } from '../store/app.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Segments } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import type { PaneView } from './pane-view.ts'
import { flickAndAnnounce } from './preview-keys.ts'
import type { Document, PreviewModel } from './preview-model.ts'
import './preview-head.css'

/** The button that compares several qualities instead of showing one result. */
export type Comparing = {
  readonly isOpen: boolean
  /** Whether the quality of the result is set, or is known and the preset's goal isn't a size. */
  readonly canOpen: boolean
  open(): void
}

/** What the header, the picture and the result of the preview are about. */
export type PreviewContext = {
  readonly isBuiltIn: boolean
  readonly part: MediaKind
  readonly model: PreviewModel
  readonly view: PaneView
  /** null if no file is chosen. */
  readonly file: MediaItem | null
  /** The last valid document; null if there was none. */
  readonly document: Document | null
  /** null if there is nothing to compare. */
  readonly comparing: Comparing | null
}

export function PreviewHead(props: PreviewContext & { readonly hasPicture: boolean }) {
  const { model, view, part, file, hasPicture, comparing } = props
  const { app, t } = useView()
  return (
    <div class="pane-header preview-head">
      {file === null ? (
        <span class="hint hide-narrow">{t.preview.title}</span>
      ) : (
        <button
          type="button"
          class="button quiet choose-file"
          aria-haspopup="menu"
          aria-label={t.preview.chooseOther({ name: file.name })}
          onClick={({ currentTarget }) => void openFileMenu(app, model, part, currentTarget)}
        >
          <Thumbnail path={file.path} small />
          <span class="truncate">{file.name}</span>
          <Icon name="forward" class="small pointing-down" />
        </button>
      )}
      <span class="spacer" />
      {hasPicture && (
        <>
          {comparing?.isOpen === false && (
            <Button
              label={t.preview.compareQualities}
              kind="quiet"
              class="compare-qualities hide-narrow"
              disabled={!comparing.canOpen}
              title={comparing.canOpen ? undefined : t.preview.chooseLookFirst}
              onPress={() => comparing.open()}
            />
          )}
          <ZoomChoice view={view} />
          {comparing?.isOpen !== true && <FlickButton view={view} class="quiet compare-toggle" />}
        </>
      )}
    </div>
  )
}

export function ZoomChoice({ view }: { readonly view: PaneView }) {
  const t = useViewTranslation()
  return (
    <Segments
      label={t.preview.zoom}
      value={view.zoom.value}
      options={{ fit: t.preview.fit, full: t.preview.fullSize, double: t.preview.doubleSize }}
      onChoose={(zoom) => (view.zoom.value = zoom)}
    />
  )
}

/** Shows one side alone, or both again. */
export function FlickButton(props: { readonly view: PaneView; readonly class?: string }) {
  const { view, class: more = 'quiet' } = props
  const app = useApp()
  return (
    <IconButton
      icon="compare"
      class={more}
      label={viewTranslation(app).preview.flick}
      pressed={view.flicked.value !== null}
      onPress={() => {
        if (view.flicked.peek() === null) flickAndAnnounce(app, view)
        else view.flicked.value = null
      }}
    />
  )
}

export async function chooseFile(app: App, model: PreviewModel, part: MediaKind): Promise<void> {
  const item = await app.attempt(app.bridge.preview.choose(part))
  if (item) model.take(item)
}

async function openFileMenu(
  app: App,
  model: PreviewModel,
  part: MediaKind,
  anchor: HTMLElement,
): Promise<void> {
  const files = await app.attempt(app.bridge.preview.files(part))
  if (files === undefined) return
  const texts = viewTranslation(app).preview
  const chosen = model.file.peek()?.path
  const entries = files.recent.map((item) => ({
    label: item.name,
    checked: item.path === chosen,
    run: () => model.take(item),
  }))
  app.overlays.menu.value = {
    label: texts.with,
    anchor,
    entries: [
      ...(entries.length > 0 ? [{ kind: 'heading', label: texts.lastJobs } as const, ...entries] : []),
      { label: texts.chooseFile, icon: 'plus', run: () => void chooseFile(app, model, part) },
    ],
  }
}
