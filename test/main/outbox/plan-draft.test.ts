import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planDraft, type PlanningFacts } from '../../../src/main/outbox/index.ts'
import { fitsTheLimit, jobRequestOf } from '../../../src/main/outbox/job-request.ts'
import { draftOfFiles, mediaItem } from './drafts.ts'

const facts: PlanningFacts = {
  presets: { image: ['Web 2048', 'Both'], video: ['Film', 'Both'] },
  drive: { clientConfigured: true, connected: true, email: null, scope: null },
  seesFiles: true,
}
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
    ['half a variation', draftOfFiles(['/a.jpg'], { variations: 1.5 }), ['variationsInvalid']],
    ['no variation', draftOfFiles(['/a.jpg'], { variations: 0 }), ['variationsInvalid']],
    ['a preset nobody has', draftOfFiles(['/a.jpg'], { preset: 'Gone' }), ['presetUnknown']],
    ['a photo preset for a mixed set', draftOfFiles(['/a.jpg', '/b.mov']), ['presetNotFor']],
    ['a video preset for photos', draftOfFiles(['/a.jpg'], { preset: 'Film' }), ['presetNotFor']],
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
  ] as const)('is told apart: %s', (_, draft, expected) => {
    expect(codes(draft, facts)).toEqual(expected)
  })

  it('says that a drive is needed that is not connected', () => {
    const draft = draftOfFiles(['/a.jpg'], { output: { kind: 'drive', folderId: 'abc_-1' } })
    expect(codes(draft, facts)).toEqual([])
    expect(
      codes(draft, {
        ...facts,
        drive: { clientConfigured: true, connected: false, email: null, scope: null },
      }),
    ).toEqual(['driveNotConnected'])
  })

  it('says which file is too large to upload, only where it is uploaded', () => {
    const draft = draftOfFiles([], {
      source: {
        kind: 'files',
        items: [mediaItem('/fits.mov', 524_288_000), mediaItem('/big.mov', 524_288_001)],
      },
      preset: null,
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

  it('takes any preset while the lists are not known, one of both lists for a mixed set, or none', () => {
    const mixed = ['/a.jpg', '/b.mov']
    expect(codes(draftOfFiles(mixed, { preset: 'Gone' }), { ...facts, presets: null })).toEqual([])
    expect(codes(draftOfFiles(mixed, { preset: 'Both' }), facts)).toEqual([])
    expect(codes(draftOfFiles(mixed, { preset: null }), facts)).toEqual([])
  })

  it('becomes one submission, or one for each file', () => {
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

  it('becomes a request with exactly one input and one output', () => {
    const plan = planDraft(draftOfFiles(['/a.jpg'], { variations: 4 }), facts)
    const drive = planDraft(
      draftOfFiles([], {
        source: { kind: 'drive', folderId: 'in' },
        output: { kind: 'drive', folderId: 'out' },
      }),
      facts,
    )
    if (!plan.ok || !drive.ok) throw new Error('both can be planned')
    const [one] = plan.submissions
    const [other] = drive.submissions
    if (!one || !other) throw new Error('both have a submission')
    expect(jobRequestOf(one, ['/a.jpg'])).toEqual({
      filePath: '/a.jpg',
      outputFolder: '/home/me/out',
      preset: 'Web 2048',
      batchCount: 4,
    })
    expect(jobRequestOf(other, [])).toEqual({
      driveInputFolder: 'in',
      driveOutputFolder: 'out',
      preset: 'Web 2048',
    })
  })

  it('is split so that no request is larger than 64 KiB, and no file is lost, doubled or moved', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 240 })
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 700 }), (names) => {
        const paths = names.map((text, n) => `/in/${n}/${text}.jpg`)
        const plan = planDraft(draftOfFiles(paths), facts)
        if (!plan.ok) throw new Error('it can be planned')
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

  it('fills each request before it begins another', () => {
    const paths = Array.from({ length: 3000 }, (_, n) => `/home/me/Pictures/${n}.jpg`)
    const plan = planDraft(draftOfFiles(paths), facts)
    expect(plan.ok && plan.submissions.length).toBe(2)
  })

  it('leaves room for the paths that uploads will have', () => {
    const paths = Array.from({ length: 250 }, (_, n) => `/home/me/Pictures/${n}.jpg`)
    const plan = planDraft(draftOfFiles(paths), { ...facts, seesFiles: false })
    expect(plan.ok && plan.submissions.map(({ items }) => items.length)).toEqual([125, 125])
  })
})
