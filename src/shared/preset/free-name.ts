/** The schema's limit for names. */
const LONGEST = 80

/** Returns the name if it isn't taken, otherwise "Mail 2", "Mail 3" … */
export function freeName(name: string, used: ReadonlySet<string>): string {
  for (let attempt = 1; ; attempt += 1) {
    const ending = attempt === 1 ? '' : ` ${attempt}`
    const free = `${name.slice(0, LONGEST - ending.length)}${ending}`
    if (!used.has(free)) return free
  }
}
