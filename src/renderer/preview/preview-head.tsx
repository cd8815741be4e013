import type { MediaKind } from '../../shared/media-types.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { Segments } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import type { PaneView } from './pane-view.ts'
import { flickAloud } from './preview-keys.ts'
import type { PreviewModel } from './preview-model.ts'

type PreviewHeadProps = {
  readonly model: PreviewModel
  readonly view: PaneView
  readonly part: MediaKind
  readonly file: MediaItem | null
  readonly hasPicture: boolean
}

/** Which file, and how near. */
export function PreviewHead({ model, view, part, file, hasPicture }: PreviewHeadProps) {
  const app = useApp()
  const t = useTranslation()
  return (
    <div class="bar preview-head">
      {file === null ? (
        <span class="hint hide-narrow">{t.preview.title}</span>
      ) : (
        <button
          type="button"
          class="btn quiet pick-file"
          aria-haspopup="menu"
          aria-label={t.preview.chooseOther({ name: file.name })}
          onClick={({ currentTarget }) => void openFileMenu(app, model, part, currentTarget)}
        >
          <Thumbnail path={file.path} small />
          <span class="clip">{file.name}</span>
          <Icon name="forward" class="small below" />
        </button>
      )}
      <span class="gap" />
      {hasPicture && (
        <>
          <ZoomChoice view={view} />
          <IconButton
            icon="compare"
            class="quiet flip"
            label={t.preview.flick}
            pressed={view.flicked.value !== null}
            onPress={() => {
              if (view.flicked.peek() === null) flickAloud(app, view)
              else view.flicked.value = null
            }}
          />
        </>
      )}
    </div>
  )
}

export function ZoomChoice({ view }: { readonly view: PaneView }) {
  const t = useTranslation()
  return (
    <Segments
      label={t.preview.zoom}
      value={view.zoom.value}
      options={[
        { value: 'fit', label: t.preview.fit },
        { value: '100', label: t.preview.fullSize },
        { value: '200', label: t.preview.doubleSize },
      ]}
      onChoose={(zoom) => {
        view.zoom.value = zoom
      }}
    />
  )
}

async function openFileMenu(
  app: App,
  model: PreviewModel,
  part: MediaKind,
  anchor: HTMLElement,
): Promise<void> {
  const files = await app.attempt(app.bridge.preview.files(part))
  if (files === undefined) return
  const texts = app.t.peek().preview
  const chosen = model.file.peek()?.path
  const entries = files.recent.map((item) => ({
    kind: 'item' as const,
    label: item.name,
    checked: item.path === chosen,
    run: () => model.take(item),
  }))
  app.overlays.menu.value = {
    label: texts.with,
    anchor,
    entries: [
      ...(entries.length > 0 ? [{ kind: 'heading', label: texts.lastJobs } as const, ...entries] : []),
      {
        kind: 'item',
        label: texts.chooseFile,
        icon: 'plus',
        run: () =>
          void app.attempt(app.bridge.preview.choose(part)).then((item) => {
            if (item !== undefined && item !== null) model.take(item)
          }),
      },
    ],
  }
}
