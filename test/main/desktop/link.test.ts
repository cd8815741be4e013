import type { Dialog } from 'electron'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDialogs as createAppDialogs } from '../../../src/main/desktop/dialogs.ts'
import { askToAdd, parseLink } from '../../../src/main/desktop/launch/link.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { createDialogs } from '../../stand-in/electron/dialog.ts'
import type { RecordedDialog } from '../../stand-in/recorded.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const CANCEL = 0
const ADD = 1
const SHOW_MORE = 2

let folder: string
beforeEach(async () => {
  folder = temporaryFolder()
})

async function photos(count: number): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, index) => join(folder, `${index}.jpg`))
  for (const path of paths) await writeFile(path, 'x')
  return paths
}

/** Answers each dialog with the next button in the list. */
async function ask(paths: readonly string[], ...buttons: readonly number[]) {
  let shown: readonly RecordedDialog[] = []
  const dialogs = createDialogs(
    (now) => (shown = now),
    () => 'linux',
  )
  for (const response of buttons) dialogs.answer({ kind: 'message', response })
  const yes = await askToAdd(paths, {
    dialogs: createAppDialogs(dialogs.dialog as unknown as Dialog, { current: () => undefined }),
    t: createTranslation('en-GB', 'UTC'),
  })
  return { yes, options: shown[0]?.options, details: shown.map(({ options }) => options['detail']) }
}

it('adds files only after confirmation; Enter and Escape both decline', async () => {
  const paths = await photos(1)
  expect((await ask(paths, ADD)).yes).toBe(true)
  const { yes, options } = await ask(paths, CANCEL)
  expect(yes).toBe(false)
  expect([options?.['defaultId'], options?.['cancelId']]).toEqual([0, 0])
})

it('lists up to twelve files at once, and shows all others before the user can confirm', async () => {
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

it('doesn’t ask if one of the paths is a folder, or missing', async () => {
  const [photo = ''] = await photos(1)
  await mkdir(join(folder, 'holiday.jpg'))
  for (const other of ['holiday.jpg', 'missing.jpg']) {
    expect(await ask([photo, join(folder, other)], ADD)).toMatchObject({ yes: false, details: [] })
  }
})

const addOnWindows = (path: string) => parseLink(`mediatray://add?path=${encodeURIComponent(path)}`, 'win32')

describe('a link', () => {
  it.each([
    ['mediatray://', { kind: 'show' }],
    ['mediatray://new', { kind: 'newJob' }],
    ['mediatray://job/r_12-ab', { kind: 'openJob', id: 'r_12-ab' }],
    ['mediatray://job/r_12-ab/', { kind: 'openJob', id: 'r_12-ab' }],
    [
      'mediatray://add?path=%2Fhome%2Fada%2Fa%20b.jpg&path=/x/%C3%A4.mp4',
      { kind: 'askToAdd', paths: ['/home/ada/a b.jpg', '/x/ä.mp4'] },
    ],
  ])('%s is recognized', (text, intent) => {
    expect(parseLink(text, 'linux')).toEqual(intent)
  })

  it('in any other form is ignored', () => {
    const links = [
      'mediatray://job/',
      'mediatray://job/a/b',
      'mediatray://job/a%2Fb',
      'mediatray://add',
      'mediatray://add?path=relative.jpg',
      'mediatray://add?path=/ok.jpg&path=../no.jpg',
      'mediatray://add?path=/a/../b.jpg',
      'mediatray://add?path=//server/share/a.jpg',
      'mediatray://add?path=/a%00.jpg',
      'mediatray://add?path=/photos',
      'mediatray://add?path=/run.sh',
      ...['\u202e', '\u202a', '\u2066', '\u2069', '\u200e', '\u200f', '\u2028'].map(
        (mark) => `mediatray://add?path=${encodeURIComponent(`/a${mark}b.jpg`)}`,
      ),
      `mediatray://add?${'path=/a.jpg&'.repeat(101)}`,
      'mediatray://delete',
      'mediatray://ada:pw@job/r1',
      'https://job/r1',
      'nonsense',
      `mediatray://job/${'x'.repeat(40_000)}`,
    ]
    expect(links.map((link) => parseLink(link, 'linux'))).toEqual(links.map(() => undefined))
  })

  it('on Windows may name drives, but not network shares, which would learn the user’s identity', () => {
    expect(addOnWindows('C:\\Users\\ada\\a.jpg')).toEqual({
      kind: 'askToAdd',
      paths: ['C:\\Users\\ada\\a.jpg'],
    })
    for (const path of [
      '\\\\evil\\share\\a.jpg',
      '\\\\?\\C:\\a.jpg',
      '/a.jpg',
      'C:a.jpg',
      'C:\\a\\..\\b.jpg',
    ]) {
      expect(addOnWindows(path)).toBeUndefined()
    }
  })
})
