/** Handles files that are dropped on the window or pasted into it. */
import type { App } from './app.ts'
import { showNewJob } from './navigation.ts'
import { startDraft } from './start-draft.ts'

/** Follows files that are dragged over the window. Starts with the window, so that no early drop is lost. */
export function followDrops(app: App): void {
  const { draggedFiles } = app.overlays
  followAppearing(app)
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
    // Prevents the browser from navigating to a dropped file. Drags without files are rejected.
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

/** Time in ms after a drop in which a key or click is meant for the dropped files, although the window doesn't show them yet. */
const JUST_DROPPED_MS = 1_000
/** When the files that don't appear yet were added (`performance.now()`); -Infinity if all files appear. */
let droppedAt = Number.NEGATIVE_INFINITY

/** Tracks whether dropped files have appeared. The state with them arrives after the response to the call that adds them. */
function followAppearing({ state }: App): void {
  droppedAt = Number.NEGATIVE_INFINITY
  state.draft.subscribe(({ source, rejected }) => {
    const isEmpty = source.kind === 'files' && source.items.length === 0 && rejected.length === 0
    if (!isEmpty) droppedAt = Number.NEGATIVE_INFINITY
  })
}

/** Adds files by path. A pasted image has no path and is added by its bytes. */
export async function addFiles(app: App, files: readonly File[]): Promise<void> {
  const { bridge } = app
  droppedAt = performance.now()
  const placed = files.map((file) => ({ file, path: bridge.pathForFile(file) }))
  const paths = placed.flatMap(({ path }) => (path === '' ? [] : [path]))
  showNewJob(app)
  if (paths.length > 0) await app.attempt(bridge.draft.addPaths(paths))
  for (const { file, path } of placed) {
    if (path !== '') continue
    const bytes = await app.attempt(file.arrayBuffer())
    if (bytes) await app.attempt(bridge.draft.addImage({ name: file.name, bytes: new Uint8Array(bytes) }))
  }
}

/**
 * Opens the file dialog, unless dropped files are about to appear.
 * @param ready resolves when the dialog can open
 */
export async function chooseFiles(app: App, ready?: Promise<unknown>): Promise<void> {
  const isForDropped = performance.now() - droppedAt < JUST_DROPPED_MS
  await ready
  if (!isForDropped) await app.attempt(app.bridge.draft.chooseFiles())
}

/**
 * Adds dropped files to the draft, or imports dropped presets.
 * @param atOnce whether Shift was held: if the draft was empty, starts the job once its files are known, unless any is rejected
 */
async function takeDrop(app: App, files: readonly File[], atOnce: boolean): Promise<void> {
  if (isForPresets(app, files)) return importPresets(app, files)
  const { source } = app.state.draft.peek()
  const wasEmpty = source.kind === 'files' && source.items.length === 0
  await addFiles(app, files)
  if (!atOnce || !wasEmpty) return
  // The files are in the draft, but the window may not have received the change yet.
  const snapshot = await app.attempt(app.bridge.app.snapshot())
  const draft = snapshot?.state.draft
  if (draft?.source.kind === 'files' && draft.source.items.length > 0 && draft.rejected.length === 0) {
    await startDraft(app, false)
  }
}

/** Whether only JSON files were dropped while the settings show the presets. */
const isForPresets = ({ route }: App, files: readonly File[]): boolean =>
  route.view.peek() === 'settings' &&
  route.settingsPage.peek() === 'presets' &&
  files.every(({ name }) => name.toLowerCase().endsWith('.json'))

/** Maximum size of an imported file, in bytes. Larger files can't be presets and are rejected without being read. */
const LARGEST_IMPORT = 1_000_000

async function importPresets(app: App, files: readonly File[]): Promise<void> {
  const texts = await Promise.all(
    files.map(async (file) => ({
      file: file.name,
      text: file.size > LARGEST_IMPORT ? '' : await file.text(),
    })),
  )
  const report = await app.attempt(app.bridge.presets.import(texts))
  if (report !== undefined) {
    app.presets.report.value = report
    // Close the subpage, because the page behind it shows the report.
    app.route.subpage.value = null
  }
  await app.presets.read()
}
