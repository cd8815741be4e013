/** Applies a folder's rules, with every kind of condition, to 10,000 photos. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderRule } from '../src/shared/model/folder-rules.ts'
import type { RuleCondition } from '../src/shared/model/rule-conditions.ts'
import { dryRunRules } from '../src/main/watch/dry-runs.ts'
import { atMost, type BenchRow } from './row.ts'
import { temporaryFolder } from './temporary-folder.ts'

const FOLDERS = 100
const PER_FOLDER = 100
const BUDGET_MS = 1_000
const TRIES = 3
const SAMPLE = join(import.meta.dirname, '../assets/samples/dawn-upright.jpg')

const rule = (...when: readonly RuleCondition[]): FolderRule => ({
  id: 'rule',
  when: [...when],
  action: { do: 'ignore' },
})

/** Each photo is compared with all rules, and its header is read. */
const RULES: readonly FolderRule[] = [
  rule({ about: 'kind', is: 'video' }, { about: 'duration', compare: 'more', amount: 5, unit: 'minutes' }),
  rule({ about: 'name', matches: true, pattern: '{Screenshot,Scan}*' }),
  rule({ about: 'size', compare: 'more', amount: 1, unit: 'GB' }),
  rule(
    { about: 'kind', is: 'image' },
    { about: 'dimensions', side: 'width', compare: 'more', pixels: 4_000 },
  ),
  rule({ about: 'age', compare: 'more', amount: 30, unit: 'days' }),
  rule({ about: 'subfolder', path: 'Scans' }),
  rule({ about: 'depth', compare: 'more', levels: 5 }),
]

export async function benchFolderRules(): Promise<readonly BenchRow[]> {
  await using folder = await temporaryFolder()
  await photosIn(folder.path)
  const times: number[] = []
  for (let n = 0; n < TRIES; n++) {
    const startedAt = performance.now()
    const { files, rules } = await dryRunRules({
      root: folder.path,
      recursive: true,
      rules: { rules: [...RULES] },
      own: { isResult: () => Promise.resolve(false) },
      now: Date.now(),
      signal: new AbortController().signal,
      onProgress: () => undefined,
    })
    times.push(performance.now() - startedAt)
    if (files !== FOLDERS * PER_FOLDER || rules.at(-1)?.files !== files) throw new Error('Files are missing')
  }
  return [
    atMost('folder rules tried on 10,000 files', Math.min(...times), 'ms', BUDGET_MS, `best of ${TRIES}`),
  ]
}

async function photosIn(root: string): Promise<void> {
  // Only the header is read.
  const photo = (await readFile(SAMPLE)).subarray(0, 20_000)
  for (let folder = 0; folder < FOLDERS; folder++) {
    await mkdir(join(root, `${folder}`))
    const names = Array.from({ length: PER_FOLDER }, (_, n) => join(root, `${folder}`, `IMG_${n}.jpg`))
    await Promise.all(names.map((path) => writeFile(path, photo)))
  }
}
