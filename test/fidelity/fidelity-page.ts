import type { Verdict } from './judge.ts'

export type Cell = {
  readonly file: string
  readonly target: string
  readonly property: string
  readonly verdict: Verdict
}

const HEAD = `# Fidelity

What becomes of everything that a person would miss, for every format of originals, format of results and shipped preset. *kept*: tools of other
makers find it in the result. *lost*: it's missing, and the app says so. *asked*: the preset asks for its change. *refused*: the file
isn't converted, and the app says why. There is no fifth word: anything else fails the suite. \`npm run test:fidelity\` writes this page.
`

const VERDICTS = ['kept', 'lost', 'asked', 'refused'] as const satisfies readonly Verdict[]

/** Renders one table for each original: its properties, and the targets by verdict. */
export function fidelityPage(cells: readonly Cell[]): string {
  const files = [...Map.groupBy(cells, ({ file }) => file)]
  return `${HEAD}\n${files.map(([file, some]) => `## ${file}\n\n${table(some)}`).join('\n')}`
}

function table(cells: readonly Cell[]): string {
  const rows = [...Map.groupBy(cells, ({ property }) => property)].map(
    ([property, some]) => `| ${property} | ${columnsOf(some).join(' | ')} |`,
  )
  return `| property | ${VERDICTS.join(' | ')} |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
}

/** The targets with each verdict. The most common verdict isn't spelled out. */
function columnsOf(cells: readonly Cell[]): readonly string[] {
  const by = Map.groupBy(cells, ({ verdict }) => verdict)
  const most = Math.max(...VERDICTS.map((verdict) => by.get(verdict)?.length ?? 0))
  const usual = VERDICTS.find((verdict) => by.get(verdict)?.length === most)
  return VERDICTS.map((verdict) => {
    if (verdict === usual) return by.size === 1 ? 'all' : 'all others'
    return (by.get(verdict) ?? []).map(({ target }) => target).join('; ')
  })
}
