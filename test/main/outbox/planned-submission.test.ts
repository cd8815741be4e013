import { describe, expect, it } from 'vitest'
import { planDraft } from '../../../src/main/outbox/index.ts'
import { draftOf, titleOf } from '../../../src/main/outbox/planned-submission.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { draftOfFiles } from './drafts.ts'

const id = asRecordId('r_1')
const facts = { presets: null, drive: null, seesFiles: true }

function planned(draft: Draft) {
  const plan = planDraft(draft, facts, () => id)
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems))
  const [submission, ...more] = plan.submissions
  if (submission === undefined || more.length > 0) throw new Error('expected one submission')
  return submission
}

describe('a submission that is taken back', () => {
  it.each([
    ['files', draftOfFiles(['/in/a.jpg', '/in/b.mov'], { variations: 2, presets: [] })],
    ['a Drive folder', { ...draftOfFiles([]), source: { kind: 'drive', folderId: 'in-1' } }],
  ] as const)('is turned back into its original draft: %s', (_, draft) => {
    expect(draftOf([planned(draft)], id)).toEqual({ ...draft, done: 'again', editing: id })
    expect(draftOf([planned(draft)], null)).toEqual({ ...draft, done: 'again' })
  })
})

describe('the title of a submission', () => {
  it('names its first file and counts its photos and videos', () => {
    const draft = draftOfFiles(['/in/a.jpg', '/in/b.mov', '/in/c.png'])
    expect(titleOf(id, planned(draft), 7)).toEqual({
      id,
      name: 'a.jpg',
      firstPath: '/in/a.jpg',
      photos: 2,
      videos: 1,
      files: 3,
      preset: 'Web 2048',
      variations: 1,
      output: { kind: 'folder', path: '/home/me/out' },
      driveInput: null,
      place: { id, part: 0, parts: 1, photos: 2, videos: 1, presets: 1, folders: 1 },
      origin: 'ours',
      createdAt: 7,
    })
  })

  it('names a Drive folder, whose files are not counted', () => {
    const draft: Draft = { ...draftOfFiles([]), source: { kind: 'drive', folderId: 'in-1' } }
    expect(titleOf(id, planned(draft), 7)).toMatchObject({
      name: 'in-1',
      firstPath: null,
      photos: 0,
      videos: 0,
      files: null,
      driveInput: 'in-1',
    })
  })
})
