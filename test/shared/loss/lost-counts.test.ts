import { expect, it } from 'vitest'
import { fineLossesIn, fineLossesOf, withFineLoss } from '../../../src/shared/loss/fine-losses.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { addLost, countLost, lostCodes, lostResults } from '../../../src/shared/loss/lost-counts.ts'

const PAGES = loss('pages', { count: 4, first: 2, last: 5 }, lossReason('holdsOnePage', { format: 'JPEG' }))
const HDR = loss('hdr', {}, lossReason('formatLacksKind', { format: 'JPEG' }))

it('counts results that lost something, each once, without those whose losses are fine', () => {
  const counts = countLost([{ losses: [PAGES, HDR] }, { losses: [HDR, PAGES] }, { losses: [PAGES] }, {}])
  expect(counts).toEqual([
    { codes: ['hdr', 'pages'], results: 2 },
    { codes: ['pages'], results: 1 },
  ])
  expect([[], ['pages'], ['hdr', 'pages']].map((fine) => lostResults(counts, fine as never))).toEqual([
    3, 2, 0,
  ])
  expect(lostCodes(counts, ['pages'])).toEqual(['hdr'])
  expect(addLost([counts, undefined, counts])).toEqual([
    { codes: ['hdr', 'pages'], results: 4 },
    { codes: ['pages'], results: 2 },
  ])
  expect([countLost([{}, { losses: [] }]), addLost([undefined])]).toEqual([undefined, undefined])
})

it('remembers what is fine for each preset, and lists everything for a job with several', () => {
  const fine = withFineLoss({ fineLosses: { Mail: ['hdr'] } }, 'Web', 'pages', true)
  expect(fine).toEqual({ fineLosses: { Mail: ['hdr'], Web: ['pages'] } })
  expect(withFineLoss(fine, 'Mail', 'hdr', false)).toEqual({ fineLosses: { Mail: [], Web: ['pages'] } })
  expect(fineLossesOf(withFineLoss(fine, null, 'hdr', true), null)).toEqual(['hdr'])
  const place = { id: 'r1' as never, part: 0, parts: 2, photos: 2, videos: 0, presets: 2, folders: 1 }
  expect(fineLossesIn(fine, { place, preset: 'Web' })).toEqual([])
  expect(fineLossesIn(fine, { place: { ...place, presets: 1 }, preset: 'Web' })).toEqual(['pages'])
})
