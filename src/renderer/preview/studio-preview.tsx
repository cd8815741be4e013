import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { loadPixels } from './load-pixels.ts'
import { createPaneView, middleOf, scaleOf, type PaneView } from './pane-view.ts'
import { NoPreview } from './no-preview.tsx'
import { PicturePane } from './picture-pane.tsx'
import { PreviewHead } from './preview-head.tsx'
import { usePreviewKeys } from './preview-keys.ts'
import {
  AT_REST_MS,
  createPreviewModel,
  type Document,
  type LookedAt,
  type PreviewModel,
} from './preview-model.ts'
import { ResultLine } from './result-line.tsx'
import { AfterTag, BeforeTag, FailureNote } from './pane-notes.tsx'

type StudioPreviewProps = {
  /** The last that could be read; null while there was none. */
  readonly document: Document | null
  readonly part: MediaKind
  readonly isBuiltIn: boolean
}

/** What you get: the file, before and after, and how large it becomes. */
export function StudioPreview({ document, part, isBuiltIn }: StudioPreviewProps) {
  const app = useApp()
  const t = useTranslation()
  const { view, model } = useMemo(() => createParts(app), [])
  const section = useRef<HTMLElement>(null)
  const canShow = isBuiltIn && part === 'image'
  usePreviewKeys(app, view, () => model.pixels.peek() !== null)

  useEffect(() => () => model.end(), [])
  useEffect(() => {
    if (!canShow) return
    void app.attempt(app.bridge.preview.files(part)).then((files) => {
      if (files !== undefined && model.file.peek() === null) model.take(files.current)
    })
  }, [canShow, part])
  const wanted = JSON.stringify(document)
  useEffect(() => {
    if (document !== null && canShow)
      model.want(document, part, model.pixels.peek() === null ? 0 : AT_REST_MS)
  }, [wanted, part, canShow])
  // Another zoom or place may need pixels that are not there yet.
  useSignalEffect(() => {
    if (view.middle.value !== null && view.pane.value.width > 1 && view.zoom.value !== 'fit')
      model.lookAgain()
  })
  useEffect(() => takesFiles(section.current, app, model, part), [part])

  const pixels = canShow ? model.pixels.value : null
  const file = canShow ? model.file.value : null
  const stage = model.stage.value
  return (
    <>
      <PreviewHead model={model} view={view} part={part} file={file} hasPicture={pixels !== null} />
      <section
        ref={section}
        class="preview"
        aria-label={t.preview.title}
        data-region="main"
        data-takes-files={canShow ? '' : undefined}
      >
        {file !== null && stage.kind === 'making' && <progress class="busy" aria-label={t.preview.making} />}
        {pixels !== null && file !== null ? (
          <PicturePane view={view} pixels={pixels} name={file.name} hasAfter={stage.kind !== 'failed'}>
            <BeforeTag pixels={pixels} />
            <AfterTag pixels={pixels} stage={stage} isKept={model.measured.value?.refused !== null} />
          </PicturePane>
        ) : (
          <NoPreview isBuiltIn={isBuiltIn} part={part} model={model} hasFile={file !== null} />
        )}
        {file !== null && stage.kind === 'failed' && (
          <FailureNote reason={stage.reason} onPress={() => model.tryAgain()} />
        )}
      </section>
      <ResultLine
        isBuiltIn={isBuiltIn}
        part={part}
        hasFile={file !== null}
        model={model}
        document={document}
      />
    </>
  )
}

function createParts(app: App): { readonly view: PaneView; readonly model: PreviewModel } {
  const model: PreviewModel = createPreviewModel({
    bridge: app.bridge,
    lookedAt: () => lookedAt(view, model),
    load: loadPixels,
  })
  const view = createPaneView('100', model.middle)
  return { view, model }
}

function lookedAt(view: PaneView, { pixels }: PreviewModel): LookedAt {
  const { width, height } = view.pane.peek()
  const isWhole = view.zoom.peek() === 'fit'
  const shown = pixels.peek()
  const scale = isWhole ? 1 : scaleOf(view, { width: 1, height: 1 })
  return {
    width: Math.max(1, width / scale),
    height: Math.max(1, height / scale),
    isWhole,
    middle: shown === null ? view.middle.peek() : middleOf(view, shown.extent),
  }
}

/** What is dropped on the picture is previewed; elsewhere in the window it joins the draft. */
function takesFiles(section: HTMLElement | null, app: App, model: PreviewModel, part: MediaKind) {
  const take = (event: Event): void => {
    if (!(event instanceof CustomEvent)) return
    const files: readonly File[] = event.detail
    const paths = files.map((file) => app.bridge.pathForFile(file)).filter((path) => path !== '')
    void app.attempt(app.bridge.preview.bring(paths)).then((item) => {
      if (item?.kind === part) model.take(item)
    })
  }
  section?.addEventListener('filesdropped', take)
  return () => section?.removeEventListener('filesdropped', take)
}
