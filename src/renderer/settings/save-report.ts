import type { App } from '../store/app.ts'

export async function saveReport(app: App): Promise<void> {
  const saved = await app.attempt(app.bridge.diagnostics.save())
  if (saved) app.toasts.show({ text: app.t.value.actions.saved({ path: saved.savedAs }), actions: [] })
}
