import { describe, expect, it } from 'vitest'
import { createWindowTranslation, loadWindowTexts } from '../../src/shared/i18n/i18n.ts'
import { driveFolderId } from '../../src/shared/drive-folder.ts'
import { presetGroups } from '../../src/renderer/pickers/preset-picker.tsx'
import { startOutlook } from '../../src/renderer/store/start-draft.ts'
import type { OutlookParts } from '../../src/renderer/store/start-draft.ts'
import { shortcutOf, shownShortcut } from '../../src/renderer/settings/general-settings.tsx'
import { fixtures, standard } from './harness/fixtures.ts'

const ID = '1Zq8bTn4LwX0rVhK2eYcPfA7mUd'
const t = createWindowTranslation(await loadWindowTexts('en'), 'en-GB')

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

  it.each(['results', 'Holidays 2026/small', '/'])('is named by its path on other drives: %s', (text) => {
    expect(driveFolderId(text)).toBe(text)
  })

  it.each(['', '../other', 'https://example.com/', 'https://drive.google.com/drive/my-drive'])(
    'is not found in %j',
    (text) => {
      expect(driveFolderId(text)).toBeNull()
    },
  )
})

describe('the choice of presets', () => {
  const { presets } = standard.state.connection
  const reasons = (photos: number, videos: number): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(
      presetGroups(presets, { photos, videos }, null, t)
        .flatMap(({ options }) => options)
        .filter(({ disabled }) => disabled)
        .map(({ value, why }) => [value, why]),
    )

  it('gives the reason why a preset can’t be used for a mixed set', () => {
    expect(reasons(3, 2)).toEqual({
      'Web 2048': 'not for videos',
      'Print A4 300 dpi': 'not for videos',
      'Thumbnails 512': 'not for videos',
      'H.264 1080p': 'not for photos',
      'Social 9:16': 'not for photos',
      'Proxy 540p': 'not for photos',
    })
  })

  it('says what is missing where all files are of the other kind', () => {
    expect(reasons(3, 0)).toMatchObject({ 'Proxy 540p': t.newJob.needsVideos })
    expect(reasons(3, 0)).not.toHaveProperty('Web 2048')
    expect(reasons(0, 2)).toMatchObject({ 'Web 2048': t.newJob.needsPhotos })
    expect(reasons(0, 2)).not.toHaveProperty('Proxy 540p')
  })

  it('names a preset for photos and videos once, among those for both', () => {
    const groups = presetGroups({ image: ['A', 'B'], video: ['B', 'C'] }, { photos: 1, videos: 1 }, 'B', t)
    expect(groups.map(({ label, options }) => [label, options.map(({ value }) => value)])).toEqual([
      [t.newJob.photosAndVideos, ['B']],
      [t.newJob.photos, ['A']],
      [t.newJob.videos, ['C']],
      [undefined, ['']],
    ])
  })

  it('leaves everything open while there are no files', () => {
    expect(reasons(0, 0)).toEqual({})
  })

  it('keeps a chosen preset that the service does not know, and says so', () => {
    const options = presetGroups(presets, { photos: 1, videos: 0 }, 'Gone', t).flatMap(
      (group) => group.options,
    )
    expect(options.find(({ value }) => value === 'Gone')?.why).toBe('not known to the service')
  })

  it('ends with the basic defaults', () => {
    expect(presetGroups(null, { photos: 1, videos: 0 }, null, t).at(-1)?.options.at(-1)?.label).toBe(
      'Basic defaults',
    )
  })
})

describe('the sentence beside the button', () => {
  const { state } = fixtures['compose']?.script ?? standard
  const outlook = (others: Partial<OutlookParts> = {}) =>
    startOutlook(
      {
        draft: state.draft,
        connection: state.connection,
        queue: state.queue,
        waitingHere: 0,
        paused: false,
        ...others,
      },
      t,
    )

  it.each([
    ['Starts right away.', {}],
    ['Starts after 3 other jobs.', { queue: { waiting: 2, processing: true } }],
    ['The queue is full. Waits here and is sent by itself.', { queue: { waiting: 10, processing: true } }],
    [
      'The service isn’t running. Waits here until it is.',
      { connection: fixtures['offline']?.script.state.connection ?? state.connection },
    ],
    ['Sending is paused. Waits here until it goes on.', { paused: true }],
  ] as const)('says “%s”', (sentence, others) => {
    expect(outlook(others)).toEqual({ sentence, blocked: false })
  })

  it.each([
    ['unconfigured', t.newJob.unconfigured],
    ['connecting', t.newJob.connecting],
    ['keyRefused', t.newJob.keyRejected],
  ] as const)('says what it waits for while the connection is %s', (status, sentence) => {
    const connection = { ...state.connection, state: { status } }
    expect(outlook({ connection })).toEqual({ sentence, blocked: false })
  })

  it('counts what goes before: at the service, here, and the one that runs', () => {
    const after = (waiting: number, processing: boolean, waitingHere: number) =>
      outlook({ queue: { waiting, processing }, waitingHere }).sentence
    expect(after(0, true, 0)).toBe(t.newJob.startsAfter({ count: 1 }))
    expect(after(0, false, 2)).toBe(t.newJob.startsAfter({ count: 2 }))
    expect(after(9, true, 1)).toBe(t.newJob.startsAfter({ count: 11 }))
    expect(outlook({ queue: null, waitingHere: 0 }).sentence).toBe(t.newJob.startsNow)
  })

  it.each([
    ['files', { source: { kind: 'files', items: [] } }, t.draftProblems.noInput],
    ['a folder for the results', { output: { kind: 'folder', path: '' } }, t.draftProblems.noOutput],
    ['a folder on the drive', { output: { kind: 'drive', folderId: '../x' } }, t.newJob.notAFolderId],
  ] as const)('blocks the button without %s', (_name, others, sentence) => {
    expect(outlook({ draft: { ...state.draft, ...others } })).toEqual({ sentence, blocked: true })
  })

  it('asks for no files where a folder of the drive is the input', () => {
    const draft = { ...state.draft, source: { kind: 'drive', folderId: ID } } as const
    expect(outlook({ draft }).blocked).toBe(false)
  })

  it('blocks the button while Drive is not connected, and says what helps', () => {
    const drive = fixtures['compose-drive']?.script.state ?? state
    expect(outlook({ draft: drive.draft, connection: drive.connection })).toEqual({
      sentence: 'Connect Drive, or save to a folder.',
      blocked: true,
    })
  })

  it('says which files are left out', () => {
    const { draft } = fixtures['compose-mixed']?.script.state ?? state
    expect(outlook({ draft }).sentence).toBe('Starts right away. The 3 that can’t be used are left out.')
  })
})

const pressed = (
  code: string,
  keys: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey', boolean>>,
) => shortcutOf({ code, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false, ...keys })

describe('a shortcut', () => {
  it('is taken from the keys, not from the letter that they write', () => {
    expect(pressed('KeyM', { ctrlKey: true, altKey: true })).toBe('Control+Alt+M')
    expect(shownShortcut('Control+Alt+M')).toBe('Ctrl + Alt + M')
  })

  it('writes its modifiers in one order, and knows digits, function keys and Space', () => {
    const all = { metaKey: true, shiftKey: true, altKey: true, ctrlKey: true }
    expect(pressed('F12', all)).toBe('Control+Alt+Shift+Super+F12')
    expect(pressed('Digit4', { metaKey: true })).toBe('Super+4')
    expect(pressed('Space', { altKey: true })).toBe('Alt+Space')
    for (const code of ['F123', 'FX', 'Numpad4', 'Keypad', 'XKeyM', 'Escape'])
      expect(pressed(code, all)).toBeNull()
  })

  it('needs more than Shift', () => {
    expect(pressed('KeyM', { shiftKey: true })).toBeNull()
    expect(pressed('ControlLeft', { ctrlKey: true })).toBeNull()
  })
})
