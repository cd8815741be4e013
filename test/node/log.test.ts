import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { logFileIn, openLog, readLogTail, redactSecrets } from '../../src/node/log.ts'
import { growthOf } from '../growth.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const newFolder = () => join(temporaryFolder(), 'logs')

it('an event is logged as one line of JSON with its facts and the time', async () => {
  const folder = newFolder()
  const log = openLog(folder, { clock: () => 0 })
  log.log('job over', { outcome: 'done', files: 3 })
  log.log('started')
  log.close()
  expect((await readLogTail(folder, 10)).map((line): unknown => JSON.parse(line))).toEqual([
    { level: 30, time: '1970-01-01T00:00:00.000Z', event: 'job over', outcome: 'done', files: 3 },
    { level: 30, time: '1970-01-01T00:00:00.000Z', event: 'started' },
  ])
  expect((await stat(logFileIn(folder))).mode & 0o077).toBe(0)
})

it('keys are never written, in any form', async () => {
  const folder = newFolder()
  const log = openLog(folder)
  log.hide('mt-very-secret')
  log.log('refused with mt-very-secret', {
    headers: { Authorization: 'Bearer abc.def', 'x-filename': 'a.jpg' },
    apiKey: 'k1',
    deep: [{ note: 'sent Bearer zyx987 to http://ada:pw1@host/api' }],
    odd: [`${'long'.repeat(20)}://ada:pw2@host/`, 'ümlaut://ada:pw3@host'],
    error: new Error('the key mt-very-secret was wrong', { cause: new Error('mt-very-secret') }),
  })
  log.close()
  const text = await readFile(logFileIn(folder), 'utf8')
  for (const secret of ['mt-very-secret', 'abc.def', 'zyx987', 'k1', 'pw1', 'pw2', 'pw3'])
    expect(text).not.toContain(secret)
  expect(text).toContain('a.jpg')
})

it('no secret remains anywhere in the facts of an event', () => {
  const secret = 'S3cr3t-Key'
  const planted = fc.tuple(fc.string(), fc.string()).map(([before, after]) => `${before}${secret}${after}`)
  fc.assert(
    fc.property(fc.object({ values: [planted, fc.string(), fc.integer()], key: planted }), (facts) => {
      expect(JSON.stringify(redactSecrets(facts, [secret]))).not.toContain(secret)
    }),
  )
})

it.each(['a.', 'a', 'a://', 'bearer  ', '://a', '@'])(
  'hiding the secrets in many copies of %j takes linear time',
  (piece) => {
    const cost = growthOf(
      20_000,
      (size) => piece.repeat(size / piece.length),
      (text) => redactSecrets(text),
    )
    expect(cost).toBeLessThan(1.6)
  },
)

it('the log remains small, and its last lines are found across two files', async () => {
  const folder = newFolder()
  const log = openLog(folder, { maxBytes: 2_000 })
  for (let n = 0; n < 200; n += 1) log.log('tick', { n })
  log.close()
  expect((await readdir(folder)).toSorted()).toEqual(['mediatray.1.log', 'mediatray.log'])
  expect((await stat(logFileIn(folder))).size).toBeLessThan(4_000)
  const tail = await readLogTail(folder, 12)
  expect(tail.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
    Array.from({ length: 12 }, (_, n) => 188 + n),
  )
})

it('a failed write doesn’t stop the process', async () => {
  const folder = newFolder()
  await writeFile(folder, 'a file where the folder should be')
  const log = openLog(folder)
  log.log('still here', {
    circular: (() => {
      const a: Record<string, unknown> = {}
      a['a'] = a
      return a
    })(),
  })
  log.close()
  expect(await readLogTail(folder, 5)).toEqual([])
})
