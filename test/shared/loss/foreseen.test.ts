import { expect, it } from 'vitest'
import { contentsOf, keepingFormatOf } from '../../../src/shared/loss/foreseen.ts'
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

it('tells all that a file has in addition to its first picture', () => {
  const holds = { pages: 1, chapters: 3, keepsHdr: true, resultFormat: 'MP4' }
  expect(contentsOf('/a.mkv', holds, [])).toEqual([
    { path: '/a.mkv', code: 'chapters', count: 3, keptBy: 'MP4' },
    { path: '/a.mkv', code: 'hdr', keptBy: 'MP4' },
  ])
  const scan = { ...holds, pages: 5, chapters: 0, keepsHdr: false }
  expect(contentsOf('/a.tif', scan, [pages])).toEqual([
    { path: '/a.tif', code: 'pages', count: 5, keptBy: null },
  ])
})
