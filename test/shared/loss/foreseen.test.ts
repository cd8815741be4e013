import { expect, it } from 'vitest'
import { keepingFormatOf } from '../../../src/shared/loss/foreseen.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'

const holdsOne = lossReason('holdsOnePage', { format: 'JPEG' })
const pages = loss('pages', { count: 4, first: 2, last: 5 }, holdsOne)
const alpha = loss('alpha', {}, lossReason('formatLacksIt', { format: 'JPEG' }))
const inks = loss('inks', {}, lossReason('noFormat'))

it('finds the format that keeps what most files would lose', () => {
  const lost = [
    { path: '/a.png', losses: [alpha] },
    { path: '/b.tif', losses: [pages, alpha] },
    { path: '/c.tif', losses: [pages, pages] },
    { path: '/d.tif', losses: [inks, pages] },
  ]
  const items = lost.map(({ path }) => ({ path, kind: 'image' as const }))
  expect(keepingFormatOf(lost, items)).toEqual({
    format: 'tiff',
    paths: ['/b.tif', '/c.tif', '/d.tif'],
    others: 'JPEG',
  })
  expect(keepingFormatOf(lost.slice(0, 1), items)?.format).toBe('png')
  expect(keepingFormatOf([{ path: '/d.tif', losses: [inks] }], items)).toBe(undefined)
  // The user has removed the files meanwhile.
  expect(keepingFormatOf(lost, [])).toBe(undefined)
})
