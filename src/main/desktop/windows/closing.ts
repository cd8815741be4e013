/** What closing the window means. It goes to the tray only where a person finds the app again in a tray. */
export type ClosingFacts = {
  readonly isQuitting: boolean
  readonly isTrayShown: boolean
  /** The person's choice in the settings. */
  readonly closeToTray: boolean
}

export const whatClosingDoes = ({ isQuitting, isTrayShown, closeToTray }: ClosingFacts): 'hide' | 'quit' =>
  isQuitting || !isTrayShown || !closeToTray ? 'quit' : 'hide'

/** Hiding is no closing. An app that ends already is left to end in order: a second quit would cut that short. */
export const quitsWithLastWindow = (facts: ClosingFacts): boolean =>
  !facts.isQuitting && whatClosingDoes(facts) === 'quit'
