import { describe, expect, expectTypeOf, it } from 'vitest'
import { otherResources, ownResources } from '../../../src/shared/api/resources.ts'
import { VALUE_KINDS } from '../../../src/shared/failure/failure.ts'
import { catalogOf, createTranslation } from '../../../src/node/translation.ts'
import { messagesOf, placeholdersOf } from '../../../src/shared/i18n/catalog.ts'
import { describeLoss, lossKinds, lossLabel } from '../../../src/shared/i18n/losses.ts'
import { formatThatKeeps, loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { isLoss } from '../../../src/shared/loss/read-loss.ts'

const { losses } = catalogOf('en')
const [en, de] = [createTranslation('en-US'), createTranslation('de-DE')]
const PAGES = loss('pages', { count: 4, first: 2, last: 5 }, lossReason('holdsOnePage', { format: 'JPEG' }))
const HDR = loss('hdr', {}, lossReason('formatLacksKind', { format: 'JPEG' }))
const LATE = loss('middleSeconds', { seconds: 1.5, from: 3_665 }, lossReason('damaged'))

describe('a loss', () => {
  it('is described in both languages, with its reason', () => {
    expect([PAGES, HDR].map((one) => describeLoss(one, en))).toEqual([
      'Pages 2 to 5. JPEG holds one page.',
      'HDR. JPEG doesn’t support this type.',
    ])
    expect(describeLoss(PAGES, de)).toMatch(/ 2 bis 5\. JPEG .*\.$/)
  })

  it('of one page isn’t shown as a range, also in languages without a singular', () => {
    const one = loss('pages', { count: 1, first: 2, last: 2 }, lossReason('damaged'))
    expect([en, createTranslation('ja')].map((t) => lossLabel(one, t))).toEqual(['Page 2', '2ページ目'])
  })

  it('shows positions in a video as players do', () => {
    expect(describeLoss(LATE, en)).toBe('1.5 s, the first at 1:01:05. It’s damaged in the original.')
    expect(describeLoss(LATE, de)).toMatch(/^1,5 s, .* 1:01:05\./)
  })

  it('is summed up with others by kind', () => {
    expect(lossKinds(['pages'], en)).toBe('pages')
    expect(lossKinds(['pages', 'hdr', 'pages'], en)).toBe('pages and HDR')
    expect(lossKinds(['pages', 'hdr', 'middleSeconds'], de)).toMatch(/^\S+, HDR und \S+$/)
  })

  it('requires an entry in the catalog, and the values that its text names', () => {
    expectTypeOf(loss<'chapters'>)
      .parameter(1)
      .toEqualTypeOf<{ readonly count: number }>()
    // @ts-expect-error a code without an entry
    void loss('everything', {}, lossReason('damaged'))
    // @ts-expect-error a reason without its format
    void (() => lossReason('holdsOnePage'))
  })

  it.each(Object.entries(messagesOf({ ...losses.loss, ...losses.lossReason })))(
    'has only placeholders of a known kind: %s',
    (_code, message) => {
      expect([...placeholdersOf(message)].filter((name) => !Object.hasOwn(VALUE_KINDS, name))).toEqual([])
    },
  )

  it('has a kind for each code', () => {
    expect(Object.keys(losses.lossKind)).toEqual(Object.keys(messagesOf(losses.loss)))
  })

  it('names the format that keeps it, unless the result has it already or no format helps', () => {
    expect(formatThatKeeps(PAGES, 'image', 'jpg')).toBe('tiff')
    expect(formatThatKeeps(PAGES, 'image', 'tif')).toBeUndefined()
    expect(formatThatKeeps(PAGES, 'video', 'mp4')).toBeUndefined()
    const chapters = loss('chapters', { count: 2 }, lossReason('formatLacksThem', { format: 'WebM' }))
    expect(formatThatKeeps(chapters, 'video', 'webm')).toBe('mkv')
    const broken = loss('exif', {}, lossReason('damaged'))
    expect(formatThatKeeps(broken, 'image', 'png')).toBeUndefined()
  })

  it('is recognized only with known codes and the right values', () => {
    for (const one of [PAGES, HDR, LATE]) expect(isLoss(structuredClone(one))).toBe(true)
    const { why, ...bare } = PAGES
    const wrong = [
      bare,
      { ...PAGES, code: 'toString' },
      { ...PAGES, values: { first: 2, last: 5 } },
      { ...PAGES, why: { ...why, values: {} } },
      { ...PAGES, why: { code: 'full', values: {} } },
      null,
    ]
    expect(wrong.filter(isLoss)).toEqual([])
  })

  it('counts only in results of the built-in service', () => {
    const output = { file: 'a.tif', outputPath: '/out/a.jpg', losses: [PAGES], notes: ['tone-mapped'] }
    expect(ownResources.BatchOutput.parse(output)).toEqual(output)
    const { losses, notes } = otherResources().BatchOutput.parse(output)
    expect([losses, notes]).toEqual([undefined, undefined])
    expect(ownResources.BatchOutput.parse({ ...output, losses: [{ code: 'new' }] }).outputPath).toBe(
      '/out/a.jpg',
    )
  })
})
