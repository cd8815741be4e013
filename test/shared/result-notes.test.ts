import { describe, expect, it } from 'vitest'
import { createWindowTranslation, loadWindowTexts } from '../../src/shared/i18n/i18n.ts'
import { noteSentence } from '../../src/shared/i18n/sentences.ts'
import { notesInPhase, phaseWithNotes, RESULT_NOTES } from '../../src/shared/result-notes.ts'

describe('notes on the results of a job', () => {
  it('are counted in the last phase, from which they can be parsed again', () => {
    const phase = phaseWithNotes('Done', ['hardware-encoder', 'original-kept', 'original-kept'])
    expect(phase).toBe('Done (original kept: 2, graphics chip: 1)')
    expect(notesInPhase(phase)).toEqual([
      { note: 'original-kept', results: 2 },
      { note: 'hardware-encoder', results: 1 },
    ])
  })

  it('add nothing to the phase if there are none', () => {
    expect(phaseWithNotes('Done', [])).toBe('Done')
    expect(notesInPhase('Done')).toEqual([])
    expect(notesInPhase(undefined)).toEqual([])
  })

  it('are not found in another service’s text', () => {
    expect(notesInPhase('Finished (all: 3)')).toEqual([])
    expect(notesInPhase('Done (original kept: lots)')).toEqual([])
    expect(notesInPhase('Done (original kept: 1')).toEqual([])
  })

  it.each(['en-GB', 'de-DE'])(
    'are complete sentences for one result and for several in %s',
    async (locale) => {
      const t = createWindowTranslation(await loadWindowTexts(locale === 'de-DE' ? 'de' : 'en'), locale)
      for (const note of RESULT_NOTES)
        for (const results of [1, 3])
          expect(noteSentence({ note, results }, t)).toMatch(new RegExp(`${results}.*\\.$`))
    },
  )
})
