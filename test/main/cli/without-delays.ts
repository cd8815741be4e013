import catalog from '../../../src/shared/i18n/locales/en.json' with { type: 'json' }

const { waits } = catalog.terminal
const { client } = catalog.client

const patternOf = (text: string): string =>
  text
    .split(/\{\{\w+\}\}/)
    .map((part) => part.replaceAll(/[.*+?()[\]{}|\\^$]/g, String.raw`\$&`))
    .join('.*')

/** What a command prints only if something takes longer than five seconds. */
const DELAYS = [...Object.values(waits), client.waiting, client.silent].map(patternOf)
const DELAY = new RegExp(`^(?:${DELAYS.join('|')})\n`, 'gm')

/** Removes the explanations of waits, which depend on the computer's load. */
export const withoutDelays = (stderr: string): string => stderr.replaceAll(DELAY, '')
