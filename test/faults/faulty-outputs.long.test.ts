/** Runs commands whose results folder fails at a given step, and checks the state that remains. */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SERVICE } from '../entries.ts'
import { realTiming, run } from '../main/cli/command.ts'
import type { FaultyPlacing } from './faulty-placing.ts'
import { photoFolders, resultsIn } from './photo-folders.ts'

const PHOTOS = 4

type HistoryRecord = {
  readonly record: {
    readonly outcome: { readonly kind: string } | null
    readonly parts: readonly { readonly outcome: { readonly kind: string } | null }[]
  }
  readonly results: readonly { readonly outputPath: string }[]
  readonly problems: readonly unknown[]
}

type Case = Omit<FaultyPlacing, 'folder'>

/** Every fault at every step. Without hard links, placing a result takes two steps. */
const CASES: readonly Case[] = [true, false].flatMap((links) =>
  (['kill', 'vanish', 'block'] as const).flatMap((fault) =>
    Array.from({ length: links ? PHOTOS : 2 * PHOTOS }, (_, n) => ({ links, fault, step: n + 1 })),
  ),
)

it.each(CASES)(
  'a failing output folder loses and duplicates no result: $fault at step $step, links: $links',
  async (given) => {
    const { folder: root, out, data, files, onceEach } = photoFolders(PHOTOS)
    const builtInEntry = join(root, 'service.mts')
    writeFileSync(
      builtInEntry,
      `import { failPlacing } from '${join(import.meta.dirname, 'faulty-placing.ts')}'
failPlacing(${JSON.stringify({ ...given, folder: out } satisfies FaultyPlacing)})
await import('${SERVICE}')`,
    )
    const ask = (...argv: readonly string[]) =>
      run(argv, { env: { MEDIATRAY_DATA_DIR: data }, cwd: root, builtInEntry, timing: realTiming })

    const submitted = await ask('submit', ...files, '--output', out)
    const what = `${JSON.stringify(given)}\n${submitted.stdout}${submitted.stderr}`
    expect(existsSync(join(root, 'happened')), what).toBe(true)
    await ask('outbox', 'send')

    expect((await ask('outbox', '--json')).events, what).toMatchObject([{ event: 'notice' }])
    const { events } = await ask('history', '--json')
    const listed = events.filter(({ event }) => event === 'record') as unknown as readonly HistoryRecord[]
    const parts = listed.flatMap(({ record }) => record.parts)
    expect(
      parts.filter(({ outcome }) => outcome === null),
      what,
    ).toEqual([])
    // Every input has an existing result or a problem, and only inputs with all their results count as done.
    const paths = listed.flatMap(({ results }) => results.map(({ outputPath }) => outputPath))
    const there = paths.filter((path) => existsSync(path) && statSync(path).size > 0)
    expect([...new Set(there)], what).toEqual(paths)
    expect(paths.length + listed.flatMap(({ problems }) => problems).length, what).toBe(PHOTOS)
    expect(
      listed.every(({ record, problems }) => (record.outcome?.kind === 'done') === (problems.length === 0)),
      what,
    ).toBe(true)
    if (given.fault !== 'kill') return
    // Nothing is lost or processed twice, and no empty file occupies a name.
    expect(paths, what).toHaveLength(PHOTOS)
    expect(resultsIn(out), what).toEqual(onceEach)
  },
)
