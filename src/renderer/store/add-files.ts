import { startDraft } from './start-draft.ts'
import type { App } from './app.ts'
import { showNewJob } from './navigation.ts'

/** Adds files by path. A pasted image has no path and is added by its bytes. */
export async function addFiles(app: App, files: readonly File[]): Promise<void> {
  const { bridge } = app
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

/** @param atOnce (Shift was held) starts the job as soon as its files are known, unless the user has to decide something */
export async function takeDrop(app: App, files: readonly File[], atOnce: boolean): Promise<void> {
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

/** Whether JSON files were dropped on the list of presets. */
const isForPresets = ({ route }: App, files: readonly File[]): boolean =>
  route.view.peek() === 'settings' &&
  route.section.peek() === 'presets' &&
  files.every(({ name }) => name.toLowerCase().endsWith('.json'))

/** Larger files can't be presets and are rejected without being read. */
const LARGEST_IMPORT = 1_000_000

async function importPresets(app: App, files: readonly File[]): Promise<void> {
  const texts = await Promise.all(
    files.map(async (file) => ({
      file: file.name,
      text: file.size > LARGEST_IMPORT ? '' : await file.text(),
    })),
  )
  const report = await app.attempt(app.bridge.presets.import(texts))
  if (report !== undefined) app.presets.report.value = report
  await app.presets.read()
}
