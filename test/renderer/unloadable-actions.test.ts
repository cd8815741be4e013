import { expect, it, onTestFinished, vi } from 'vitest'
import { followKeyboard } from '../../src/renderer/keyboard.ts'
import type { PartAt } from '../../src/shared/model/job.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import { standard } from './harness/fixtures.ts'

it('a key whose action can’t be loaded shows a message', async () => {
  vi.doMock('../../src/renderer/store/job-actions.ts', () => {
    throw new Error('The file can’t be read')
  })
  // Other spec files run in the same process.
  onTestFinished(() => {
    vi.doUnmock('../../src/renderer/store/job-actions.ts')
    vi.unstubAllGlobals()
  })
  const app = await appWithoutAPage(standard)
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('HTMLElement', class extends EventTarget {})
  followKeyboard(app)
  app.history.need(0, 1)
  await expect.poll(() => app.history.view.value.total).not.toBeNull()
  const [record] = standard.records as readonly [PartAt<'history'>]
  app.route.jobPane.value = { kind: 'details', id: record.id }
  page.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key: 'Delete' }))
  await expect
    .poll(() => app.toasts.current.value?.text, { timeout: 10_000 })
    .toBe(app.t.value.toasts.couldNot)
})
