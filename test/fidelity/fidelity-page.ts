import type { Effect } from './judge.ts'

export type Cell = {
  readonly file: string
  readonly target: string
  readonly property: string
  readonly effect: Effect
}

const HEAD = `# Fidelity

What happens to everything that users would miss, for every format of originals, format of results and shipped preset. *kept*:
third-party tools find it in the result. *lost*: it's missing, and the app lists it. *asked*: the preset asks for the change. *refused*: the file
isn't converted, and the app says why. Anything else fails the suite. \`npm run test:fidelity\` writes this page.
`

const EFFECTS = ['kept', 'lost', 'asked', 'refused'] as const satisfies readonly Effect[]

/** Renders one table for each original: its properties, and the targets by effect. */
export function fidelityPage(cells: readonly Cell[]): string {
  const files = [...Map.groupBy(cells, ({ file }) => file)]
  return `${HEAD}\n${files.map(([file, some]) => `## ${file}\n\n${table(some)}`).join('\n')}`
}

function table(cells: readonly Cell[]): string {
  const rows = [...Map.groupBy(cells, ({ property }) => property)].map(
    ([property, some]) => `| ${property} | ${columnsOf(some).join(' | ')} |`,
  )
  return `| property | ${EFFECTS.join(' | ')} |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
}

/** The targets with each effect. The most common effect isn't spelled out. */
function columnsOf(cells: readonly Cell[]): readonly string[] {
  const by = Map.groupBy(cells, ({ effect }) => effect)
  const most = Math.max(...EFFECTS.map((effect) => by.get(effect)?.length ?? 0))
  const usual = EFFECTS.find((effect) => by.get(effect)?.length === most)
  return EFFECTS.map((effect) => {
    if (effect === usual) return by.size === 1 ? 'all' : 'all others'
    return (by.get(effect) ?? []).map(({ target }) => target).join('; ')
  })
}
