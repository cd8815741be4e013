import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { LeastSize, PreviewVideo } from '../../shared/model/preview.ts'
import type { GoalKind } from '../../shared/preset/preset-goal.ts'
import { readFrom } from '../../shared/preset/read-field.ts'
import { isScore } from '../../shared/quality/quality.ts'
import { type App, viewTranslation, useView } from '../store/app.ts'
import { later } from '../store/later.tsx'
import { focusOnceShown } from '../store/focus.ts'
import type { ComparedPreset } from './compared-qualities.ts'
import { VideoControls } from './video-controls.tsx'
import { shownVideo, startPlayer } from './video-player.ts'
import { loadPixels } from './load-pixels.ts'
import { createPaneView, centerOf, scaleOf, type PaneView } from './pane-view.ts'
import { NoPreview } from './no-preview.tsx'
import { ImagePane } from './image-pane.tsx'
import { type Comparing, PreviewHead, type PreviewContext } from './preview-head.tsx'
import { usePreviewKeys } from './preview-keys.ts'
import {
  PREVIEW_DEBOUNCE_MS,
  createPreviewModel,
  type Document,
  type VisibleArea,
  type PreviewModel,
} from './preview-model.ts'
import { ResultLine } from './result-line.tsx'
import { AfterTag, AudioOnlyTag, BeforeTag, FailureNote } from './pane-notes.tsx'
import './preview.css'

const QualityComparison = later(async () => (await import('./quality-comparison.tsx')).QualityComparison, {
  ahead: false,
})

/** The preview: the file, its before and after images, and the size of the result. */
export function StudioPreview(props: {
  /** The last valid document; null if there was none. */
  readonly document: Document | null
  readonly part: MediaKind
  readonly isBuiltIn: boolean
  /** null if the quality of the result can't be chosen. */
  readonly goal: GoalKind | null
  /** The visual quality, if it is the goal. */
  readonly look: number
  readonly onLook: (look: number) => void
  /** Called with the smallest possible size when the limit can't be met, otherwise with null. */
  readonly onLeast: (least: LeastSize | null) => void
  /** Called with the video shown, or null. */
  readonly onVideo: (video: PreviewVideo | null) => void
}) {
  const { document, part, isBuiltIn, goal, look, onLook, onLeast, onVideo } = props
  const { app, t } = useView()
  const { view, model } = useMemo(() => createParts(app), [])
  const section = useRef<HTMLElement>(null)
  const isOnShow = (): boolean => model.pixels.peek() !== null || model.video.peek() !== null
  const compared = useCompared([JSON.stringify(document), part, isBuiltIn, model.file.value])
  usePreviewKeys(
    app,
    view,
    () => isOnShow() && compared.peek() === null,
    () => model.video.peek(),
  )

  useEffect(() => () => model.end(), [])
  // Show videos whole and photos at 100 %. Set the zoom before the request below, which depends on it.
  useLayoutEffect(() => {
    view.zoom.value = part === 'video' ? 'fit' : 'full'
  }, [part])
  useEffect(() => {
    if (!isBuiltIn) return
    void app.attempt(app.bridge.preview.files(part)).then((files) => {
      if (files !== undefined && model.file.peek()?.kind !== part) model.take(files.current)
    })
  }, [isBuiltIn, part])
  const wanted = JSON.stringify(document)
  // Mark the preview as stale in the frame that shows the changed form, so that it never looks current.
  useLayoutEffect(() => {
    if (document !== null && isBuiltIn) model.want(document, part, isOnShow() ? PREVIEW_DEBOUNCE_MS : 0)
  }, [wanted, part, isBuiltIn])
  useFreshPixels(view, model)
  // Not `useEffect`, which runs after the paint: a file dropped before it runs would be used for the previous part.
  useLayoutEffect(() => takesFiles(section.current, app, model, part), [part])

  const file = isBuiltIn && model.file.value?.kind === part ? model.file.value : null
  const player = file === null ? null : model.video.value
  const shown = useMemo(() => player && shownVideo(player), [player]) ?? (file && model.pixels.value)
  const state = model.state.value
  const isAudioOnly = part === 'video' && readFrom(document)('video.codec') === 'none'
  const least = file !== null && 'least' in state ? (state.least ?? null) : null
  useEffect(() => onLeast(least), [least])
  useEffect(() => onVideo(player?.video ?? null), [player])
  const set = goal === 'look' ? look : scoreOf(model.quality.value)
  const isComparable = goal !== null && shown !== null && document !== null && state.kind !== 'failed'
  const comparing = isComparable ? comparingOf(compared, goal === 'size' ? null : set, document, part) : null
  const isComparing = compared.value !== null
  const context: PreviewContext = { isBuiltIn, part, model, view, file, document, comparing }
  return (
    <>
      <PreviewHead {...context} hasPicture={shown !== null} />
      {compared.value !== null && (
        <QualityComparison
          preset={compared.value}
          model={model}
          preview={view}
          name={file?.name ?? ''}
          onUse={(chosen) => {
            if (chosen !== look || goal !== 'look') onLook(chosen)
            endComparing(compared)
          }}
          onEnd={() => endComparing(compared)}
        />
      )}
      <section
        ref={section}
        class="preview"
        aria-label={t.preview.title}
        data-region={isComparing ? undefined : 'main'}
        hidden={isComparing}
        data-takes-files={isBuiltIn ? '' : undefined}
      >
        {file !== null && state.kind === 'making' && (
          <progress class="preview-progress" aria-label={t.preview.making} />
        )}
        {shown !== null && file !== null ? (
          <ImagePane
            view={view}
            pixels={shown}
            name={file.name}
            hasAfter={state.kind !== 'failed' && !isAudioOnly}
          >
            <BeforeTag pixels={shown} />
            {isAudioOnly ? (
              <AudioOnlyTag />
            ) : (
              <AfterTag pixels={shown} state={state} isKept={model.measured.value?.refused !== null} />
            )}
          </ImagePane>
        ) : (
          <NoPreview {...context} />
        )}
        {file !== null && state.kind === 'failed' && (
          <FailureNote failure={state.failure} onPress={() => model.tryAgain()} />
        )}
        {player !== null && <VideoControls player={player} onBegin={(seconds) => model.beginAt(seconds)} />}
      </section>
      {!isComparing && <ResultLine {...context} />}
    </>
  )
}

/** Requests missing pixels when the zoom, the position or the pane's size changes. */
function useFreshPixels(view: PaneView, model: PreviewModel): void {
  useSignalEffect(() => {
    if (view.middle.value !== null && view.pane.value.width > 1 && view.zoom.value !== 'fit')
      model.lookAgain()
  })
}

/** Returns the compared preset; null if nothing is compared. Ends the comparison if the preset or the file changes. */
function useCompared(inputs: readonly unknown[]): Signal<ComparedPreset | null> {
  const compared = useSignal<ComparedPreset | null>(null)
  useLayoutEffect(() => {
    compared.value = null
  }, inputs)
  return compared
}

/** @param look the quality that is set or known; null if there is none, or if the preset's goal is a size */
const comparingOf = (
  compared: Signal<ComparedPreset | null>,
  look: number | null,
  document: Document,
  part: MediaKind,
): Comparing => ({
  isOpen: compared.value !== null,
  canOpen: look !== null,
  open: () => {
    if (look !== null) compared.value = { document, part, look }
  },
})

function endComparing(compared: Signal<ComparedPreset | null>): void {
  compared.value = null
  // Only one of these buttons is visible, depending on the window's width.
  focusOnceShown('.preview-head .compare-qualities, .result-line .compare-qualities')
}

const scoreOf = (quality: PreviewModel['quality']['value']): number | null =>
  typeof quality === 'object' && quality !== null && isScore(quality) ? quality.score : null

function createParts(app: App): { readonly view: PaneView; readonly model: PreviewModel } {
  const model: PreviewModel = createPreviewModel({
    bridge: app.bridge,
    lookedAt: () => lookedAt(view, model),
    load: loadPixels,
    play: startPlayer,
  })
  const view = createPaneView('full', model.middle)
  return { view, model }
}

function lookedAt(view: PaneView, { pixels }: PreviewModel): VisibleArea {
  const { width, height } = view.pane.peek()
  const isWhole = view.zoom.peek() === 'fit'
  const shown = pixels.peek()
  const scale = isWhole ? 1 : scaleOf(view, { width: 1, height: 1 })
  return {
    width: Math.max(1, width / scale),
    height: Math.max(1, height / scale),
    isWhole,
    middle: shown === null ? view.middle.peek() : centerOf(view, shown.extent),
  }
}

const notTaken = (app: App, part: MediaKind): string => {
  const { notPhoto, notVideo } = viewTranslation(app).preview
  return part === 'video' ? notVideo : notPhoto
}

/** Previews a file dropped on the image. Files dropped elsewhere in the window join the draft. Returns a function that stops this. */
function takesFiles(section: HTMLElement | null, app: App, model: PreviewModel, part: MediaKind) {
  const take = (event: Event): void => {
    if (!(event instanceof CustomEvent)) return
    const files: readonly File[] = event.detail
    const paths = files.map((file) => app.bridge.pathForFile(file)).filter((path) => path !== '')
    void app.attempt(app.bridge.preview.bring(paths)).then((item) => {
      if (item?.kind === part) model.take(item)
      else if (item !== undefined) app.toasts.show(notTaken(app, part))
    })
  }
  section?.addEventListener('filesdropped', take)
  return () => section?.removeEventListener('filesdropped', take)
}
