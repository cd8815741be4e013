import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { PreviewPixels } from '../../shared/model/preview.ts'
import { pixelsUrl } from '../../shared/thumbnail-url.ts'
import { useViewTranslation } from '../store/app.ts'
import type { VideoPlayer, ShownVideo } from './video-player.ts'
import { centerOf, pan, scaleOf, type PaneView, type Side, zoomBy } from './pane-view.ts'
import './image-pane.css'

/** What the pane compares: two images, or both sides of a video. */
export type Shown = PreviewPixels | ShownVideo

const STEP_PX = 40
/** Wheel distance for one zoom step: one notch, or a similar distance on a touchpad. */
const WHEEL_STEP = 60

/** Shows the original and the result, one on top of the other. */
export function ImagePane(props: {
  readonly view: PaneView
  readonly pixels: Shown
  readonly name: string
  /** false if only the original is shown. */
  readonly hasAfter: boolean
  /** Whether to show the difference instead of the result. */
  readonly differs?: boolean
  readonly describedBy?: string
  readonly children?: ComponentChildren
}) {
  const { view, pixels, name, hasAfter, differs = false, describedBy, children } = props
  const t = useViewTranslation()
  const pane = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = pane.current
    if (element === null) return undefined
    const observer = new ResizeObserver(
      () => (view.pane.value = { width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    const turn = wheelZooms(view)
    element.addEventListener('wheel', turn, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', turn)
    }
  }, [])
  const shown = hasAfter ? (view.flicked.value ?? undefined) : 'before'
  const hasDivider = shown === undefined && !differs
  useLayoutEffect(
    () => pane.current?.style.setProperty('--split', `${view.split.value}%`),
    [view.split.value],
  )

  return (
    <div
      ref={pane}
      class="preview-pane"
      data-scroller
      data-zoom={view.zoom.value}
      data-shown={shown}
      data-differs={differs ? '' : undefined}
      role="group"
      aria-label={t.preview.picture({ name })}
      aria-describedby={describedBy}
      tabIndex={0}
      onPointerDown={(event) => drag(event, view, pixels)}
      onKeyDown={(event) => {
        if (event.target === event.currentTarget && moves(event, view, pixels)) event.preventDefault()
      }}
    >
      <div class="layers">
        {hasAfter && <Layer view={view} pixels={pixels} side="after" />}
        {(shown !== 'after' || differs) && <Layer view={view} pixels={pixels} side="before" />}
      </div>
      {hasDivider && <Divider view={view} pane={pane} />}
      {children}
    </div>
  )
}

function Layer(props: { readonly view: PaneView; readonly pixels: Shown; readonly side: Side }) {
  const { view, pixels, side } = props
  const { area, extent } = pixels
  const scale = scaleOf(view, extent)
  const middle = centerOf(view, extent)
  const { width, height } = view.pane.value
  const style = {
    left: `${onScreen(width / 2 + (area.left - middle.x * extent.width) * scale)}px`,
    top: `${onScreen(height / 2 + (area.top - middle.y * extent.height) * scale)}px`,
    width: `${area.width * scale}px`,
    height: `${area.height * scale}px`,
  }
  return (
    <div class={`layer ${side}`}>
      {'player' in pixels ? (
        <Moving player={pixels.player} side={side} style={style} />
      ) : (
        <img src={pixelsUrl(pixels[side])} alt="" draggable={false} style={style} />
      )}
    </div>
  )
}

function Moving(props: {
  readonly player: VideoPlayer
  readonly side: Side
  readonly style: Readonly<Record<string, string>>
}) {
  const { player, side, style } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(
    () => (canvas.current === null ? undefined : player.showOn(side, canvas.current)),
    [player, side],
  )
  return <canvas ref={canvas} style={style} />
}

/** Rounds CSS pixels to whole device pixels, because otherwise the image would be smoothed. */
const onScreen = (css: number): number => Math.round(css * devicePixelRatio) / devicePixelRatio

function Divider(props: {
  readonly view: PaneView
  readonly pane: { readonly current: HTMLElement | null }
}) {
  const { view, pane } = props
  const t = useViewTranslation()
  const { split } = view
  const set = (value: number): void => {
    split.value = Math.min(100, Math.max(0, value))
  }
  return (
    <>
      <input
        class="split-slider"
        type="range"
        min={0}
        max={100}
        value={split.value}
        aria-label={t.preview.divider}
        aria-valuetext={t.preview.percentBefore({ percent: t.percent(split.value / 100) })}
        onInput={(event) => set(event.currentTarget.valueAsNumber)}
        onKeyDown={(event) => {
          if (event.key !== 'PageUp' && event.key !== 'PageDown') return
          event.preventDefault()
          set(split.value + (event.key === 'PageUp' ? 10 : -10))
        }}
      />
      <span
        class="split-handle"
        onPointerDown={(event) => {
          event.stopPropagation()
          followPointer(event, ({ clientX }) => {
            const box = pane.current?.getBoundingClientRect()
            if (box !== undefined) set(((clientX - box.left) / box.width) * 100)
          })
        }}
      />
    </>
  )
}

function drag(event: PointerEvent, view: PaneView, { extent }: Shown): void {
  if (event.button !== 0) return
  let [x, y] = [event.clientX, event.clientY]
  followPointer(event, ({ clientX, clientY }) => {
    pan(view, extent, { x: clientX - x, y: clientY - y })
    ;[x, y] = [clientX, clientY]
  })
}

/** Follows the pointer until the button is released, even outside the element. */
function followPointer(
  { currentTarget: element, pointerId }: PointerEvent,
  move: (event: PointerEvent) => void,
): void {
  if (!(element instanceof HTMLElement)) return
  const over = new AbortController()
  element.setPointerCapture(pointerId)
  element.addEventListener('pointermove', move, { signal: over.signal })
  element.addEventListener('lostpointercapture', () => over.abort(), { signal: over.signal })
}

/** Which way the arrow keys move the picture. */
const ARROWS: Readonly<Partial<Record<string, readonly [x: number, y: number]>>> = {
  ArrowLeft: [1, 0],
  ArrowRight: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

function moves({ key, shiftKey }: KeyboardEvent, view: PaneView, { extent }: Shown): boolean {
  const arrow = ARROWS[key]
  if (arrow === undefined) return false
  const { width, height } = shiftKey ? view.pane.peek() : { width: STEP_PX, height: STEP_PX }
  pan(view, extent, { x: arrow[0] * width, y: arrow[1] * height })
  return true
}

function wheelZooms(view: PaneView): (event: WheelEvent) => void {
  let turned = 0
  return (event) => {
    event.preventDefault()
    turned += event.deltaY
    if (Math.abs(turned) < WHEEL_STEP) return
    zoomBy(view, turned < 0 ? 1 : -1)
    turned = 0
  }
}
