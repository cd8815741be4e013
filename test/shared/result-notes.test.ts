import { describe, expect, it } from 'vitest'
import { windowTranslation } from '../window-translation.ts'
import { noteSentence } from '../../src/shared/i18n/sentences.ts'
import { countNotes, RESULT_NOTES } from '../../src/shared/result-notes.ts'

describe('notes on the results of a job', () => {
  it('are counted', () => {
    expect(countNotes(['hardware-encoder', 'original-kept', 'original-kept'])).toEqual([
      { note: 'original-kept', results: 2 },
      { note: 'hardware-encoder', results: 1 },
    ])
    expect(countNotes([])).toEqual([])
  })

  it.each(['en-GB', 'de-DE'])(
    'are complete sentences for one result and for several in %s',
    async (locale) => {
      const t = windowTranslation(locale)
      for (const note of RESULT_NOTES)
        for (const results of [1, 3])
          expect(noteSentence({ note, results }, t)).toMatch(new RegExp(`${results}.*\\.$`))
    },
  )
})
