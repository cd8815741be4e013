import { waitingFor } from '../waiting-for.ts'
import { describe, expect, it } from 'vitest'
import { windowTranslation } from '../window-translation.ts'
import { driveFolderId } from '../../src/shared/drive-folder.ts'
import { presetGroups, toggled, type PresetList } from '../../src/renderer/pickers/preset-options.ts'
import type { OptionGroup } from '../../src/renderer/ui/form-controls.tsx'
import { subfolderFault } from '../../src/renderer/pickers/subfolder-field.tsx'
import { startStatusOf } from '../../src/renderer/store/start-status.ts'
import { readMegabytes } from '../../src/renderer/store/typed-size.ts'
import type { AppState } from '../../src/shared/model/app-state.ts'
import { taskOf, underSize } from '../../src/shared/preset/task-names.ts'
import { appWithoutAPage } from './harness/app-without-a-page.ts'
import { shortcutOf, shownShortcut } from '../../src/renderer/settings/shortcut-field.tsx'
import { fixture, standard } from './harness/fixtures.ts'

const ID = '1Zq8bTn4LwX0rVhK2eYcPfA7mUd'
const t = windowTranslation('en-GB')

describe('a Drive folder', () => {
  it.each([
    ID,
    ` ${ID} `,
    `https://drive.google.com/drive/folders/${ID}`,
    `https://drive.google.com/drive/u/1/folders/${ID}?usp=sharing`,
    `https://drive.google.com/open?id=${ID}`,
  ])('is found in %s', (text) => {
    expect(driveFolderId(text)).toBe(ID)
  })

  it.each(['results', 'Holidays 2026/small', '/'])('is given by its path on other drives: %s', (text) => {
    expect(driveFolderId(text)).toBe(text)
  })

  it.each(['', '../other', 'https://example.com/', 'https://drive.google.com/drive/my-drive'])(
    'is not found in %j',
    (text) => {
      expect(driveFolderId(text)).toBeNull()
    },
  )
})

const valuesOf = (groups: readonly OptionGroup[]) =>
  groups.map(({ label, options }) => [label, options.map(({ value }) => value)])

describe('the preset menu', () => {
  const { presets } = standard.state.connection
  const list = { presets, starred: [], chosen: [], contents: { photos: 0, videos: 0 } }
  const reasonsIn = (others: Partial<PresetList>): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(
      presetGroups({ ...list, ...others }, t)
        .flatMap(({ options }) => options)
        .filter(({ disabled }) => disabled)
        .map(({ value, why }) => [value, why]),
    )
  const reasons = (photos: number, videos: number) => reasonsIn({ contents: { photos, videos } })

  it('offers every preset for a mixed set, because several can be chosen', () => {
    expect(reasons(3, 2)).toEqual({})
  })

  it('explains what is missing if all files are of the other kind', () => {
    expect(reasons(3, 0)).toMatchObject({ 'Proxy 540p': t.newJob.needsVideos })
    expect(reasons(3, 0)).not.toHaveProperty('Web 2048')
    expect(reasons(0, 2)).toMatchObject({ 'Web 2048': t.newJob.needsPhotos })
    expect(reasons(0, 2)).not.toHaveProperty('Proxy 540p')
  })

  it('lists a preset for photos and videos once, among those for both', () => {
    const both = { image: ['A', 'B'], video: ['B', 'C'] }
    expect(valuesOf(presetGroups({ ...list, presets: both, chosen: ['B'] }, t))).toEqual([
      [t.newJob.photosAndVideos, ['B']],
      [t.newJob.photos, ['A']],
      [t.newJob.videos, ['C']],
      [undefined, ['']],
    ])
  })

  it('lists starred presets first, in the order of the settings, and only there', () => {
    const both = { image: ['A', 'B'], video: ['B', 'C'] }
    expect(valuesOf(presetGroups({ ...list, presets: both, starred: ['C', 'A', 'Gone'] }, t))).toEqual([
      [t.newJob.starred, ['C', 'A']],
      [t.newJob.photosAndVideos, ['B']],
      [undefined, ['']],
    ])
  })

  it('enables everything while there are no files', () => {
    expect(reasons(0, 0)).toEqual({})
  })

  it('offers no sixth preset, but still the five chosen ones', () => {
    const chosen = ['Clean metadata', 'Web ready', 'Web 2048', 'Thumbnails 512', 'Proxy 540p']
    expect(reasonsIn({ chosen })).toEqual({
      'Print A4 300 dpi': t.newJob.fiveAtMost,
      'H.264 1080p': t.newJob.fiveAtMost,
      'Social 9:16': t.newJob.fiveAtMost,
    })
    expect(toggled(chosen, 'Social 9:16')).toEqual(chosen)
    expect(toggled(chosen, 'Web 2048')).not.toContain('Web 2048')
    expect(toggled(['B'], 'A')).toEqual(['B', 'A'])
  })

  it('keeps and marks a selected preset that the service doesn’t have', () => {
    const groups = presetGroups({ ...list, chosen: ['Gone'] }, t)
    const options = groups.flatMap((group) => group.options)
    expect(options.find(({ value }) => value === 'Gone')?.why).toBe('unknown to the service')
  })

  it('ends with the basic defaults', () => {
    expect(
      presetGroups({ ...list, presets: null }, t)
        .at(-1)
        ?.options.at(-1)?.label,
    ).toBe('Basic defaults')
  })
})

describe('the name of a subfolder', () => {
  it.each([
    ['a/b', 'A name can’t contain /.'],
    ['a\\b', 'A name can’t contain \\.'],
    ['what?', 'A name can’t contain ?.'],
    ['..', t.newJob.nameInvalid],
    ['con', t.newJob.nameInvalid],
    ['a\u202Eb', t.newJob.nameInvalid],
  ])('can’t be %j', (name, sentence) => {
    expect(subfolderFault(name, t)).toBe(sentence)
  })

  it('may be any other, or missing', () => {
    expect([subfolderFault('für Oma', t), subfolderFault(null, t)]).toEqual([null, null])
  })
})

describe('a typed size', () => {
  it.each(['2.3', '25,4', '0.1', '999.999'])('names a task: %s MB', (text) => {
    const megabytes = Number(text.replace(',', '.'))
    expect(taskOf(underSize(readMegabytes(text, t)))).toEqual({ name: 'Under a size', megabytes })
  })

  it.each(['en-GB', 'de', 'de-CH', 'fr-FR', 'ar-EG', 'fa-IR', 'mr-IN'])(
    'can be read as it is shown in %s',
    (locale) => {
      const local = windowTranslation(locale)
      expect(readMegabytes(local.typedNumber(999.5), local)).toBe(999.5)
    },
  )
})

describe('the sentence next to the button', () => {
  const script = fixture('compose').script
  const { state } = script
  const { connection, outbox } = fixture('offline').script.state
  const outlook = async (others: Partial<AppState> = {}) =>
    startStatusOf(await appWithoutAPage({ ...script, state: { ...state, ...others } }))

  it.each([
    ['Starts right away.', {}],
    ['Starts after 3 other jobs.', { queue: { waiting: 2, processing: true } }],
    [
      'The queue is full. The job waits here and is sent automatically.',
      { queue: { waiting: 10, processing: true } },
    ],
    ['The service isn’t running. The job waits here until it is.', { connection }],
    ['All jobs are paused. This one waits here until you resume.', { quiet: waitingFor('paused') }],
    ['The job waits here until 22:00.', { quiet: waitingFor('time', new Date(2026, 10, 25, 22).getTime()) }],
    ['The job waits here until the computer is plugged in.', { quiet: waitingFor('power') }],
    ['The job waits here until the computer is idle.', { quiet: waitingFor('idle') }],
  ] as const)('is “%s”', async (sentence, others) => {
    const announced = !['Starts right away.', 'Starts after 3 other jobs.'].includes(sentence)
    expect(await outlook(others)).toEqual({ sentence, blocked: false, announced })
  })

  it('is announced if it names files, unless it also counts the jobs ahead', async () => {
    const draft = { ...state.draft, rejected: fixture('compose-types').script.state.draft.rejected }
    const without = 'Starts right away without the 2 files that can’t be used.'
    expect(await outlook({ draft })).toEqual({ sentence: without, blocked: false, announced: true })
    const queue = { waiting: 2, processing: true }
    expect(await outlook({ draft, queue })).toMatchObject({ announced: false })
  })

  it.each([
    ['unconfigured', t.newJob.unconfigured],
    ['connecting', t.newJob.connecting],
    ['keyRefused', t.newJob.keyRejected],
  ] as const)('explains the wait while the connection is %s', async (status, sentence) => {
    const connection = { ...state.connection, state: { status } }
    expect(await outlook({ connection })).toEqual({ sentence, blocked: false, announced: true })
  })

  it('counts the jobs ahead: at the service, here, and the running one', async () => {
    const after = async (waiting: number, processing: boolean, waitingHere: number) =>
      (await outlook({ queue: { waiting, processing }, outbox: outbox.slice(0, waitingHere) })).sentence
    expect(await after(0, true, 0)).toBe(t.newJob.startsAfter({ count: 1 }))
    expect(await after(0, false, 2)).toBe(t.newJob.startsAfter({ count: 2 }))
    expect(await after(9, true, 1)).toBe(t.newJob.startsAfter({ count: 11 }))
    expect((await outlook({ queue: null })).sentence).toBe(t.newJob.startsNow)
  })

  it.each([
    ['files', { source: { kind: 'files', items: [] } }, t.draftProblems.noInput],
    ['an output folder', { output: { kind: 'folder', path: '' } }, t.draftProblems.noOutput],
    ['a Drive folder', { output: { kind: 'drive', folderId: '../x' } }, t.newJob.notAFolderId],
  ] as const)('blocks the button without %s', async (_name, others, sentence) => {
    expect(await outlook({ draft: { ...state.draft, ...others } })).toEqual({
      sentence,
      blocked: true,
      announced: true,
    })
  })

  it('doesn’t ask for files if the input is a Drive folder', async () => {
    const draft = { ...state.draft, source: { kind: 'drive', folderId: ID } } as const
    expect((await outlook({ draft })).blocked).toBe(false)
  })
})

const pressed = (
  code: string,
  keys: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey', boolean>>,
) => shortcutOf({ code, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...keys })

describe('a shortcut', () => {
  it('is derived from the physical keys, not from the characters that they type', () => {
    expect(pressed('KeyM', { ctrlKey: true, altKey: true })).toBe('Control+Alt+M')
    expect(shownShortcut('Control+Alt+M')).toBe('Ctrl + Alt + M')
  })

  it('has its modifiers in a fixed order, and supports digits, function keys and Space', () => {
    const all = { metaKey: true, shiftKey: true, altKey: true, ctrlKey: true }
    expect(pressed('F12', all)).toBe('Control+Alt+Shift+Super+F12')
    expect(pressed('Digit4', { metaKey: true })).toBe('Super+4')
    expect(pressed('Space', { altKey: true })).toBe('Alt+Space')
    for (const code of ['F123', 'FX', 'Numpad4', 'Keypad', 'XKeyM', 'Escape'])
      expect(pressed(code, all)).toBeNull()
  })

  it('needs a key and a modifier other than Shift', () => {
    expect(pressed('KeyM', { shiftKey: true })).toBeNull()
    expect(pressed('ControlLeft', { ctrlKey: true })).toBeNull()
  })
})
