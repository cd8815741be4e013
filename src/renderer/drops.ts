import { takeDrop } from './store/add-files.ts'
import type { App } from './store/app.ts'

/** Follows files that are dragged over the window. Starts with the window, so that no early drop is lost. */
export function followDrops(app: App): void {
  const { draggedFiles } = app.overlays
  // Entering a child fires before leaving its parent, so count the nesting depth.
  let depth = 0
  addEventListener('dragenter', (event) => {
    if (!carriesFiles(event)) return
    if (depth === 0) void app.bridge.draft.expectFiles()
    depth += 1
    draggedFiles.value = [...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file').length
  })
  addEventListener('dragleave', (event) => {
    if (!carriesFiles(event)) return
    depth = Math.max(0, depth - 1)
    if (depth === 0) draggedFiles.value = null
  })
  addEventListener('dragover', (event) => {
    // Prevents the browser from navigating to a dropped file. Other drags are refused.
    event.preventDefault()
    if (event.dataTransfer) event.dataTransfer.dropEffect = carriesFiles(event) ? 'copy' : 'none'
  })
  addEventListener('drop', (event) => {
    event.preventDefault()
    depth = 0
    draggedFiles.value = null
    if (!event.dataTransfer || !carriesFiles(event)) return
    const files = [...event.dataTransfer.files]
    if (!passToDropTarget(event, files)) void takeDrop(app, files, event.shiftKey)
  })
}

const carriesFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false

/** Passes dropped files to the element under the pointer that accepts them. Returns false if no element does. */
function passToDropTarget({ clientX, clientY }: DragEvent, files: readonly File[]): boolean {
  const place = document
    .elementsFromPoint(clientX, clientY)
    .map((element) => element.closest('[data-takes-files]'))
    .find((element) => element !== null)
  place?.dispatchEvent(new CustomEvent('filesdropped', { detail: files }))
  return place !== undefined
}
