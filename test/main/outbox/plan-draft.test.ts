import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planDraft as planWith, type PlanningFacts } from '../../../src/main/outbox/index.ts'
import { fitsTheLimit, jobRequestOf } from '../../../src/main/outbox/job-request.ts'
import { shortIdentities } from '../../../src/node/identity-list.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { draftOfFiles, mediaItem } from './drafts.ts'

const facts: PlanningFacts = {
  presets: { image: ['Web 2048', 'Both'], video: ['Video', 'Both'] },
  drive: { clientConfigured: true, connected: true, email: null, scope: null },
  seesFiles: true,
}
let made = 0
const ids = () => asRecordId(`g${++made}`)
const planDraft = (draft: Draft, given: PlanningFacts) => planWith(draft, given, ids)
const codes = (...input: Parameters<typeof planDraft>) => {
  const plan = planDraft(...input)
  return plan.ok ? [] : plan.problems.map(({ code }) => code)
}

describe('a draft that the service would refuse', () => {
  it.each([
    ['no files', draftOfFiles([]), ['noInput']],
    ['a relative input', draftOfFiles(['one.jpg']), ['noInput']],
    ['no output', draftOfFiles(['/a.jpg'], { output: { kind: 'folder', path: '' } }), ['noOutput']],
    [
      'a relative output',
      draftOfFiles(['/a.jpg'], { output: { kind: 'folder', path: 'out' } }),
      ['outputNotAbsolute'],
    ],
    [
      'an output in a vault',
      draftOfFiles(['/a.jpg'], { output: { kind: 'folder', path: '/.mediatray-vault-a1/job/results' } }),
      ['outputInVault'],
    ],
    ['half a variation', draftOfFiles(['/a.jpg'], { variations: 1.5 }), ['variationsInvalid']],
    ['no variation', draftOfFiles(['/a.jpg'], { variations: 0 }), ['variationsInvalid']],
    ['an unknown preset', draftOfFiles(['/a.jpg'], { presets: ['Gone'] }), ['presetUnknown']],
    ['a photo preset for a mixed set', draftOfFiles(['/a.jpg', '/b.mov']), ['presetNotFor']],
    ['a video preset for photos', draftOfFiles(['/a.jpg'], { presets: ['Video'] }), ['presetNotFor']],
    [
      'a sharing link',
      draftOfFiles(['/a.jpg'], { output: { kind: 'drive', folderId: 'https://drive/x' } }),
      ['driveFolderInvalid'],
    ],
    [
      'a folder that leads out of the drive',
      draftOfFiles(['/a.jpg'], { output: { kind: 'drive', folderId: '../x' } }),
      ['driveFolderInvalid'],
    ],
    [
      'several at once',
      draftOfFiles([], { output: { kind: 'folder', path: 'x' }, variations: -1 }),
      ['noInput', 'outputNotAbsolute', 'variationsInvalid'],
    ],
  ] as const)('is recognized: %s', (_, draft, expected) => {
    expect(codes(draft, facts)).toEqual(expected)
  })

  it('is recognized if it needs a drive that is not connected', () => {
    const draft = draftOfFiles(['/a.jpg'], { output: { kind: 'drive', folderId: 'abc_-1' } })
    expect(codes(draft, facts)).toEqual([])
    expect(
      codes(draft, {
        ...facts,
        drive: { clientConfigured: true, connected: false, email: null, scope: null },
      }),
    ).toEqual(['driveNotConnected'])
  })

  it('is recognized if a file is too large to upload, but only if it would be uploaded', () => {
    const draft = draftOfFiles([], {
      source: {
        kind: 'files',
        items: [mediaItem('/fits.mov', 524_288_000), mediaItem('/big.mov', 524_288_001)],
      },
      presets: [],
    })
    expect(codes(draft, facts)).toEqual([])
    expect(planDraft(draft, { ...facts, seesFiles: false })).toEqual({
      ok: false,
      problems: [{ code: 'tooLargeToUpload', name: 'big.mov', size: 524_288_001 }],
    })
  })
})

describe('a draft that can be started', () => {
  it.each(['/home/me', 'C:\\out', 'c:/out', '\\\\server\\share'])('may save to %s', (path) => {
    expect(codes(draftOfFiles(['D:\\in\\a.jpg'], { output: { kind: 'folder', path } }), facts)).toEqual([])
  })

  it('may have any preset while the preset lists are unknown, one from both lists for a mixed set, or no preset', () => {
    const mixed = ['/a.jpg', '/b.mov']
    expect(codes(draftOfFiles(mixed, { presets: ['Gone'] }), { ...facts, presets: null })).toEqual([])
    expect(codes(draftOfFiles(mixed, { presets: ['Both'] }), facts)).toEqual([])
    expect(codes(draftOfFiles(mixed, { presets: [] }), facts)).toEqual([])
  })

  it('is turned into one submission, or one per file', () => {
    const paths = ['/a.jpg', '/b.jpg', '/c.jpg']
    const together = planDraft(draftOfFiles(paths), facts)
    const separate = planDraft(draftOfFiles(paths, { grouping: 'separate' }), facts)
    expect(together.ok && together.submissions).toHaveLength(1)
    expect(separate.ok && separate.submissions.map(({ items }) => items.map(({ path }) => path))).toEqual([
      ['/a.jpg'],
      ['/b.jpg'],
      ['/c.jpg'],
    ])
  })

  it('is turned into a submission of a Drive folder', () => {
    const output = { kind: 'drive', folderId: 'out' } as const
    const plan = planDraft(draftOfFiles([], { source: { kind: 'drive', folderId: 'in' }, output }), facts)
    expect(plan.ok && plan.submissions).toMatchObject([{ items: [], driveInput: 'in', output }])
  })

  it('is split into requests of at most 64 KiB without losing, duplicating or reordering files', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 240 })
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 700 }), (names) => {
        const paths = names.map((text, n) => `/in/${n}/${text}.jpg`)
        const plan = planDraft(draftOfFiles(paths), facts)
        if (!plan.ok) throw new Error('the draft can’t be planned')
        for (const submission of plan.submissions) {
          const request = jobRequestOf(
            submission,
            submission.items.map(({ path }) => path),
          )
          expect(fitsTheLimit(request)).toBe(true)
        }
        expect(plan.submissions.flatMap(({ items }) => items.map(({ path }) => path))).toEqual(paths)
      }),
      { numRuns: 40 },
    )
  })

  it('fills each request before it starts another', () => {
    const paths = Array.from({ length: 3000 }, (_, n) => `/home/me/Pictures/${n}.jpg`)
    const plan = planDraft(draftOfFiles(paths), facts)
    expect(plan.ok && plan.submissions.length).toBe(4)
  })

  it('fits thousands of files that were added together into two requests, with their identities', () => {
    const paths = Array.from({ length: 3000 }, (_, n) => `/home/me/Pictures/${n}.jpg`)
    const items = paths.map((path, n) => ({
      ...mediaItem(path),
      identity: `64769:${52_431_234 + ((n * 7_919) % 3_000)}:1000:1000:420`,
    }))
    const plan = planDraft({ ...draftOfFiles([]), source: { kind: 'files', items } }, facts)
    if (!plan.ok) throw new Error('the draft can’t be planned')
    expect(plan.submissions).toHaveLength(2)
    for (const submission of plan.submissions) {
      const identities = shortIdentities(submission.items.map(({ identity = '' }) => identity))
      const given = submission.items.map(({ path }) => path)
      expect(fitsTheLimit({ ...jobRequestOf(submission, given), identities })).toBe(true)
    }
  })

  it('leaves room for the paths that uploads will have', () => {
    const paths = Array.from({ length: 250 }, (_, n) => `/home/me/Pictures/${n}.jpg`)
    const plan = planDraft(draftOfFiles(paths), { ...facts, seesFiles: false })
    expect(plan.ok && plan.submissions.map(({ items }) => items.length)).toEqual([125, 125])
  })
})
