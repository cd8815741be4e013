import type { Dialog } from 'electron'
import { expect, it } from 'vitest'
import { createDialogs as createAppDialogs } from '../../../src/main/desktop/dialogs.ts'
import { askToAdd } from '../../../src/main/desktop/launch/ask-to-add.ts'
import { createTranslation } from '../../../src/shared/i18n/i18n.ts'
import { createDialogs } from '../../stand-in/electron/dialog.ts'
import type { RecordedDialog } from '../../stand-in/recorded.ts'

async function ask(paths: readonly string[], response: number) {
  let shown: readonly RecordedDialog[] = []
  const dialogs = createDialogs((now) => (shown = now))
  dialogs.answer({ kind: 'message', response })
  const yes = await askToAdd(paths, {
    dialogs: createAppDialogs({
      dialog: dialogs.dialog as unknown as Dialog,
      window: { current: () => undefined },
    }),
    t: createTranslation('en-GB', 'UTC'),
  })
  return { yes, options: shown[0]?.options }
}

it('takes files only after a yes; Enter and Escape are a no', async () => {
  expect((await ask(['/a.jpg'], 1)).yes).toBe(true)
  const { yes, options } = await ask(['/a.jpg'], 0)
  expect(yes).toBe(false)
  expect([options?.['defaultId'], options?.['cancelId']]).toEqual([0, 0])
})

it('names up to twelve files, and says that there are more', async () => {
  const paths = Array.from({ length: 13 }, (_, index) => `/photos/${index}.jpg`)
  expect((await ask(paths.slice(0, 12), 0)).options?.['detail']).toBe(paths.slice(0, 12).join('\n'))
  expect((await ask(paths, 0)).options?.['detail']).toBe([...paths.slice(0, 12), '…'].join('\n'))
})
