import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { LeastSize, PreviewFilm } from '../../shared/model/preview.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { FilmControls } from './film-controls.tsx'
import { shownFilm, startPlayer } from './film-player.ts'
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
  /** Told how small the file can be where the size that is wished for can't be reached; null where that is not known. */
  readonly onLeast: (least: LeastSize | null) => void
  /** Told which film is on show; null where it is none. */
  readonly onFilm: (film: PreviewFilm | null) => void
}

/** What you get: the file, before and after, and how large it becomes. */
export function StudioPreview({ document, part, isBuiltIn, onLeast, onFilm }: StudioPreviewProps) {
  const app = useApp()
  const t = useTranslation()
  const { view, model } = useMemo(() => createParts(app), [])
  const section = useRef<HTMLElement>(null)
  const isOnShow = (): boolean => model.pixels.peek() !== null || model.film.peek() !== null
  usePreviewKeys(app, view, isOnShow, () => model.film.peek())

  useEffect(() => () => model.end(), [])
  // Of a film a person wants to see first what happens in it.
  useEffect(() => {
    view.zoom.value = part === 'video' ? 'fit' : '100'
  }, [part])
  useEffect(() => {
    if (!isBuiltIn) return
    void app.attempt(app.bridge.preview.files(part)).then((files) => {
      if (files !== undefined && model.file.peek()?.kind !== part) model.take(files.current)
    })
  }, [isBuiltIn, part])
  const wanted = JSON.stringify(document)
  useEffect(() => {
    if (document !== null && isBuiltIn) model.want(document, part, isOnShow() ? AT_REST_MS : 0)
  }, [wanted, part, isBuiltIn])
  // Another zoom or place may need pixels that are not there yet.
  useSignalEffect(() => {
    if (view.middle.value !== null && view.pane.value.width > 1 && view.zoom.value !== 'fit')
      model.lookAgain()
  })
  useEffect(() => takesFiles(section.current, app, model, part), [part])

  const file = isBuiltIn && model.file.value?.kind === part ? model.file.value : null
  const player = file === null ? null : model.film.value
  const shown = useMemo(() => player && shownFilm(player), [player]) ?? (file && model.pixels.value)
  const stage = model.stage.value
  const least = file !== null && 'least' in stage ? (stage.least ?? null) : null
  useEffect(() => onLeast(least), [least])
  useEffect(() => onFilm(player?.film ?? null), [player])
  return (
    <>
      <PreviewHead model={model} view={view} part={part} file={file} hasPicture={shown !== null} />
      <section
        ref={section}
        class="preview"
        aria-label={t.preview.title}
        data-region="main"
        data-takes-files={isBuiltIn ? '' : undefined}
      >
        {file !== null && stage.kind === 'making' && <progress class="busy" aria-label={t.preview.making} />}
        {shown !== null && file !== null ? (
          <PicturePane view={view} pixels={shown} name={file.name} hasAfter={stage.kind !== 'failed'}>
            <BeforeTag pixels={shown} />
            <AfterTag pixels={shown} stage={stage} isKept={model.measured.value?.refused !== null} />
          </PicturePane>
        ) : (
          <NoPreview isBuiltIn={isBuiltIn} part={part} model={model} hasFile={file !== null} />
        )}
        {file !== null && stage.kind === 'failed' && (
          <FailureNote reason={stage.reason} onPress={() => model.tryAgain()} />
        )}
        {player !== null && <FilmControls player={player} onBegin={(seconds) => model.beginAt(seconds)} />}
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
    play: startPlayer,
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

const notTaken = (app: App, part: MediaKind): string => {
  const { notPhoto, notVideo } = app.t.peek().preview
  return part === 'video' ? notVideo : notPhoto
}

/** What is dropped on the picture is previewed; elsewhere in the window it joins the draft. */
function takesFiles(section: HTMLElement | null, app: App, model: PreviewModel, part: MediaKind) {
  const take = (event: Event): void => {
    if (!(event instanceof CustomEvent)) return
    const files: readonly File[] = event.detail
    const paths = files.map((file) => app.bridge.pathForFile(file)).filter((path) => path !== '')
    void app.attempt(app.bridge.preview.bring(paths)).then((item) => {
      if (item?.kind === part) model.take(item)
      else if (item !== undefined) app.toasts.show({ text: notTaken(app, part), actions: [] })
    })
  }
  section?.addEventListener('filesdropped', take)
  return () => section?.removeEventListener('filesdropped', take)
}
