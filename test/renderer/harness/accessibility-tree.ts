import type { Page } from 'playwright-core'

/** The state that each role needs. */
const STATES: Readonly<Record<string, string>> = {
  checkbox: 'checked',
  radio: 'checked',
  switch: 'checked',
  combobox: 'expanded',
}
/** Rows of lists are read with their content, and so are messages. */
const READ_BY_CONTENT = new Set(['listitem', 'status', 'alert'])
/** They get their meaning from what they contain. */
const UNNAMED = new Set(['RootWebArea', 'generic', 'none'])

/** Returns focusable elements without a name, hidden ones, and controls without the state of their role, as Chromium reports them. */
export async function controlFaults(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  if (!nodes.some(({ properties = [] }) => properties.some(({ name }) => name === 'focusable')))
    throw new Error('The tree has no controls')
  return nodes.flatMap(({ ignored, role, name, properties = [] }) => {
    const kind = String(role?.value)
    const found = new Map(properties.map(({ name: property, value }) => [property as string, value.value]))
    if (found.get('focusable') !== true || kind === 'RootWebArea') return []
    const state = STATES[kind]
    const label = String(name?.value ?? '').trim()
    return [
      ...(ignored || found.get('hidden') === true
        ? [`${kind} "${label}" is hidden but can get the focus`]
        : []),
      ...(label === '' && !READ_BY_CONTENT.has(kind) ? [`${kind} has no name`] : []),
      ...(UNNAMED.has(kind) ? [`"${label}" has the role ${kind}`] : []),
      ...(state !== undefined && !found.has(state) ? [`${kind} "${label}" has no ${state} state`] : []),
    ]
  })
}
