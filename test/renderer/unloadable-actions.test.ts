import { afterEach, expect, it, vi } from 'vitest'
import { catalogOf } from '../../src/node/translation.ts'
import { followKeyboard } from '../../src/renderer/keyboard.ts'
import type { App } from '../../src/renderer/store/app.ts'
import type { PartAt } from '../../src/shared/model/job.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import { standard } from './harness/fixtures.ts'

// Other spec files run in the same process.
afterEach(() => vi.unstubAllGlobals())

/** Selects the newest record and presses Delete. */
async function pressDelete(app: App): Promise<void> {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('HTMLElement', class extends EventTarget {})
  followKeyboard(app)
  app.history.need(0, 1)
  await expect.poll(() => app.history.view.value.total).not.toBeNull()
  const [record] = standard.records as readonly [PartAt<'history'>]
  app.route.jobPane.value = { kind: 'details', id: record.id }
  page.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key: 'Delete' }))
}

const shown = (app: App) => expect.poll(() => app.toasts.current.value?.text, { timeout: 10_000 })

it('a key whose action can’t be loaded shows a message', async () => {
  vi.doMock('../../src/renderer/store/job-actions.ts', () => {
    throw new Error('The file can’t be read')
  })
  try {
    const app = await appWithoutAPage(standard)
    await pressDelete(app)
    await shown(app).toBe(app.t.value.toasts.couldNot)
  } finally {
    vi.doUnmock('../../src/renderer/store/job-actions.ts')
  }
})

it('a key whose texts can’t be loaded shows a message, and loads them when it is pressed again', async () => {
  let isReadable = false
  const app = await appWithoutAPage(standard, async (name, language) => {
    if (name === 'views' && !isReadable) throw new Error('The file can’t be read')
    return catalogOf(language)
  })
  await pressDelete(app)
  await shown(app).toBe(app.t.value.toasts.couldNot)
  isReadable = true
  await pressDelete(app)
  await shown(app).toContain('IMG_0093.jpg')
})
