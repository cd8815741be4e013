import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileEvents } from '../../src/main/cli/output/files.ts'
import { jobEvents } from '../../src/main/cli/output/jobs.ts'
import { originalsEvents } from '../../src/main/cli/output/originals.ts'
import { serviceEvents } from '../../src/main/cli/output/service.ts'
import { settingsEvents } from '../../src/main/cli/output/settings.ts'
import { submissionEvents } from '../../src/main/cli/output/submissions.ts'
import { watchEvents } from '../../src/main/cli/output/watching.ts'
import { OUTCOME_KINDS } from '../../src/shared/model/job.ts'
import { RESULT_NOTES } from '../../src/shared/result-notes.ts'

const root = resolve(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const [, page = ''] = /\n## Output\n([\s\S]*?)\n## /.exec(textOf('docs/cli.md')) ?? []
const rows = page.split('\n').filter((line) => line.startsWith('| `'))
const named = (text: string) =>
  new Set(Array.from(text.matchAll(/`([^`]*)`/g), ([, code = '']) => code.match(/[\w-]+/g) ?? []).flat())
const events = {
  ...fileEvents,
  ...jobEvents,
  ...originalsEvents,
  ...serviceEvents,
  ...settingsEvents,
  ...submissionEvents,
  ...watchEvents,
}

/** Fields that lines have, but that the functions for text don't read. */
const SHARED = [
  ['shared/model/job.ts', 'Outcome'],
  ['shared/model/job.ts', 'ResultFile'],
  ['shared/quality/quality.ts', 'Score'],
  ['shared/model/estimate.ts', 'Estimate'],
  ['shared/model/done-files.ts', 'DoneFile'],
  ['shared/model/saved.ts', 'Totals'],
  ['shared/result-notes.ts', 'NoteCount'],
  ['shared/loss/foreseen.ts', 'Foreseen'],
] as const

/** Names of fields of the arguments of other functions in the files with the events. */
const NOT_FIELDS = ['what']

const fieldsIn = (text: string) =>
  [...new Set(Array.from(text.matchAll(/\breadonly (\w+)\??:/g), ([, name = '']) => name))].filter(
    (name) => !NOT_FIELDS.includes(name),
  )

const typeIn = (file: string, name: string) => {
  const [, text = ''] =
    new RegExp(`\nexport type ${name} =([\\s\\S]*?)\n(?=\n|export |const |$)`).exec(textOf(`src/${file}`)) ??
    []
  return text
}

describe('the page about --json', () => {
  it('has a row for each event', () => {
    const described = rows.flatMap((row) => [...named(row.split('|')[1] ?? '')])
    // The steps of `progress` have no text.
    expect(described.toSorted()).toEqual([...Object.keys(events), 'progress'].toSorted())
  })

  it.each(['files', 'jobs', 'originals', 'service', 'settings', 'submissions', 'watching'])(
    'names all fields of the events about %s',
    (file) => {
      const words = named(page)
      expect(fieldsIn(textOf(`src/main/cli/output/${file}.ts`)).filter((name) => !words.has(name))).toEqual(
        [],
      )
    },
  )

  it.each(SHARED)('names the fields in %s of %s', (file, name) => {
    const fields = fieldsIn(typeIn(file, name))
    expect(fields.length).toBeGreaterThan(0)
    const words = named(page)
    expect(fields.filter((field) => !words.has(field))).toEqual([])
  })

  it('names every outcome and note', () => {
    const words = named(page)
    expect([...OUTCOME_KINDS, ...RESULT_NOTES].filter((name) => !words.has(name))).toEqual([])
  })
})
