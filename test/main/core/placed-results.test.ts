/** Which result belongs to which original. */
import { expect, it } from 'vitest'
import { resultsOf } from '../../../src/main/core/placed-results.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'

const FOLDER = '/home/me/photos'
const RESULTS = '/home/me/.mediatray-vault-0/job/results'

/** @param files what the service calls the original of each result, and the result's name */
function pairs(names: readonly string[], files: readonly (readonly [file: string, result: string])[]) {
  const record = {
    inputs: names.map((name) => ({ path: `${FOLDER}/${name}`, name })),
    results: files.map(([file, result], index) => ({ file, outputPath: `${RESULTS}/${result}`, index })),
  }
  const found = resultsOf(record as unknown as PartDetails)
  return names.map((name) => found.get(`${FOLDER}/${name}`)?.slice(RESULTS.length + 1))
}

it('a name with a backslash is a whole name where that is possible, and never another file’s result', () => {
  const names = ['back\\slash.jpg', 'slash.jpg', 'other.jpg']
  const files = [
    [`${FOLDER}/slash.jpg`, '2.jpg'],
    [`${FOLDER}/back\\slash.jpg`, '1.jpg'],
    [`${FOLDER}/other.jpg`, '3.jpg'],
  ] as const
  expect(pairs(names, files)).toEqual(['1.jpg', '2.jpg', '3.jpg'])
  expect(pairs(names.slice(0, 2), files.slice(1, 2))).toEqual(['1.jpg', undefined])
})

it('a service may report names, or paths of another system', () => {
  expect(
    pairs(
      ['a.jpg', 'b.jpg'],
      [
        ['b.jpg', '2.jpg'],
        ['a.jpg', '1.jpg'],
      ],
    ),
  ).toEqual(['1.jpg', '2.jpg'])
  expect(
    pairs(
      ['a.jpg', 'b.jpg'],
      [
        ['D:\\photos\\b.jpg', '2.jpg'],
        ['D:\\photos\\a.jpg', '1.jpg'],
      ],
    ),
  ).toEqual(['1.jpg', '2.jpg'])
})
