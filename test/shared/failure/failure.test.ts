import { describe, expect, expectTypeOf, it } from 'vitest'
import { otherResources, ownResources } from '../../../src/shared/api/resources.ts'
import { failure, reason, VALUE_KINDS, type Failure } from '../../../src/shared/failure/failure.ts'
import { isFailure } from '../../../src/shared/failure/is-failure.ts'
import { notRestored } from '../../../src/shared/failure/not-restored.ts'
import { FailureSchema } from '../../../src/shared/failure/read-failure.ts'
import { messagesOf, placeholdersOf } from '../../../src/shared/i18n/catalog.ts'
import { describeFailure, reportedText } from '../../../src/shared/i18n/failures.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { catalogOf, createTranslation } from '../../../src/node/translation.ts'

const [{ failures: english }, { failures: german }] = [catalogOf('en'), catalogOf('de')]
const de = createTranslation('de-DE')
const FULL = failure('resultNotSavedIn', { folder: '/out', reason: reason('full') })

describe('a failure', () => {
  it('is described in both languages, with its values and its reason', () => {
    expect(inEnglish(FULL)).toBe('Couldn’t save the result in /out: the disk is full.')
    expect(describeFailure(FULL, de)).toBe(
      'Das Ergebnis ließ sich nicht in /out speichern: der Datenträger ist voll.',
    )
  })

  it('of an original that can’t be replaced where it is names both the file and its folder', () => {
    const failed = notRestored({ path: '/photos/a.jpg', kind: 'failed', why: 'readOnly' })
    expect(inEnglish(failed)).toContain('the file or its folder')
    expect(describeFailure(failed, de)).toContain('die Datei oder ihr Ordner')
  })

  it('of an original that another data folder manages names that folder', () => {
    const failed = notRestored({ path: '/photos/a.jpg', kind: 'failed', why: 'elsewhere', folder: '/data' })
    expect(inEnglish(failed)).toBe(
      'The original of a.jpg is managed by another Mediatray data folder: /data.',
    )
    expect(describeFailure(failed, de)).toMatch(/^Das Original von a\.jpg .*: \/data\.$/)
  })

  it('formats numbers and sizes for the language', () => {
    const space = failure('tooLittleSpace', { folder: '/a', freeBytes: 1_500_000, neededBytes: 12_345_678 })
    expect(inEnglish(space)).toContain('1.5 MB are free, about 12.3 MB')
    expect(describeFailure(space, de)).toContain('1,5 MB sind frei, etwa 12,3 MB')
    const large = failure('photoTooLarge', { width: 60_000, height: 1_234, megapixels: 3_600, limit: 134 })
    expect(inEnglish(large)).toContain('60000 × 1234 is 3,600 megapixels')
    expect(describeFailure(large, de)).toContain('60000 × 1234 sind 3.600 Megapixel')
  })

  it('requires an entry in the catalog, and the values that its text names', () => {
    expectTypeOf(failure<'folderFull'>).parameters.toEqualTypeOf<
      ['folderFull', values: { readonly folder: string }]
    >()
    // @ts-expect-error a code without an entry
    void failure('noSuchCode')
    // @ts-expect-error a failure without its folder
    void (() => failure('folderFull'))
    // @ts-expect-error a number instead of a string
    void (() => failure('folderFull', { folder: 7 }))
  })

  it.each(Object.entries(messagesOf({ ...english.failure, ...english.failureReason })))(
    'has only placeholders of a known kind: %s',
    (_code, message) => {
      expect([...placeholdersOf(message)].filter((name) => !Object.hasOwn(VALUE_KINDS, name))).toEqual([])
    },
  )

  it('has a different text in German', () => {
    const same = Object.keys(english.failure).filter((code) => english.failure[code] === german.failure[code])
    expect(same).toEqual(['folderIdInvalid'])
  })
})

const hostile: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a text', 'fileEmpty'],
  ['a list', ['fileEmpty']],
  ['an unknown code', { code: 'fileGoneToTheMoon', values: {} }],
  ['the name of a prototype', { code: '__proto__', values: {} }],
  ['a method of every object', { code: 'constructor', values: {} }],
  ['another method', { code: 'toString', values: {} }],
  ['a code that is no text', { code: 7, values: {} }],
  ['no values', { code: 'fileEmpty' }],
  ['values that are a list', { code: 'fileEmpty', values: [] }],
  ['more values than the text has', { code: 'fileEmpty', values: { folder: '/a' } }],
  ['fewer', { code: 'folderFull', values: {} }],
  ['a number for a text', { code: 'folderFull', values: { folder: 7 } }],
  ['an object for a text', { code: 'folderFull', values: { folder: { toString: 'x' } } }],
  ['a text for a number', { code: 'queueFull', values: { count: '10' } }],
  ['no number', { code: 'queueFull', values: { count: Number.NaN } }],
  ['an endless number', { code: 'queueFull', values: { count: Number.POSITIVE_INFINITY } }],
  ['a huge text', { code: 'folderFull', values: { folder: 'x'.repeat(1_000_000) } }],
  ['a text for a reason', { code: 'fileDamaged', values: { reason: 'full' } }],
  ['an unknown reason', { code: 'fileDamaged', values: { reason: { code: 'valueOf', values: {} } } }],
  ['a failure for a reason', { code: 'fileDamaged', values: { reason: { code: 'fileEmpty', values: {} } } }],
  ['a reason for a failure', { code: 'full', values: {} }],
]

/** Counts how often the complete failure occurs. */
const codes = (read: unknown): number => JSON.stringify(read).split('resultNotSavedIn').length - 1

describe('reading a failure', () => {
  it('accepts a failure of this build after a round trip through JSON', () => {
    expect(FailureSchema.parse(JSON.parse(JSON.stringify(FULL)))).toEqual(FULL)
    const counted = failure('inputsUnaccounted', { count: 2 })
    expect(isFailure(JSON.parse(JSON.stringify(counted)))).toBe(true)
  })

  it.each(hostile)('rejects anything else: %s', (_name, value) => {
    expect(isFailure(value)).toBe(false)
  })

  it.each(hostile)('keeps only the text if it comes with %s', (_name, value) => {
    const skipped = [{ file: 'a.jpg', error: 'its words', failure: value }]
    const read = ownResources.ApiError.parse({ error: 'its words', failure: value, skipped })
    expect(read.failure).toBeUndefined()
    expect(read.skipped?.[0]).toMatchObject({ file: 'a.jpg', error: 'its words' })
    expect(reportedText(read.error, read, de)).toBe('its words')
  })

  it('accepts codes from the built-in service only', () => {
    const body = { error: 'its words', failure: FULL, skipped: [{ file: 'a', error: 'b', failure: FULL }] }
    const own = ownResources.ApiError.parse(body)
    expect([own.failure, own.skipped?.[0]?.failure]).toEqual([FULL, FULL])
    const other = otherResources().ApiError.parse(body)
    expect([other.failure, other.skipped?.[0]?.failure]).toEqual([undefined, undefined])
    expect(reportedText(other.error, other, de)).toBe('its words')
  })

  it('ignores the codes of another service anywhere in a job', () => {
    const job = {
      jobId: 'a',
      status: 'completed',
      type: 'batch',
      preset: 'x',
      progress: {},
      createdAt: '',
      startedAt: null,
      completedAt: null,
      error: 'one',
      failure: FULL,
      errors: [{ file: 'a', error: 'two', failure: FULL }],
      drive: {
        uploadResult: { uploaded: 0, errors: [{ name: 'a', error: 'three', failure: FULL }] },
        uploadError: 'four',
        uploadFailure: FULL,
      },
    }
    expect(codes(ownResources.Job.parse(job))).toBe(4)
    expect(codes(otherResources().Job.parse(job))).toBe(0)
  })
})

it('a failure is a union that can be narrowed by its code', () => {
  const known: Failure = FULL
  if (known.code === 'resultNotSavedIn') expectTypeOf(known.values.folder).toEqualTypeOf<string>()
  expect(known.code).toBe('resultNotSavedIn')
})
