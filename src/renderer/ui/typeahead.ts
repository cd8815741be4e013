/** Pause in typing after which a new search starts, in ms. */
const TYPING_MS = 800

/** Finds options by the letters that the user types. */
export function createTypeahead() {
  let text = ''
  let at = 0
  const isTyping = (event: KeyboardEvent): boolean => text !== '' && event.timeStamp - at < TYPING_MS
  return {
    isTyping,
    stop(): void {
      text = ''
    },
    /**
     * Returns the next option that starts with the typed letters; undefined if there is none. The search for a single letter starts after
     * the current option; with more letters, it starts at the current option.
     * @param current index of the current option; -1 if there is none
     */
    find<Option>(
      event: KeyboardEvent,
      options: readonly Option[],
      current: number,
      nameOf: (option: Option) => string,
    ): Option | undefined {
      text = (isTyping(event) ? text : '') + event.key.toLocaleLowerCase()
      at = event.timeStamp
      const from = text.length === 1 ? current + 1 : Math.max(0, current)
      return [...options.slice(from), ...options.slice(0, from)].find((option) =>
        nameOf(option).toLocaleLowerCase().startsWith(text),
      )
    },
  }
}
