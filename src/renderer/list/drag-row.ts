/** Moves a waiting job with the pointer. Loaded on first use. */
import { idOf, titleOf } from '../../shared/model/job-state.ts'
import type { Job } from '../../shared/model/job.ts'
import type { App } from '../store/app.ts'
import { canMove, movableWith, moveTo } from '../store/queue-moves.ts'
import type { Draggable } from './drag.ts'
import type { ListLayout } from './list-layout.ts'

/** Distance from the edge of the list within which dragging scrolls it, px. */
const EDGE = 32
/** How far the list scrolls per frame, px. */
const STEP = 8

/** Starts dragging a job's row by its handle. Escape cancels the drag, so the job isn't moved. */
export function startDrag(app: App, job: Job, list: Draggable, event: PointerEvent): void {
  const handle = event.currentTarget
  if (event.button !== 0 || !(handle instanceof HTMLElement)) return
  const scroller = handle.closest('.job-list')
  if (scroller === null) return
  event.preventDefault()
  handle.setPointerCapture(event.pointerId)
  // The list keeps the focused row even if it is scrolled out of view.
  handle.closest('li')?.querySelector<HTMLElement>('.job-row')?.focus({ preventScroll: true })
  list.hold()
  const id = idOf(job)
  const places = placesOf(list.layout.peek(), job)
  const own = places.find((place) => place.id === id)
  if (own === undefined) return list.release()
  const ended = new AbortController()
  const options = { signal: ended.signal }
  const yOf = (clientY: number) => clientY - scroller.getBoundingClientRect().top + scroller.scrollTop
  const start = yOf(event.clientY)
  let last = event.clientY
  let to = places.indexOf(own)

  const update = (): void => {
    const top = own.top + yOf(last) - start
    // Find the nearest place. Places don't move, although the rows between the old and the new place make room.
    const place = places.reduce((nearest, one) =>
      Math.abs(one.top - top) < Math.abs(nearest.top - top) ? one : nearest,
    )
    to = places.indexOf(place)
    list.drag.value = { from: own.index, to: place.index, height: own.height, line: place.top }
  }

  const scroll = (): void => {
    if (ended.signal.aborted) return
    const { top, bottom } = scroller.getBoundingClientRect()
    const by = last < top + EDGE ? -STEP : last > bottom - EDGE ? STEP : 0
    if (by !== 0) {
      scroller.scrollTop += by
      update()
    }
    requestAnimationFrame(scroll)
  }

  const end = (): void => {
    ended.abort()
    list.drag.value = null
    list.release()
  }

  handle.addEventListener(
    'pointermove',
    ({ clientY }) => {
      last = clientY
      update()
    },
    options,
  )
  handle.addEventListener('pointercancel', end, options)
  // Fires after the pointer is released. If the job was sent meanwhile, its row has no handle, and the event's target is the document.
  document.addEventListener(
    'lostpointercapture',
    () => {
      const isMoved = list.drag.peek() !== null && handle.isConnected
      end()
      if (isMoved) drop(app, job, places.toSpliced(places.indexOf(own), 1)[to]?.id)
    },
    options,
  )
  addEventListener(
    'keydown',
    (pressed) => {
      if (pressed.key !== 'Escape') return
      pressed.preventDefault()
      pressed.stopImmediatePropagation()
      end()
    },
    { ...options, capture: true },
  )
  requestAnimationFrame(scroll)
}

/** Moves the job ahead of another one, or to the end. A service may have accepted one of them in the meantime. */
function drop(app: App, job: Job, before: string | undefined): void {
  const jobs = movableWith(app, job)
  const at = jobs.findIndex((one) => idOf(one) === idOf(job))
  const next = before === undefined ? jobs.length : jobs.findIndex((one) => idOf(one) === before)
  if (at !== -1 && next !== -1) void moveTo(app, job, next > at ? next - 1 : next)
}

/** Returns the rows of the jobs that can change places with this one, with their distances in px from the top of the list. */
const placesOf = ({ sections }: ListLayout, job: Job) =>
  sections.flatMap((section) =>
    section.rows.flatMap(({ content, index, top, height }) =>
      content.kind === 'job' &&
      content.dated === null &&
      canMove(content.job) &&
      titleOf(content.job).service === titleOf(job).service
        ? [{ id: idOf(content.job), index, top: section.top + top, height }]
        : [],
    ),
  )
