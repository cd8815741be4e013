/** What a waiting command reports if the service's outcome or clock is wrong. */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fastTiming, run } from '../main/cli/command.ts'
import { KEY, scriptedService, type Reading } from '../main/cli/scripted-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { HOUR_MS } from '../../src/shared/durations.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from './long-suite.ts'

type Answer = { readonly status: number; readonly body: string }

/** Submits photos, waits for their job and returns its outcome. */
async function submit(
  names: readonly string[],
  completed: (out: string) => Reading,
  { argv = [], download }: { readonly argv?: readonly string[]; readonly download?: Answer } = {},
) {
  const folder = temporaryFolder()
  const paths = names.map((name) => join(folder, name))
  for (const path of paths) writeFileSync(path, 'a photo')
  const end = completed(folder)
  const { createdAt = '2026-01-01T00:00:00Z' } = typeof end === 'string' ? {} : end
  const readings: Reading[] = [{ status: 'queued', createdAt }, { status: 'processing', createdAt }, end]
  const service = await scriptedService({
    readings,
    instead(request, response) {
      const route = `${request.method} ${request.url}`
      if (route === 'POST /api/upload') {
        const originalName = String(request.headers['x-filename'])
        const answer = { filePath: `/up/${originalName}`, originalName, size: 7 }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
        return true
      }
      if (download === undefined || !route.startsWith('GET /api/download/')) return false
      response.writeHead(download.status, { 'content-type': 'text/html' }).end(download.body)
      return true
    },
  })
  onTestFinished(() => service.close())
  const all = [
    'submit',
    ...paths,
    '--output',
    folder,
    '--wait',
    '--json',
    '--base-url',
    service.baseUrl,
    ...argv,
  ]
  const { code, events } = await run(all, { env: { MEDIATRAY_API_KEY: KEY }, timing: fastTiming() })
  const told = events.find(({ event }) => event === 'finished') as
    | { outcome: { kind: string }; problems: { file: string; error: string }[]; results: unknown[] }
    | undefined
  return {
    code,
    kind: told?.outcome.kind,
    results: told?.results.length,
    problems: told?.problems.map(({ file }) => basename(file)),
    errors: told?.problems.map(({ error }) => error) ?? [],
  }
}

/** Creates a result on disk and returns its entry. */
function made(out: string, file: string) {
  const outputPath = join(out, `${file}.webp`)
  writeFileSync(outputPath, 'a result')
  return { file, outputPath }
}

const batch = (more: Reading): Reading => ({ status: 'completed', type: 'batch', ...(more as object) })

describe('a completed job', () => {
  test('is done if every input has an existing result', async () => {
    const end = await submit(['a.jpg', 'b.jpg'], (out) =>
      batch({ results: [made(out, 'a.jpg'), made(out, 'b.jpg')] }),
    )
    expect(end).toMatchObject({ code: 0, kind: 'done', results: 2, problems: [] })
  })

  const incomplete: readonly [string, (out: string) => Reading, string, number, string[]][] = [
    ['that names no result', () => batch({ results: [] }), 'failed', 0, ['a.jpg', 'b.jpg', 'c.jpg']],
    [
      'with fewer results than inputs',
      (out) => batch({ results: [made(out, 'a.jpg'), made(out, 'b.jpg')] }),
      'problems',
      2,
      ['c.jpg'],
    ],
    [
      'with an error without a file',
      (out) =>
        batch({ results: [made(out, 'a.jpg'), made(out, 'b.jpg')], errors: [{ error: 'no' } as never] }),
      'problems',
      2,
      ['', 'c.jpg'],
    ],
    [
      'with a result that isn’t on this disk',
      (out) =>
        batch({
          results: [
            made(out, 'a.jpg'),
            made(out, 'b.jpg'),
            { file: 'c.jpg', outputPath: join(out, 'nowhere.webp') },
          ],
        }),
      'problems',
      2,
      ['c.jpg'],
    ],
  ]
  test.each(firstOf(incomplete))(
    '%s names the files without a result',
    async (_, completed, kind, results, problems) => {
      const end = await submit(['a.jpg', 'b.jpg', 'c.jpg'], completed)
      expect(end).toMatchObject({ code: kind === 'failed' ? 4 : 3, kind, results })
      expect(end.problems?.toSorted()).toEqual(problems)
    },
  )

  test('with an empty result file is not done', async () => {
    const end = await submit(['a.jpg'], (out) => {
      writeFileSync(join(out, 'a.webp'), '')
      return { status: 'completed', result: { outputPath: join(out, 'a.webp') } }
    })
    expect(end).toMatchObject({ code: 4, kind: 'failed', problems: ['a.jpg'] })
    expect(end.errors[0]).toContain('a.webp')
  })

  itInLongSuite('of a single file is not done if it names no result, with or without an upload', async () => {
    for (const argv of [[], ['--upload']]) {
      const end = await submit(['a.jpg'], () => ({ status: 'completed' }), { argv })
      expect(end).toMatchObject({ code: 3, kind: 'problems', results: 0, problems: ['a.jpg'] })
    }
  })

  itInLongSuite('with missing variations reports how many results the service created', async () => {
    const end = await submit(['a.jpg'], (out) => batch({ results: [made(out, 'a.jpg')] }), {
      argv: ['--count', '3'],
    })
    expect(end).toMatchObject({ code: 3, kind: 'problems', problems: ['a.jpg'] })
    expect(end.errors).toEqual(['The service created 1 of 3 results.'])
  })

  const pages = [
    ['an HTML page', '<!DOCTYPE html><html><body>Sign in</body></html>'],
    ['nothing', ''],
    ['an error', '{"error":"not today"}'],
  ] as const
  test.each(firstOf(pages))('whose download contains %s has no result', async (_, body) => {
    const end = await submit(
      ['a.jpg'],
      () => ({ status: 'completed', result: { outputPath: '/srv/a.webp' } }),
      {
        argv: ['--upload'],
        download: { status: 200, body },
      },
    )
    expect(end).toMatchObject({ code: 4, kind: 'failed', results: 0 })
    expect(end.problems).toHaveLength(1)
  })
})

describeInLongSuite('a service whose clock', () => {
  test.each([
    ['is hours ahead', new Date(Date.now() + 5 * HOUR_MS).toISOString()],
    ['can’t be read', 'a moment ago'],
  ])('%s is trusted about the state of our job', async (_, createdAt) => {
    const end = await submit(['a.jpg'], (out) => ({
      status: 'completed',
      createdAt,
      startedAt: createdAt,
      completedAt: createdAt,
      result: made(out, 'a.jpg'),
    }))
    expect(end).toMatchObject({ code: 0, kind: 'done', results: 1, problems: [] })
  })
})
