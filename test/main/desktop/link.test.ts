import type { Dialog } from 'electron'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createDialogs as createAppDialogs } from '../../../src/main/desktop/dialogs.ts'
import { askToAdd } from '../../../src/main/desktop/launch/link.ts'
import { createTranslation } from '../../../src/shared/i18n/i18n.ts'
import { createDialogs } from '../../stand-in/electron/dialog.ts'
import type { RecordedDialog } from '../../stand-in/recorded.ts'
import { temporaryFolder } from '../core/open-core.ts'

const CANCEL = 0
const ADD = 1
const SHOW_MORE = 2

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

async function photos(count: number): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, index) => join(folder, `${index}.jpg`))
  for (const path of paths) await writeFile(path, 'x')
  return paths
}

/** Each dialog is answered with the next of these buttons. */
async function ask(paths: readonly string[], ...buttons: readonly number[]) {
  let shown: readonly RecordedDialog[] = []
  const dialogs = createDialogs((now) => (shown = now))
  for (const response of buttons) dialogs.answer({ kind: 'message', response })
  const yes = await askToAdd(paths, {
    dialogs: createAppDialogs({
      dialog: dialogs.dialog as unknown as Dialog,
      window: { current: () => undefined },
    }),
    t: createTranslation('en-GB', 'UTC'),
  })
  return { yes, options: shown[0]?.options, details: shown.map(({ options }) => options['detail']) }
}

it('takes files only after a yes; Enter and Escape are a no', async () => {
  const paths = await photos(1)
  expect((await ask(paths, ADD)).yes).toBe(true)
  const { yes, options } = await ask(paths, CANCEL)
  expect(yes).toBe(false)
  expect([options?.['defaultId'], options?.['cancelId']]).toEqual([0, 0])
})

it('names up to twelve files at once, and every other one before an answer is needed', async () => {
  const paths = await photos(26)
  expect((await ask(paths.slice(0, 12), CANCEL)).details).toEqual([paths.slice(0, 12).join('\n')])
  const { yes, details } = await ask(paths, SHOW_MORE, SHOW_MORE, SHOW_MORE, ADD)
  expect(yes).toBe(true)
  expect(details).toEqual([
    ['Files 1 to 12 of 26:', '', ...paths.slice(0, 12)].join('\n'),
    ['Files 13 to 24 of 26:', '', ...paths.slice(12, 24)].join('\n'),
    ['Files 25 to 26 of 26:', '', ...paths.slice(24)].join('\n'),
    ['Files 1 to 12 of 26:', '', ...paths.slice(0, 12)].join('\n'),
  ])
})

it('asks about nothing where one of the paths is a folder, or not there', async () => {
  const [photo = ''] = await photos(1)
  await mkdir(join(folder, 'holiday.jpg'))
  for (const other of ['holiday.jpg', 'missing.jpg']) {
    expect(await ask([photo, join(folder, other)], ADD)).toMatchObject({ yes: false, details: [] })
  }
})
